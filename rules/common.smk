import os
import re
import shlex
import sys
from datetime import UTC, datetime

from vlmtom import windows as asking_windows
from vlmtom.commands.panel import claim, hold, refuse_other_panel
from vlmtom.commands.unjournalled import refuse_unjournalled
from vlmtom.rating.returned import returned_files
from vlmtom.rating.secret import NAME as SECRET_NAME
from vlmtom.report_action.traces.sheets import returned_sheets
from vlmtom.settings import (
    MOSAIC_CONDITIONS,
    OBSERVER_CODE,
    TRACE_TOPICS,
    MosaicPair,
    ask_spec,
    coder_spec,
    exemplar_spec,
    judge_spec,
    load_registry,
    load_settings,
    play_spec,
    representation_spec,
)
from vlmtom.stats.published import READ as PUBLISHED_READ
from vlmtom.stats.published import published_panel, read_published
from vlmtom.stats.references import load_references
from vlmtom.store.digests import code_digest, folder_digest, sha256_file
from vlmtom.store.locks import locks_digest
from vlmtom.triangles.listing import (
    chosen_clips,
    clip_conditions,
    clip_names,
    clip_sources,
)


def digest(*places):
    """Digest of the code (and resources) behind a rule; every rule reads and writes by the store."""
    return code_digest("store", "errors.py", *places)


# What tables, figures and the report run: they share captions, cells and rounding.
PUBLISHING = (
    "director/__init__.py",
    "director/cells.py",
    "triangles/__init__.py",
    "triangles/cells.py",
    "stats",
    "publish",
)


def printed_players(pairs):
    """The pairs that stand for a model of the game's paper: by the configuration, or by name."""
    print_ = read_published()
    files = ("mosaic_table3", "mosaic_fig3", "mosaic_fig5")
    printed = {line["model"].casefold() for file in files for line in print_[file]}
    return [
        pair.name
        for pair in pairs
        if pair.name in SETTINGS.mosaic.printed.values()
        or pair.subject == pair.participant in printed
    ]


def report_effect(study):
    """The comparison that is the effect of the report: with the question, less without it.

    Of several the first; nothing where none is configured.
    """
    for name, one in study.comparisons.items():
        request = one.without.removesuffix("-none")
        asked = (f"{request}-none", f"{request}-visibility")
        if (one.without, one.with_) == asked and one.scene_set == "main":
            return dict(comparison=name, without=one.without, with_=one.with_)
    return {}


def references_digest(path):
    """Digest of the file of human references; a bad line in it stops the run before any call."""
    load_references(path)
    return sha256_file(path)


SETTINGS = load_settings(config)
REGISTRY = load_registry(SETTINGS)

TESTERS = list(SETTINGS.testers)
JUDGES = list(SETTINGS.judges)
PAID = any(
    REGISTRY.endpoints[REGISTRY.models[slug].endpoint].kind != "embedded"
    for slug in [*SETTINGS.asked_testers, *SETTINGS.asked_judges]
)
OVERLAYS = list(SETTINGS.judging.overlays)
WITH_TRIANGLES = SETTINGS.triangles is not None
WITH_DIRECTOR = SETTINGS.director is not None
# Those of the panel; others have testers and rules of their own.
EXPERIMENTS = [
    name for name in ("director", "triangles") if name in SETTINGS.experiments
]
DIRECTOR_ARMS = list(SETTINGS.arms("director"))
TRIANGLES_ARMS = list(SETTINGS.triangles.arms) if WITH_TRIANGLES else []
ARM_TRIALS = (
    {name: arm.trials for name, arm in SETTINGS.triangles.arms.items()}
    if WITH_TRIANGLES
    else {}
)
CLIP_NAMES = clip_names(SETTINGS.triangles.clips) if WITH_TRIANGLES else []


