# The Director Task: scenes, keys, outcomes, cells.
DIRECTOR_STIMULI = dict(
    pictures=PICTURES.format(experiment="director"),
    item_file=ITEMS.format(experiment="director"),
    key_file=KEYS.format(experiment="director"),
)


rule director_stimuli:
    output:
        **DIRECTOR_STIMULI,
        sheets=expand(
            f"{RESULTS}/stimuli/director/sheet.{{arm}}.png", arm=DIRECTOR_ARMS
        ),
    log:
        f"{LOGS}/director_stimuli.log",
    conda:
        "../envs/vlmtom.yaml"
    resources:
        mem_mb=1500,
        runtime=60,
    params:
        arms={
            name: arm.model_dump(exclude={"testers"})
            for name, arm in SETTINGS.director.arms.items()
        },
        seed=SETTINGS.seed,
        locks=SETTINGS.locks,
        locked=locks_digest(SETTINGS.locks, ("director/",)),
        code=digest(
            "director",
            "tabletop",
            "rendering",
            "settings",
            "palette.py",
            "stats",
            "workflow/scripts/director_stimuli.py",
        ),
    script:
        "../workflow/scripts/director_stimuli.py"


rule director_outcomes:
    input:
        replies=replies_of("director"),
        key_file=DIRECTOR_STIMULI["key_file"],
    output:
        outcomes=OUTCOMES.replace("{experiment}", "director"),
    log:
        f"{LOGS}/director_outcomes/{{tester}}.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        gone=gone(
            [OUTCOMES.replace("{experiment}", "director")],
            lambda wildcards: [
                DIRECTOR_STIMULI["key_file"],
                *replies_of("director")(wildcards),
            ],
        ),
        code=digest(
            "director",
            "stats",
            "parsing",
            "palette.py",
            "workflow/scripts/director_outcomes.py",
        ),
    script:
        "../workflow/scripts/director_outcomes.py"


rule director_cells:
    input:
        outcomes=expand(OUTCOMES, tester=TESTERS, experiment="director"),
    output:
        cells=CELLS.format(experiment="director"),
    log:
        f"{LOGS}/director_cells.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        allow_missing=SETTINGS.allow_missing,
        gone=gone(
            [CELLS.format(experiment="director")],
            expand(OUTCOMES, tester=TESTERS, experiment="director"),
        ),
        code=digest(
            "director/__init__.py",
            "director/cells.py",
            "stats",
            "workflow/scripts/director_cells.py",
        ),
    script:
        "../workflow/scripts/director_cells.py"


rule table2:
    input:
        cells=CELLS.format(experiment="director"),
    output:
        tex=report(
            f"{RESULTS}/tables/table2.tex",
            caption="../workflow/report/table2.rst",
            category="Director Task",
        ),
        parquet=f"{RESULTS}/tables/table2.parquet",
        csv=f"{RESULTS}/tables/table2.csv",
    log:
        f"{LOGS}/table2.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        panel=panel_of("director"),
        trials=SETTINGS.director.arms["canonical"].trials,
        gone=gone(
            [f"{RESULTS}/tables/table2.tex"], [CELLS.format(experiment="director")]
        ),
        code=digest(*PUBLISHING, "workflow/scripts/table2.py"),
    script:
        "../workflow/scripts/table2.py"


rule figure2:
    input:
        table=f"{RESULTS}/tables/table2.parquet",
    output:
        pdf=f"{RESULTS}/figures/figure2.pdf",
        png=report(
            f"{RESULTS}/figures/figure2.png",
            caption="../workflow/report/figure2.rst",
            category="Director Task",
        ),
    log:
        f"{LOGS}/figure2.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        panel=panel_of("director"),
        trials=SETTINGS.director.arms["canonical"].trials,
        gone=gone(
            [f"{RESULTS}/figures/figure2.pdf"], [f"{RESULTS}/tables/table2.parquet"]
        ),
        code=digest(*PUBLISHING, "workflow/scripts/figure2.py"),
    script:
        "../workflow/scripts/figure2.py"
