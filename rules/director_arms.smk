# The control arms of the Director Task: the floor, four blocks, and all arms side by side.
DIRECTOR_TRIALS = {name: arm.trials for name, arm in SETTINGS.director.arms.items()}


rule table3:
    input:
        cells=CELLS.format(experiment="director"),
    output:
        tex=report(
            f"{RESULTS}/tables/table3.tex",
            caption="../workflow/report/table3.rst",
            category="Director Task",
        ),
        parquet=f"{RESULTS}/tables/table3.parquet",
        csv=f"{RESULTS}/tables/table3.csv",
    log:
        f"{LOGS}/table3.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        panel=panel_of("director"),
        trials=DIRECTOR_TRIALS,
        gone=gone(
            [f"{RESULTS}/tables/table3.tex"], [CELLS.format(experiment="director")]
        ),
        code=digest(*PUBLISHING, "director/controls.py", "workflow/scripts/table3.py"),
    script:
        "../workflow/scripts/table3.py"


rule table4:
    input:
        cells=CELLS.format(experiment="director"),
    output:
        tex=report(
            f"{RESULTS}/tables/table4.tex",
            caption="../workflow/report/table4.rst",
            category="Director Task",
        ),
        parquet=f"{RESULTS}/tables/table4.parquet",
        csv=f"{RESULTS}/tables/table4.csv",
    log:
        f"{LOGS}/table4.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        panel=panel_of("director"),
        trials=DIRECTOR_TRIALS,
        gone=gone(
            [f"{RESULTS}/tables/table4.tex"], [CELLS.format(experiment="director")]
        ),
        code=digest(*PUBLISHING, "director/controls.py", "workflow/scripts/table4.py"),
    script:
        "../workflow/scripts/table4.py"


rule director_arms:
    input:
        cells=CELLS.format(experiment="director"),
    output:
        tex=report(
            f"{RESULTS}/tables/director_arms.tex",
            caption="../workflow/report/director_arms.rst",
            category="Director Task",
        ),
        parquet=f"{RESULTS}/tables/director_arms.parquet",
        csv=f"{RESULTS}/tables/director_arms.csv",
        contrasts_tex=f"{RESULTS}/tables/director_contrasts.tex",
        contrasts_parquet=f"{RESULTS}/tables/director_contrasts.parquet",
        contrasts_csv=f"{RESULTS}/tables/director_contrasts.csv",
    log:
        f"{LOGS}/director_arms.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        panel=panel_of("director"),
        trials=DIRECTOR_TRIALS,
        gone=gone(
            [f"{RESULTS}/tables/director_arms.tex"],
            [CELLS.format(experiment="director")],
        ),
        code=digest(
            *PUBLISHING, "director/controls.py", "workflow/scripts/director_arms.py"
        ),
    script:
        "../workflow/scripts/director_arms.py"