wildcard_constraints:
    tester="|".join(map(re.escape, TESTERS)),
    experiment="|".join(EXPERIMENTS) or "none",
    arm="|".join(map(re.escape, [*DIRECTOR_ARMS, *TRIANGLES_ARMS])) or "none",
    judge="|".join(map(re.escape, JUDGES)) or "none",
    rated="|".join(map(re.escape, SETTINGS.battery)) or "none",
    viewer="|".join(map(re.escape, SETTINGS.shown_representations)) or "none",
    scorer="|".join(map(re.escape, SETTINGS.representation_judges)) or "none",
    reporter="|".join(map(re.escape, SETTINGS.action_testers)) or "none",
    coder="|".join(map(re.escape, SETTINGS.trace_coders)) or "none",
    traced="|".join(TRACE_TOPICS),
    pair="|".join(re.escape(pair.name) for pair in SETTINGS.mosaic_pairs) or "none",
    condition="|".join(MOSAIC_CONDITIONS),
    overlay="|".join(map(re.escape, OVERLAYS)),
    window="[0-9]+",


# Where a shell command says `python`, it is the interpreter that runs Snakemake and has the package
shell.prefix(f'export PATH={shlex.quote(os.path.dirname(sys.executable))}:"$PATH"; ')

# Call jobs at once, unless the command line or a run profile says otherwise.
workflow.global_resources.setdefault("api", SETTINGS.calls.parallel_jobs)

RESULTS = SETTINGS.results
LOGS = f"{RESULTS}/logs"

SPENDING = f"{RESULTS}/calls/_spending"
# Given to jobs as a resource, because a new budget changes no reply and must rerun nothing.
BUDGET = "none" if SETTINGS.budget is None else repr(SETTINGS.budget)

PICTURES = f"{RESULTS}/stimuli/{{experiment}}/pictures.parquet"
ITEMS = f"{RESULTS}/stimuli/{{experiment}}/items.parquet"
REPLIES = f"{RESULTS}/replies/{{tester}}/{{experiment}}.w{{window}}.parquet"
OUTCOMES = f"{RESULTS}/outcomes/{{tester}}/{{experiment}}.parquet"
KEYS = f"{RESULTS}/keys/{{experiment}}.parquet"
CELLS = f"{RESULTS}/cells/{{experiment}}.parquet"

BLIND = f"{RESULTS}/blind/{{arm}}.parquet"
VERDICTS = f"{RESULTS}/verdicts/{{judge}}/{{overlay}}.{{arm}}.parquet"
BLIND_EXEMPLARS = f"{RESULTS}/blind/exemplars.parquet"
EXEMPLAR_VERDICTS = f"{RESULTS}/verdicts/{{rated}}/exemplars.parquet"
PROFILES = f"{RESULTS}/profiles/triangles.parquet"
RATING = SETTINGS.rated_by_people
RATING_SECRET = f"{RESULTS}/{SECRET_NAME}"
RATING_SHEET = f"{RESULTS}/rating/sheet.html"
RATING_KEY = f"{RESULTS}/rating/key.parquet"
RATINGS = f"{RESULTS}/rating/ratings.parquet"
# A folder without the raters' files stops the run before any call.
RETURNED = returned_files(RATING.returned) if RATING and RATING.returned else []
CLIPS = expand(f"{RESULTS}/clips/{{clip}}.mp4", clip=CLIP_NAMES)


def asked_up_to():
    """The last window that the command line asks for: with `window_2`, no later one is asked.

    Snakemake tells a Snakefile nothing of its targets; the command line does.
    """
    words = [
        word
        for before, word in zip(sys.argv, sys.argv[1:])
        if not before.startswith("-")  # as in `--cores all`
    ]
    named = [re.fullmatch(r"window_(\d+)", word) for word in words]
    if "all" in words or not any(named):
        return None
    return max(int(match[1]) for match in named if match)


def windows_of_this_run():
    """Each tester's windows, decided once a run: its jobs, which read this file too, keep to it.

    A window may open, or a table come to be, while the run goes on.
    """
    found = None if workflow.is_main_process else asking_windows.remembered()
    if found is None:
        now = datetime.now(UTC)
        found = asking_windows.opened(SETTINGS, EXPERIMENTS, now, asked_up_to())
        asking_windows.remember(found)
        if said := asking_windows.notice(found, SETTINGS.windows, now):
            print(said, file=sys.stderr)
    return found


OPENED = windows_of_this_run()

# Two panels in one folder would mix in tables; a table that came without its journal would be made
# anew, and every reply in it paid for again.
if workflow.is_main_process:
    refuse_other_panel(RESULTS, SETTINGS.panel)
    refuse_unjournalled(
        RESULTS, SETTINGS.asked_testers, SETTINGS.asked_judges, SETTINGS.trace_coders
    )


