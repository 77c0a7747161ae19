"""Serve a GGUF model on loopback with llama.cpp's own server, until standard input ends.

    PYTHON serve.py MODEL.gguf [--projector PROJECTOR.gguf] --name NAME

Its first line on standard output is its address, with a port that was free. It ends with whoever
started it, however that ended: then its standard input ends. Runs in the Python that has
xllamacpp, not in this project's.
"""

import argparse
import os
import sys

import xllamacpp

CONTEXT = 4096  # tokens; README, "Your own model", asks for no less


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--projector")
    parser.add_argument("--name", required=True)
    options = parser.parse_args()

    given = xllamacpp.CommonParams()
    given.model.path = options.model
    if options.projector is not None:
        given.mmproj.path = options.projector
    given.model_alias = {options.name}
    given.hostnames = ["127.0.0.1"]
    given.port = 0
    given.n_ctx = CONTEXT
    given.n_parallel = 1
    # Two threads wait for each other on cores that others use: up to a hundred times slower.
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(given)
    print(server.listening_address, flush=True)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nobody reads it any more
    sys.stdin.read()
    os._exit(0)  # nothing is to be kept, and a request may still be under way


if __name__ == "__main__":
    main()
