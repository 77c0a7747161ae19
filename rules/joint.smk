# The joint result: profiles against reference groups, and both tasks together.


rule table5:
    input:
        cells=CELLS.format(experiment="triangles"),
        references=ancient(REFERENCES),
    output:
        tex=report(
            f"{RESULTS}/tables/table5.tex",
            caption="../workflow/report/table5.rst",
            category="Animated triangles",
        ),
        parquet=f"{RESULTS}/tables/table5.parquet",
        csv=f"{RESULTS}/tables/table5.csv",
    log:
        f"{LOGS}/table5.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        gone=gone(
            [f"{RESULTS}/tables/table5.tex"],
            [CELLS.format(experiment="triangles")],
        ),
        references=REFERENCES_SHA256,
        code=digest(*PUBLISHING, "workflow/scripts/table5.py"),
    script:
        "../workflow/scripts/table5.py"


rule table7:
    input:
        cells=CELLS.format(experiment="triangles"),
        references=ancient(REFERENCES),
    output:
        tex=report(
            f"{RESULTS}/tables/table7.tex",
            caption="../workflow/report/table7.rst",
            category="Animated triangles",
        ),
        parquet=f"{RESULTS}/tables/table7.parquet",
        csv=f"{RESULTS}/tables/table7.csv",
    log:
        f"{LOGS}/table7.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        gone=gone(
            [f"{RESULTS}/tables/table7.tex"],
            [CELLS.format(experiment="triangles")],
        ),
        references=REFERENCES_SHA256,
        code=digest(*PUBLISHING, "workflow/scripts/table7.py"),
    script:
        "../workflow/scripts/table7.py"


rule table8:
    input:
        cells=CELLS.format(experiment="triangles"),
        director_cells=CELLS.format(experiment="director"),
        references=ancient(REFERENCES),
    output:
        tex=report(
            f"{RESULTS}/tables/table8.tex",
            caption="../workflow/report/table8.rst",
            category="Both tasks",
        ),
        parquet=f"{RESULTS}/tables/table8.parquet",
        csv=f"{RESULTS}/tables/table8.csv",
        panel_parquet=f"{RESULTS}/tables/panel.parquet",
        panel_csv=f"{RESULTS}/tables/panel.csv",
    log:
        f"{LOGS}/table8.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        seed=SETTINGS.seed,
        resamples=2000,
        director_trials=SETTINGS.director.arms["canonical"].trials,
        gone=gone(
            [f"{RESULTS}/tables/table8.tex"],
            expand(CELLS, experiment=["director", "triangles"]),
        ),
        references=REFERENCES_SHA256,
        code=digest(*PUBLISHING, "workflow/scripts/table8.py"),
    script:
        "../workflow/scripts/table8.py"


rule table11:
    input:
        cells=CELLS.format(experiment="triangles"),
    output:
        tex=report(
            f"{RESULTS}/tables/table11.tex",
            caption="../workflow/report/table11.rst",
            category="Animated triangles",
        ),
        parquet=f"{RESULTS}/tables/table11.parquet",
        csv=f"{RESULTS}/tables/table11.csv",
    log:
        f"{LOGS}/table11.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        trials=ARM_TRIALS,
        gone=gone(
            [f"{RESULTS}/tables/table11.tex"],
            [CELLS.format(experiment="triangles")],
        ),
        code=digest(*PUBLISHING, "workflow/scripts/table11.py"),
    script:
        "../workflow/scripts/table11.py"


rule figure3:
    input:
        table=f"{RESULTS}/tables/table7.parquet",
        references=ancient(REFERENCES),
    output:
        pdf=f"{RESULTS}/figures/figure3.pdf",
        png=report(
            f"{RESULTS}/figures/figure3.png",
            caption="../workflow/report/figure3.rst",
            category="Animated triangles",
        ),
    log:
        f"{LOGS}/figure3.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        testers=TESTERS,
        gone=gone(
            [f"{RESULTS}/figures/figure3.pdf"],
            [f"{RESULTS}/tables/table7.parquet"],
        ),
        references=REFERENCES_SHA256,
        code=digest(*PUBLISHING, "workflow/scripts/figure3.py"),
    script:
        "../workflow/scripts/figure3.py"


rule figure4:
    input:
        table=f"{RESULTS}/tables/table8.parquet",
        references=ancient(REFERENCES),
    output:
        pdf=f"{RESULTS}/figures/figure4.pdf",
        png=report(
            f"{RESULTS}/figures/figure4.png",
            caption="../workflow/report/figure4.rst",
            category="Both tasks",
        ),
    log:
        f"{LOGS}/figure4.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        testers=TESTERS,
        director_trials=SETTINGS.director.arms["canonical"].trials,
        gone=gone(
            [f"{RESULTS}/figures/figure4.pdf"],
            [f"{RESULTS}/tables/table8.parquet"],
        ),
        references=REFERENCES_SHA256,
        code=digest(*PUBLISHING, "workflow/scripts/figure4.py"),
    script:
        "../workflow/scripts/figure4.py"


rule figure5:
    input:
        table=f"{RESULTS}/tables/table5.parquet",
        references=ancient(REFERENCES),
    output:
        pdf=f"{RESULTS}/figures/figure5.pdf",
        png=report(
            f"{RESULTS}/figures/figure5.png",
            caption="../workflow/report/figure5.rst",
            category="Animated triangles",
        ),
    log:
        f"{LOGS}/figure5.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        testers=TESTERS,
        gone=gone(
            [f"{RESULTS}/figures/figure5.pdf"],
            [f"{RESULTS}/tables/table5.parquet"],
        ),
        references=REFERENCES_SHA256,
        code=digest(*PUBLISHING, "workflow/scripts/figure5.py"),
    script:
        "../workflow/scripts/figure5.py"