def replies_of(experiment):
    """An experiment's replies of one tester, by wildcard, in the windows of this run."""

    def paths(wildcards):
        last = OPENED[wildcards.tester, experiment].last
        return expand(
            REPLIES,
            tester=wildcards.tester,
            experiment=experiment,
            window=range(1, last + 1),
        )

    return paths


def replies_of_all(experiments):
    """The replies of all testers in the windows of this run."""
    return [
        REPLIES.format(tester=tester, experiment=experiment, window=window)
        for tester in TESTERS
        for experiment in experiments
        for window in range(1, OPENED[tester, experiment].last + 1)
    ]


def panel_of(*experiments):
    """The panel's name, with what is partial in products of these experiments."""
    partial = asking_windows.stamp(OPENED, SETTINGS.windows, experiments)
    return f"{SETTINGS.panel} ({partial})" if partial else SETTINGS.panel


ALL_REPLIES = replies_of_all(EXPERIMENTS)
ALL_TRIANGLES_REPLIES = replies_of_all(["triangles"] if WITH_TRIANGLES else [])
ALL_DESCRIPTIONS = expand(OUTCOMES, tester=TESTERS, experiment="triangles")
CANONICAL_VERDICTS = expand(VERDICTS, judge=JUDGES, overlay="blinded", arm="numbered")
ALL_VERDICTS = [
    VERDICTS.format(judge=judge, overlay=overlay, arm=arm)
    for overlay, arms in SETTINGS.judged.items()
    for judge in JUDGES
    for arm in arms
]
BLINDED_VERDICTS = expand(
    VERDICTS, judge=JUDGES, overlay="blinded", arm=SETTINGS.judged.get("blinded", [])
)
ALL_EXEMPLAR_VERDICTS = expand(EXEMPLAR_VERDICTS, rated=SETTINGS.battery)

# Representations of the clips: a study of its own, of testers and judges of its own, in one window.
WITH_REPRESENTATIONS = "representations" in SETTINGS.experiments
REPRESENTATION_FILMS = f"{RESULTS}/stimuli/representations/films.parquet"
REPRESENTATION_REPLIES = f"{RESULTS}/replies/{{viewer}}/representations.w1.parquet"
REPRESENTATION_DESCRIPTIONS = f"{RESULTS}/outcomes/{{viewer}}/representations.parquet"
BLIND_REPRESENTATIONS = f"{RESULTS}/blind/representations.parquet"
REPRESENTATION_VERDICTS = f"{RESULTS}/verdicts/{{scorer}}/representations.parquet"
ALL_REPRESENTATION_REPLIES = expand(
    REPRESENTATION_REPLIES, viewer=SETTINGS.shown_representations
)
ALL_REPRESENTATION_DESCRIPTIONS = expand(
    REPRESENTATION_DESCRIPTIONS, viewer=SETTINGS.shown_representations
)
ALL_REPRESENTATION_VERDICTS = expand(
    REPRESENTATION_VERDICTS, scorer=SETTINGS.representation_judges
)
REPRESENTATION_FILES = []
if WITH_REPRESENTATIONS:
    REPRESENTATION_FILES = [
        *expand([PICTURES, ITEMS, KEYS, CELLS], experiment="representations"),
        REPRESENTATION_FILMS,
        BLIND_REPRESENTATIONS,
        *expand(f"{RESULTS}/report/representations.{{form}}", form=["html", "css"]),
    ]

