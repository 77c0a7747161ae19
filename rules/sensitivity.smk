# How firm the joint result is: wider anchors, other readings, intervals, length of descriptions.


rule anchors_wide:
    input:
        cells=CELLS.format(experiment="triangles"),
        director_cells=CELLS.format(experiment="director"),
        references=ancient(REFERENCES),
    output:
        tex=report(
            f"{RESULTS}/tables/anchors_wide.tex",
            caption="../workflow/report/anchors_wide.rst",
            category="Both tasks",
        ),
        parquet=f"{RESULTS}/tables/anchors_wide.parquet",
        csv=f"{RESULTS}/tables/anchors_wide.csv",
    log:
        f"{LOGS}/anchors_wide.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        seed=SETTINGS.seed,
        resamples=2000,
        director_trials=SETTINGS.director.arms["canonical"].trials,
        gone=gone(
            [f"{RESULTS}/tables/anchors_wide.tex"],
            expand(CELLS, experiment=["director", "triangles"]),
        ),
        references=REFERENCES_SHA256,
        code=digest(*PUBLISHING, "workflow/scripts/anchors_wide.py"),
    script:
        "../workflow/scripts/anchors_wide.py"


rule sensitivity:
    input:
        cells=CELLS.format(experiment="triangles"),
        director_cells=CELLS.format(experiment="director"),
        references=ancient(REFERENCES),
    output:
        tex=report(
            f"{RESULTS}/tables/sensitivity.tex",
            caption="../workflow/report/sensitivity.rst",
            category="Both tasks",
        ),
        parquet=f"{RESULTS}/tables/sensitivity.parquet",
        csv=f"{RESULTS}/tables/sensitivity.csv",
    log:
        f"{LOGS}/sensitivity.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        kinds=[REGISTRY.models[tester].kind for tester in TESTERS],
        gone=gone(
            [f"{RESULTS}/tables/sensitivity.tex"],
            expand(CELLS, experiment=["director", "triangles"]),
        ),
        references=REFERENCES_SHA256,
        code=digest(*PUBLISHING, "workflow/scripts/sensitivity.py"),
    script:
        "../workflow/scripts/sensitivity.py"


rule intervals:
    input:
        cells=CELLS.format(experiment="triangles"),
        director_cells=CELLS.format(experiment="director"),
        references=ancient(REFERENCES),
    output:
        tex=report(
            f"{RESULTS}/tables/intervals.tex",
            caption="../workflow/report/intervals.rst",
            category="Both tasks",
        ),
        parquet=f"{RESULTS}/tables/intervals.parquet",
        csv=f"{RESULTS}/tables/intervals.csv",
    log:
        f"{LOGS}/intervals.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        seed=SETTINGS.seed,
        resamples=2000,
        director_trials=SETTINGS.director.arms["canonical"].trials,
        gone=gone(
            [f"{RESULTS}/tables/intervals.tex"],
            expand(CELLS, experiment=["director", "triangles"]),
        ),
        references=REFERENCES_SHA256,
        code=digest(*PUBLISHING, "workflow/scripts/intervals.py"),
    script:
        "../workflow/scripts/intervals.py"


rule length:
    input:
        descriptions=ALL_DESCRIPTIONS,
        verdicts=CANONICAL_VERDICTS,
    output:
        tex=report(
            f"{RESULTS}/tables/length.tex",
            caption="../workflow/report/length.rst",
            category="Animated triangles",
        ),
        parquet=f"{RESULTS}/tables/length.parquet",
        csv=f"{RESULTS}/tables/length.csv",
    log:
        f"{LOGS}/length.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        gone=gone(
            [f"{RESULTS}/tables/length.tex"], [*ALL_DESCRIPTIONS, *CANONICAL_VERDICTS]
        ),
        code=digest(*PUBLISHING, "workflow/scripts/length.py"),
    script:
        "../workflow/scripts/length.py"
