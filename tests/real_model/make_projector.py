"""Write a projector for a text model: a vision encoder of random weights, as GGUF.

    PYTHON make_projector.py TEXT.gguf PROJECTOR.gguf

A server with it decodes pictures and gives them places in the prompt, as with a trained one; the
model only learns nothing from them. Runs in the Python that has gguf, not in this project's.
"""

import sys

import gguf
import numpy as np

SIDE, PATCH = 224, 28  # pixels; a picture becomes (SIDE / PATCH) ** 2 = 64 places in the prompt
WIDTH, LAYERS, HEADS, INNER = 64, 2, 4, 128
SAMPLED_TOKENS = 2000


def text_model(path: str) -> tuple[int, float]:
    """Width of the model's embeddings, and the standard deviation of those of its tokens."""
    reader = gguf.GGUFReader(path)
    family = reader.fields["general.architecture"].contents()
    width = int(reader.fields[f"{family}.embedding_length"].contents())
    table = next(t for t in reader.tensors if t.name == "token_embd.weight")
    some = gguf.quants.dequantize(table.data[:SAMPLED_TOKENS], table.tensor_type)
    return width, float(np.std(some))


class Weights:
    """Names the tensors of a file and draws their values."""

    def __init__(self, writer: gguf.GGUFWriter, seed: int) -> None:
        self._writer, self._rng = writer, np.random.default_rng(seed)

    def random(self, name: str, shape: tuple[int, ...], std: float) -> None:
        values = self._rng.normal(scale=std, size=shape)
        self._writer.add_tensor(name, values.astype(np.float32))

    def linear(self, name: str, rows: int, columns: int, gain: float = 1.0) -> None:
        """A matrix that keeps the variance of what it is given, times gain squared; no bias."""
        self.random(f"{name}.weight", (rows, columns), gain / np.sqrt(columns))
        self._writer.add_tensor(f"{name}.bias", np.zeros(rows, np.float32))

    def norm(self, name: str) -> None:
        self._writer.add_tensor(f"{name}.weight", np.ones(WIDTH, np.float32))
        self._writer.add_tensor(f"{name}.bias", np.zeros(WIDTH, np.float32))


def main(text: str, out: str) -> None:
    width, std = text_model(text)
    writer = gguf.GGUFWriter(out, "clip")
    writer.add_name("random eye")
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_bool("clip.use_gelu", True)
    writer.add_string("clip.projector_type", "mlp")
    numbers = {
        "image_size": SIDE,
        "patch_size": PATCH,
        "embedding_length": WIDTH,
        "feed_forward_length": INNER,
        "block_count": LAYERS,
        "attention.head_count": HEADS,
        "projection_dim": width,
    }
    for name, number in numbers.items():
        writer.add_uint32(f"clip.vision.{name}", number)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-5)
    for name in ("image_mean", "image_std"):
        writer.add_array(f"clip.vision.{name}", [0.5, 0.5, 0.5])

    weights = Weights(writer, seed=0)
    pixels = 3 * PATCH * PATCH
    weights.random("v.patch_embd.weight", (WIDTH, 3, PATCH, PATCH), 4 / np.sqrt(pixels))
    writer.add_tensor("v.patch_embd.bias", np.zeros(WIDTH, np.float32))
    weights.random("v.position_embd.weight", ((SIDE // PATCH) ** 2, WIDTH), 0.3)
    for layer in range(LAYERS):
        block = f"v.blk.{layer}"
        for part in ("attn_q", "attn_k", "attn_v", "attn_out"):
            weights.linear(f"{block}.{part}", WIDTH, WIDTH)
        weights.norm(f"{block}.ln1")
        weights.norm(f"{block}.ln2")
        weights.linear(f"{block}.ffn_up", INNER, WIDTH)
        weights.linear(f"{block}.ffn_down", WIDTH, INNER)
    weights.norm("v.post_ln")
    weights.linear("mm.0", WIDTH, WIDTH)
    # As long as a token's embedding, so that the model takes it for one.
    weights.linear("mm.2", width, WIDTH, gain=std)

    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