# Report before action: an experiment with testers of its own, in one window.
WITH_ACTION = "report_action" in SETTINGS.experiments
ACTION_TESTERS = SETTINGS.action_testers
ACTION_REPLIES = f"{RESULTS}/replies/{{reporter}}/report_action.w1.parquet"
ACTION_OUTCOMES = f"{RESULTS}/outcomes/{{reporter}}/report_action.parquet"
ALL_ACTION_REPLIES = expand(ACTION_REPLIES, reporter=ACTION_TESTERS)
ALL_ACTION_OUTCOMES = expand(ACTION_OUTCOMES, reporter=ACTION_TESTERS)
ACTION_SHEETS = (
    expand(
        f"{RESULTS}/stimuli/report_action/sheet.{{scene_set}}.png",
        scene_set=list(SETTINGS.report_action.sets),
    )
    if WITH_ACTION
    else []
)
ACTION_FILES = (
    [*expand([PICTURES, ITEMS, KEYS], experiment="report_action"), *ACTION_SHEETS]
    if WITH_ACTION
    else []
)
ACTION_TABLES, ACTION_FIGURES, ACTION_REPORT = [], [], []
if WITH_ACTION:
    ACTION_TABLES = expand(
        f"{RESULTS}/tables/report_action_{{name}}.{{form}}",
        name="rates choices estimates joint batches scenes prompts".split(),
        form=["tex", "parquet", "csv"],
    )
    ACTION_FIGURES = expand(
        f"{RESULTS}/figures/report_action_effects.{{form}}", form=["pdf", "png"]
    )
    ACTION_REPORT = [
        f"{RESULTS}/report/report_action.html",
        *expand(
            f"{RESULTS}/report/report_action.{{scene_set}}.css",
            scene_set=dict.fromkeys(
                name
                for batch in SETTINGS.report_action.batches.values()
                for name in batch.sets
            ),
        ),
        *[
            f"{RESULTS}/report/report_action.{tester}.{batch}.html"
            for tester in ACTION_TESTERS
            for batch in SETTINGS.batches_of(tester)
        ],
    ]
    ACTION_FILES += [
        CELLS.format(experiment="report_action"),
        *ACTION_TABLES,
        *ACTION_FIGURES,
        *ACTION_REPORT,
    ]

# Reasoning traces of report before action, read by coders, and by people where files came back.
CODERS = list(SETTINGS.trace_coders)
TRACES = SETTINGS.report_action.traces if CODERS else None
TRACE_KEY = f"{RESULTS}/traces/key.parquet"
TRACE_SHEET = f"{RESULTS}/traces/sheet.csv"
TRACE_PLACES = f"{RESULTS}/traces/sheet_key.parquet"
HUMAN_CODES = f"{RESULTS}/traces/human.parquet"
TRACE_CODEBOOK = "resources/trace_codebook.csv"
BLIND_TRACES = f"{RESULTS}/blind/traces.parquet"
BLIND_TRACE_TESTS = f"{RESULTS}/blind/trace_tests.parquet"
TRACE_CODES = f"{RESULTS}/traces/{{coder}}/{{traced}}.parquet"
ALL_TRACE_CODES = expand(TRACE_CODES, coder=CODERS, traced=TRACE_TOPICS)
RETURNED_TRACES = returned_sheets(TRACES.returned) if TRACES and TRACES.returned else []
TRACE_FILES = []
if TRACES:
    TRACE_FILES = [TRACE_KEY, BLIND_TRACES, BLIND_TRACE_TESTS]
    if TRACES.human_sample:
        TRACE_FILES += [
            TRACE_SHEET,
            TRACE_PLACES,
            f"{RESULTS}/traces/codebook.md",
        ]
    TRACE_FILES += [HUMAN_CODES] if RETURNED_TRACES else []

# The treasure game: pairs of its own, in one window.
PAIRS = {pair.name: pair for pair in SETTINGS.mosaic_pairs}
GAME_LOGS = {
    log: f"{RESULTS}/mosaic/{{pair}}/{{condition}}.{log}.parquet"
    for log in ("trials", "steps", "utterances", "calls")
}
ALL_GAME_LOGS = {
    log: expand(path, pair=PAIRS, condition=MOSAIC_CONDITIONS)
    for log, path in GAME_LOGS.items()
}

# The reference agent and what is taken from it, by the pairs in which each plays itself.
ABLATIONS = [f"{slug}+{slug}" for slug in SETTINGS.mosaic.ablations] if PAIRS else []
CARD = {}
GAME_FAMILIES = {}
# Those with something to be read: prompts, replies, and what was read from them.
ASKED_PAIRS = [name for name, pair in PAIRS.items() if SETTINGS.mosaic_models(pair)]
GAME_TABLES, GAME_FIGURES = [], []
if PAIRS:
    GAME_FAMILIES = {
        slug: REGISTRY.models[slug].family for slug in SETTINGS.mosaic_testers
    } | {slug: agent.policy for slug, agent in SETTINGS.mosaic.agents.items()}
    game_tables = "table2 table3 table4 table5 table6 table7 signals frames untested"
    GAME_TABLES = [
        *game_tables.split(),
        *(["ablations"] if len(ABLATIONS) > 1 else []),
        # Beside the paper's values stands a run with at least one of its models, none else.
        *(["published"] if printed_players(PAIRS.values()) else []),
    ]
    GAME_FIGURES = ["figure2", "figure3", "figure5", "figure6"]
    if card := SETTINGS.mosaic.card:
        pair = MosaicPair(
            subject=card.subject, participant=card.participant, arm=card.arm
        )
        if pair.name in PAIRS:
            CARD = dict(pair=pair.name, condition=card.condition)

