# The paper beside the run: what it prints, the benchmarks before it, and the design at a glance.
#
# Tables of this run that printed values are compared with; more than TABLE_NAMES holds `panel`.
COMPARED = [
    f"{RESULTS}/tables/{name}.parquet"
    for name in PUBLISHED_READ
    if name in TABLE_NAMES or (name == "panel" and WITH_TRIANGLES)
]
BENCHMARKS = "resources/benchmarks.csv"


rule table1:
    input:
        benchmarks=ancient(BENCHMARKS),
    output:
        tex=report(
            f"{RESULTS}/tables/table1.tex",
            caption="../workflow/report/table1.rst",
            category="Both tasks",
        ),
        parquet=f"{RESULTS}/tables/table1.parquet",
        csv=f"{RESULTS}/tables/table1.csv",
    log:
        f"{LOGS}/table1.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        code=digest(*PUBLISHING, BENCHMARKS, "workflow/scripts/table1.py"),
    script:
        "../workflow/scripts/table1.py"


if WITH_DIRECTOR:

    rule published:
        input:
            tables=COMPARED,
        output:
            tex=report(
                f"{RESULTS}/tables/published.tex",
                caption="../workflow/report/published.rst",
                category="Both tasks",
            ),
            parquet=f"{RESULTS}/tables/published.parquet",
            csv=f"{RESULTS}/tables/published.csv",
        log:
            f"{LOGS}/published.log",
        conda:
            "../envs/vlmtom.yaml"
        params:
            published="resources/published",
            source=SOURCE,
            director_trials=SETTINGS.director.arms["canonical"].trials,
            gone=gone([f"{RESULTS}/tables/published.tex"], COMPARED),
            code=digest(
                *PUBLISHING, "resources/published", "workflow/scripts/published.py"
            ),
        script:
            "../workflow/scripts/published.py"


if WITH_TRIANGLES:

    rule figure1:
        input:
            director_pictures=PICTURES.format(experiment="director"),
            director_items=ITEMS.format(experiment="director"),
            director_keys=KEYS.format(experiment="director"),
            triangles_pictures=PICTURES.format(experiment="triangles"),
            triangles_items=ITEMS.format(experiment="triangles"),
            triangles_keys=KEYS.format(experiment="triangles"),
            references=ancient(REFERENCES),
        output:
            pdf=f"{RESULTS}/figures/figure1.pdf",
            png=report(
                f"{RESULTS}/figures/figure1.png",
                caption="../workflow/report/figure1.rst",
                category="Both tasks",
            ),
        log:
            f"{LOGS}/figure1.log",
        conda:
            "../envs/vlmtom.yaml"
        params:
            gone=gone(
                [f"{RESULTS}/figures/figure1.pdf"],
                expand([PICTURES, ITEMS, KEYS], experiment=["director", "triangles"]),
            ),
            references=REFERENCES_SHA256,
            code=digest(*PUBLISHING, "workflow/scripts/figure1.py"),
        script:
            "../workflow/scripts/figure1.py"
