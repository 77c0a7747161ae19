# What goes into a paper, and what makes it checkable.
rule codebook:
    output:
        codebook=CODEBOOK,
    log:
        f"{LOGS}/codebook.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        code=digest("store/schemas", "workflow/scripts/codebook.py"),
    script:
        "../workflow/scripts/codebook.py"


rule manifest:
    input:
        TESTER_FILES,
        PRODUCTS,
    output:
        manifest=MANIFEST,
    log:
        f"{LOGS}/manifest.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        gone=gone([MANIFEST], [*TESTER_FILES, *PRODUCTS]),
        code=digest("store/manifest.py", "workflow/scripts/manifest.py"),
    script:
        "../workflow/scripts/manifest.py"


rule report:
    input:
        replies=ALL_REPLIES,
        outcomes=expand(OUTCOMES, tester=TESTERS, experiment=EXPERIMENTS),
        verdicts=ALL_VERDICTS,
        item_files=expand(ITEMS, experiment=EXPERIMENTS),
        pictures=expand(PICTURES, experiment=EXPERIMENTS),
        key_files=expand(KEYS, experiment=EXPERIMENTS),
        tables=expand(f"{RESULTS}/tables/{{name}}.csv", name=TABLE_NAMES),
        figures=expand(f"{RESULTS}/figures/{{name}}.png", name=FIGURE_NAMES),
    output:
        index=f"{RESULTS}/report/index.html",
        pictures=f"{RESULTS}/report/pictures.css",
        pages=expand(f"{RESULTS}/report/{{tester}}.html", tester=TESTERS),
    log:
        f"{LOGS}/report.log",
    conda:
        "../envs/vlmtom.yaml"
    resources:
        mem_mb=1500,
    params:
        panel=panel_of(*EXPERIMENTS),
        testers={tester: REGISTRY.models[tester].kind for tester in TESTERS},
        experiments=EXPERIMENTS,
        pages=[
            *(["representations"] if WITH_REPRESENTATIONS else []),
            *(["report_action"] if WITH_ACTION else []),
            *(["mosaic"] if PAIRS else []),
            *(["joint"] if WITH_JOINT else []),
        ],
        sheets=SHEET_NAMES,
        gone=gone(
            [f"{RESULTS}/report/index.html"],
            [*TESTER_FILES, *STIMULI, *TABLES, *FIGURES],
        ),
        code=digest(*PUBLISHING, "workflow/scripts/report.py"),
    script:
        "../workflow/scripts/report.py"


# Calls of the treasure game, of pairs with a model; whose kind is not their pair's.
GAME_CALLS = [
    path.format(pair=name, condition=condition)
    for path in [GAME_LOGS["calls"]]
    for name, pair in PAIRS.items()
    if SETTINGS.mosaic_models(pair)
    for condition in MOSAIC_CONDITIONS
]
GAME_KINDS = {slug: REGISTRY.models[slug].kind for slug in SETTINGS.mosaic_testers}


rule costs:
    input:
        replies=[*ALL_REPLIES, *ALL_REPRESENTATION_REPLIES, *ALL_ACTION_REPLIES],
        calls=GAME_CALLS,
        verdicts=ALL_VERDICTS,
        several_verdicts=[*ALL_EXEMPLAR_VERDICTS, *ALL_REPRESENTATION_VERDICTS],
        codes=ALL_TRACE_CODES,
    output:
        tex=f"{RESULTS}/tables/costs.tex",
        parquet=f"{RESULTS}/tables/costs.parquet",
        csv=f"{RESULTS}/tables/costs.csv",
    log:
        f"{LOGS}/costs.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        panel=panel_of(*EXPERIMENTS),
        gone=gone(
            [f"{RESULTS}/tables/costs.tex"],
            [
                *ALL_REPLIES,
                *ALL_VERDICTS,
                *ALL_EXEMPLAR_VERDICTS,
                *ALL_REPRESENTATION_REPLIES,
                *ALL_ACTION_REPLIES,
                *ALL_REPRESENTATION_VERDICTS,
                *ALL_TRACE_CODES,
                *GAME_CALLS,
            ],
        ),
        kinds=GAME_KINDS,
        code=digest(*PUBLISHING, "settings", "workflow/scripts/costs.py"),
    script:
        "../workflow/scripts/costs.py"


rule timing:
    input:
        replies=[*ALL_REPLIES, *ALL_REPRESENTATION_REPLIES, *ALL_ACTION_REPLIES],
        calls=GAME_CALLS,
    output:
        tex=f"{RESULTS}/tables/timing.tex",
        parquet=f"{RESULTS}/tables/timing.parquet",
        csv=f"{RESULTS}/tables/timing.csv",
        pdf=f"{RESULTS}/figures/timing.pdf",
        png=f"{RESULTS}/figures/timing.png",
    log:
        f"{LOGS}/timing.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        panel=panel_of(*EXPERIMENTS),
        gone=gone(
            [f"{RESULTS}/tables/timing.tex"],
            [
                *ALL_REPLIES,
                *ALL_REPRESENTATION_REPLIES,
                *ALL_ACTION_REPLIES,
                *GAME_CALLS,
            ],
        ),
        kinds=GAME_KINDS,
        code=digest(*PUBLISHING, "settings", "workflow/scripts/timing.py"),
    script:
        "../workflow/scripts/timing.py"