# Testers that take part in everything, with the arm in which each plays itself.
JOINT_GAMES, JOINT_EFFECT = [], {}
if WITH_TRIANGLES and WITH_ACTION:
    alone = {
        pair.subject: pair.arm
        for pair in reversed(PAIRS.values())
        if pair.subject == pair.participant
    }
    JOINT_GAMES = [
        dict(tester=tester, arm=alone[tester])
        for tester in TESTERS
        if tester in alone and tester in ACTION_TESTERS
    ]
    JOINT_EFFECT = report_effect(SETTINGS.report_action)
WITH_JOINT = bool(JOINT_GAMES and JOINT_EFFECT)

# Every file of one tester or one judge: asked for beside the products, so that a deleted one is
# noticed even where Snakemake would call the product made from it up to date.
TESTER_FILES = [
    *ALL_REPLIES,
    *expand(OUTCOMES, tester=TESTERS, experiment=EXPERIMENTS),
    *ALL_VERDICTS,
    *ALL_EXEMPLAR_VERDICTS,
    *ALL_REPRESENTATION_REPLIES,
    *ALL_REPRESENTATION_DESCRIPTIONS,
    *ALL_REPRESENTATION_VERDICTS,
    *ALL_ACTION_REPLIES,
    *ALL_ACTION_OUTCOMES,
    *ALL_TRACE_CODES,
    *[path for paths in ALL_GAME_LOGS.values() for path in paths],
]
TABLE_NAMES = ["costs", "timing", *(["table1", "table2"] if WITH_DIRECTOR else [])]
if {"no_occluder", "same_side"} & set(DIRECTOR_ARMS):
    TABLE_NAMES += ["table3"]
if "four_block" in DIRECTOR_ARMS:
    TABLE_NAMES += ["table4"]
if len(DIRECTOR_ARMS) > 1:
    TABLE_NAMES += ["director_arms", "director_contrasts"]
FIGURE_NAMES = ["timing"] + (["figure2"] if WITH_DIRECTOR else [])
TRIANGLES_FILES = []
if WITH_TRIANGLES:
    TABLE_NAMES += ["table5", "table7", "table8", "table11"]
    TABLE_NAMES += ["anchors_wide", "sensitivity", "intervals", "length"]
    TABLE_NAMES += ["judge_family", "judge_left_out", "judge_agreement"]
    TABLE_NAMES += ["judge_battery", "table13"] if SETTINGS.battery else []
    TABLE_NAMES += ["rating_agreement"] if RETURNED else []
    TABLE_NAMES += SETTINGS.arm_tables
    TABLE_NAMES += ["table12"] if WITH_REPRESENTATIONS else []
    FIGURE_NAMES += ["figure3", "figure4", "figure5", *SETTINGS.arm_figures]
    TRIANGLES_FILES = [
        *CLIPS,
        f"{RESULTS}/clips/frames.parquet",
        f"{RESULTS}/clips/kinematics.parquet",
        *expand(f"{RESULTS}/stimuli/triangles/sheet.{{arm}}.png", arm=TRIANGLES_ARMS),
        *expand(BLIND, arm=TRIANGLES_ARMS),
        PROFILES,
        *expand(f"{RESULTS}/tables/panel.{{form}}", form=["parquet", "csv"]),
        *([RATING_SHEET, RATING_KEY] if RATING else []),
        *([RATINGS] if RETURNED else []),
    ]
    FIGURE_NAMES += ["figure1"]
# Beside the paper's values stands a run with at least one of the paper's testers, none else.
if WITH_DIRECTOR and {t for t in TESTERS if REGISTRY.models[t].kind == "model"} & {
    *published_panel(read_published())
}:
    TABLE_NAMES += ["published"]
