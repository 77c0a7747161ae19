import os
import re
import shlex
import sys

from vlmtom.settings import OBSERVER_CODE, ask_spec, load_registry, load_settings
from vlmtom.store.digests import code_digest as digest
from vlmtom.store.locks import locks_digest

SETTINGS = load_settings(config)
REGISTRY = load_registry(SETTINGS)

TESTERS = list(SETTINGS.testers)
EXPERIMENTS = ["director"]
WINDOWS = list(range(1, SETTINGS.windows + 1))
DIRECTOR_ARMS = list(SETTINGS.director.arms)


wildcard_constraints:
    tester="|".join(map(re.escape, TESTERS)),
    experiment="|".join(EXPERIMENTS),
    arm="|".join(map(re.escape, DIRECTOR_ARMS)),
    window="[0-9]+",


# Where a shell command says `python`, it is the interpreter that runs Snakemake and has the package
shell.prefix(f'export PATH={shlex.quote(os.path.dirname(sys.executable))}:"$PATH"; ')

# Call jobs at once, unless the command line or a run profile says otherwise.
workflow.global_resources.setdefault("api", SETTINGS.calls.parallel_jobs)

RESULTS = SETTINGS.results
LOGS = f"{RESULTS}/logs"

PICTURES = f"{RESULTS}/stimuli/{{experiment}}/pictures.parquet"
ITEMS = f"{RESULTS}/stimuli/{{experiment}}/items.parquet"
REPLIES = f"{RESULTS}/replies/{{tester}}/{{experiment}}.w{{window}}.parquet"
OUTCOMES = f"{RESULTS}/outcomes/{{tester}}/{{experiment}}.parquet"
KEYS = f"{RESULTS}/keys/{{experiment}}.parquet"
CELLS = f"{RESULTS}/cells/{{experiment}}.parquet"

TESTER_FILES = [
    *expand(REPLIES, tester=TESTERS, experiment=EXPERIMENTS, window=WINDOWS),
    *expand(OUTCOMES, tester=TESTERS, experiment=EXPERIMENTS),
]
TABLES = expand(f"{RESULTS}/tables/table2.{{form}}", form=["tex", "parquet", "csv"])
FIGURES = expand(f"{RESULTS}/figures/figure2.{{form}}", form=["pdf", "png"])
CODEBOOK = f"{RESULTS}/codebook.csv"
MANIFEST = f"{RESULTS}/manifest.parquet"
STIMULI = [
    *expand([PICTURES, ITEMS, KEYS], experiment=EXPERIMENTS),
    *expand(f"{RESULTS}/stimuli/director/sheet.{{arm}}.png", arm=DIRECTOR_ARMS),
]
PRODUCTS = [
    *STIMULI,
    *expand(CELLS, experiment=EXPERIMENTS),
    *TABLES,
    *FIGURES,
    CODEBOOK,
]


def gone(outputs, inputs):
    """A parameter that makes a missing input count as a change while the output is there.

    Snakemake takes no notice of a deleted (or, after a failed rerun, removed) file as long as the
    file made from it exists. outputs, inputs: patterns. It is a function of wildcards alone:
    Snakemake does not record parameters that are derived from the input.
    """

    def missing(wildcards):
        named = dict(wildcards.items())
        if not all(os.path.exists(path.format(**named)) for path in outputs):
            return 0
        return sum(not os.path.exists(path.format(**named)) for path in inputs)

    return missing


def ask_params(wildcards):
    """What a call job is given: its own tester's entry and its own endpoint."""
    spec = ask_spec(
        SETTINGS,
        REGISTRY,
        tester=wildcards.tester,
        experiment=wildcards.experiment,
        window=int(wildcards.window),
    )
    return spec.model_dump_json()


def ask_code(wildcards):
    """Digest of the code behind a call job."""
    endpoint = REGISTRY.endpoints[REGISTRY.models[wildcards.tester].endpoint]
    # An observer's code is its weights: editing it makes another tester of it.
    rooms = OBSERVER_CODE if endpoint.kind == "embedded" else []
    return digest("calls", "jobs", "store", "wall.py", "settings.py", *rooms)
