# The arms of the animated triangles side by side: how much is in motion, order, badges, and in
# what judges are told.


rule table6:
    input:
        cells=CELLS.format(experiment="triangles"),
        references=ancient(REFERENCES),
    output:
        tex=report(
            f"{RESULTS}/tables/table6.tex",
            caption="../workflow/report/table6.rst",
            category="Animated triangles",
        ),
        parquet=f"{RESULTS}/tables/table6.parquet",
        csv=f"{RESULTS}/tables/table6.csv",
    log:
        f"{LOGS}/table6.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        trials=ARM_TRIALS,
        gone=gone(
            [f"{RESULTS}/tables/table6.tex"],
            [CELLS.format(experiment="triangles")],
        ),
        references=REFERENCES_SHA256,
        code=digest(*PUBLISHING, "workflow/scripts/table6.py"),
    script:
        "../workflow/scripts/table6.py"


rule table9:
    input:
        cells=CELLS.format(experiment="triangles"),
        references=ancient(REFERENCES),
    output:
        tex=report(
            f"{RESULTS}/tables/table9.tex",
            caption="../workflow/report/table9.rst",
            category="Animated triangles",
        ),
        parquet=f"{RESULTS}/tables/table9.parquet",
        csv=f"{RESULTS}/tables/table9.csv",
    log:
        f"{LOGS}/table9.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        trials=ARM_TRIALS,
        gone=gone(
            [f"{RESULTS}/tables/table9.tex"],
            [CELLS.format(experiment="triangles")],
        ),
        references=REFERENCES_SHA256,
        code=digest(*PUBLISHING, "workflow/scripts/table9.py"),
    script:
        "../workflow/scripts/table9.py"


rule table10:
    input:
        cells=CELLS.format(experiment="triangles"),
        references=ancient(REFERENCES),
    output:
        tex=report(
            f"{RESULTS}/tables/table10.tex",
            caption="../workflow/report/table10.rst",
            category="Animated triangles",
        ),
        parquet=f"{RESULTS}/tables/table10.parquet",
        csv=f"{RESULTS}/tables/table10.csv",
    log:
        f"{LOGS}/table10.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        trials=ARM_TRIALS,
        gone=gone(
            [f"{RESULTS}/tables/table10.tex"],
            [CELLS.format(experiment="triangles")],
        ),
        references=REFERENCES_SHA256,
        code=digest(*PUBLISHING, "workflow/scripts/table10.py"),
    script:
        "../workflow/scripts/table10.py"


rule figure_arms:
    input:
        profiles=PROFILES,
        ranks=f"{RESULTS}/tables/table11.parquet",
        references=ancient(REFERENCES),
    output:
        pdf=f"{RESULTS}/figures/arms.pdf",
        png=report(
            f"{RESULTS}/figures/arms.png",
            caption="../workflow/report/figure_arms.rst",
            category="Animated triangles",
        ),
    log:
        f"{LOGS}/figure_arms.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        trials=ARM_TRIALS,
        testers=TESTERS,
        gone=gone(
            [f"{RESULTS}/figures/arms.pdf"],
            [PROFILES, f"{RESULTS}/tables/table11.parquet"],
        ),
        references=REFERENCES_SHA256,
        code=digest(*PUBLISHING, "workflow/scripts/figure_arms.py"),
    script:
        "../workflow/scripts/figure_arms.py"