TABLE_NAMES += [f"mosaic_{name}" for name in GAME_TABLES]
FIGURE_NAMES += [f"mosaic_{name}" for name in GAME_FIGURES]
FIGURE_NAMES += ["mosaic_card"] if CARD else []
if WITH_JOINT:
    TABLE_NAMES += ["joint_cards"]
    FIGURE_NAMES += ["joint_cards"]
if TRACES:
    TABLE_NAMES += ["report_action_coder_gate", "report_action_coding"]
    TABLE_NAMES += ["report_action_traces"]
    FIGURE_NAMES += ["report_action_traces"]
TABLES = expand(
    f"{RESULTS}/tables/{{name}}.{{form}}",
    name=TABLE_NAMES,
    form=["tex", "parquet", "csv"],
)
FIGURES = expand(
    f"{RESULTS}/figures/{{name}}.{{form}}", name=FIGURE_NAMES, form=["pdf", "png"]
)
REPORT = [
    f"{RESULTS}/report/index.html",
    f"{RESULTS}/report/pictures.css",
    *expand(f"{RESULTS}/report/{{tester}}.html", tester=TESTERS),
]
GAME_FILES = [f"{RESULTS}/figures/mosaic_film.mp4"] if CARD else []
GAME_FILES += [f"{RESULTS}/report/joint.html"] if WITH_JOINT else []
GAME_FILES += [f"{RESULTS}/report/mosaic.html"] if PAIRS else []
GAME_FILES += expand(
    f"{RESULTS}/report/mosaic.{{pair}}.{{form}}", pair=ASKED_PAIRS, form=["html", "css"]
)
CODEBOOK = f"{RESULTS}/codebook.csv"
MANIFEST = f"{RESULTS}/manifest.parquet"
# Pictures of all stimuli at a glance, by what ran.
SHEET_NAMES = {
    "director": DIRECTOR_ARMS,
    "triangles": TRIANGLES_ARMS,
    "report_action": list(SETTINGS.report_action.sets) if WITH_ACTION else [],
}
STIMULI = [
    *expand([PICTURES, ITEMS, KEYS], experiment=EXPERIMENTS),
    *expand(f"{RESULTS}/stimuli/director/sheet.{{arm}}.png", arm=DIRECTOR_ARMS),
]
PRODUCTS = [
    *STIMULI,
    *expand(CELLS, experiment=EXPERIMENTS),
    *TRIANGLES_FILES,
    *REPRESENTATION_FILES,
    *ACTION_FILES,
    *TRACE_FILES,
    *GAME_FILES,
    *TABLES,
    *FIGURES,
    *REPORT,
    CODEBOOK,
]

REFERENCES = SETTINGS.references
REFERENCES_SHA256 = references_digest(REFERENCES)
RUBRIC = "resources/rubric.csv"
# What the informed overlay tells judges is locked: always of the file that comes along.
TOLD_REFERENCES = "resources/references.csv"
# Of the file that the configuration names; that it is not there is said by the rule that reads it.
EXEMPLARS_SHA256 = (
    sha256_file(SETTINGS.judging.exemplars)
    if os.path.exists(SETTINGS.judging.exemplars)
    else "none"
)

# What captions say of the animated triangles' numbers; the numbered arm is the canonical one.
SOURCE = dict(
    panel=panel_of(*EXPERIMENTS),
    trials=SETTINGS.triangles.arms["numbered"].trials if WITH_TRIANGLES else 0,
    rubric_sha256=sha256_file(RUBRIC),
    stimulus_source=(
        clip_sources(SETTINGS.triangles.clips) if WITH_TRIANGLES else "none"
    ),
    overlay="blinded",
    judge_kinds=[REGISTRY.models[judge].kind for judge in JUDGES],
)


def gone(outputs, inputs):
    """A parameter that makes a missing input count as a change while the output is there.

    Snakemake takes no notice of a deleted (or, after a failed rerun, removed) file as long as the
    file made from it exists. outputs, inputs: patterns; inputs may also be a function of wildcards.
    It is a function of wildcards alone: Snakemake does not record parameters that are derived
    from the input.
    """

    def missing(wildcards):
        named = dict(wildcards.items())
        if not all(os.path.exists(path.format(**named)) for path in outputs):
            return 0
        paths = inputs(wildcards) if callable(inputs) else inputs
        named_paths = [path.format(**named) for path in paths]
        return sum(
            not os.path.exists(path) and not asking_windows.is_new(path)
            for path in named_paths
        )

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
    tester = next(
        found
        for name in ("tester", "viewer", "reporter")
        if (found := wildcards.get(name))
    )
    endpoint = REGISTRY.endpoints[REGISTRY.models[tester].endpoint]
    # An observer's code is its weights: editing it makes another tester of it.
    rooms = OBSERVER_CODE if endpoint.kind == "embedded" else []
    return digest(
        *("calls", "jobs", "store", "leaving.py", "wall.py", "settings"),
        *("report_action/__init__.py", "report_action/prompts.py"),  # by the settings
        *("mosaic/__init__.py", "mosaic/world.py"),
        *rooms,
    )


def play_journals(wildcards):
    """The journals that a pair's models write in a condition, by the first file of each."""
    pair = PAIRS[wildcards.pair]
    return [
        f"{RESULTS}/replies/{tester}/journal/mosaic.{pair.name}.{wildcards.condition}.w1.0001.jsonl"
        for tester in SETTINGS.mosaic_models(pair)
    ]


def play_params(wildcards):
    """What a playing job is given: the game, the pair, and the entries of its models."""
    pair = PAIRS[wildcards.pair]
    return play_spec(SETTINGS, REGISTRY, pair, wildcards.condition).model_dump_json()


def play_code(wildcards):
    """Digest of the code behind a playing job."""
    models = SETTINGS.mosaic_models(PAIRS[wildcards.pair])
    endpoints = (REGISTRY.endpoints[REGISTRY.models[slug].endpoint] for slug in models)
    observed = any(endpoint.kind == "embedded" for endpoint in endpoints)
    return digest(
        *("calls", "jobs", "store", "leaving.py", "wall.py", "settings"),
        *("mosaic", "parsing", "palette.py", "rendering"),
        *("stats/__init__.py", "stats/exact.py", "stats/rounding.py"),
        *("report_action/__init__.py", "report_action/prompts.py"),  # by the settings
        *(OBSERVER_CODE if observed else []),
    )


def judge_params(wildcards):
    """What a verdict job is given: its own judge's entry and its own endpoint."""
    spec = judge_spec(
        SETTINGS,
        REGISTRY,
        judge=wildcards.judge,
        overlay=wildcards.overlay,
        arm=wildcards.arm,
    )
    return spec.model_dump_json()


def judge_code(wildcards):
    """Digest of the code behind a verdict job, and of the rubric. wildcards: its judge's name."""
    judge = wildcards.get("judge") or wildcards.get("rated") or wildcards.get("scorer")
    endpoint = REGISTRY.endpoints[REGISTRY.models[judge].endpoint]
    rooms = OBSERVER_CODE if endpoint.kind == "embedded" else []
    return digest(
        "judging",
        "parsing",
        "palette.py",
        "calls",
        "jobs",
        "store",
        "leaving.py",
        "wall.py",
        "settings",
        "report_action/__init__.py",  # by the settings
        "report_action/prompts.py",
        "mosaic/__init__.py",
        "mosaic/world.py",
        RUBRIC,
        *rooms,
    )


def trace_code(wildcards):
    """Digest of the code behind a job that codes traces, and of the codebook."""
    endpoint = REGISTRY.endpoints[REGISTRY.models[wildcards.coder].endpoint]
    rooms = OBSERVER_CODE if endpoint.kind == "embedded" else []
    return digest(
        "report_action",
        "judging",
        "stats",
        "triangles/__init__.py",
        "triangles/cells.py",
        "parsing",
        "palette.py",
        "calls",
        "jobs",
        "store",
        "leaving.py",
        "wall.py",
        "settings",
        "mosaic/__init__.py",  # by the settings
        "mosaic/world.py",
        TRACE_CODEBOOK,
        *rooms,
    )


def packed_beside_results(wildcards):
    """Digest of code, docs, resources and configuration that a release carries.

    Asked for where a release is, and imported there: other runs need none of it.
    """
    from vlmtom.commands.packing import sources_digest

    return sources_digest(SETTINGS, REGISTRY, SETTINGS.release.raw)
