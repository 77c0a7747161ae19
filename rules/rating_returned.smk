# What people gave who rated, and how far judges agree with them.
rule ratings:
    input:
        key=RATING_KEY,
        returned=ancient(RETURNED),
    output:
        ratings=RATINGS,
    log:
        f"{LOGS}/ratings.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        # By content: a file that was only copied anew changes nothing.
        returned={path: sha256_file(path) for path in RETURNED},
        gone=gone([RATINGS], [RATING_KEY]),
        code=digest("rating", "parsing", "palette.py", "workflow/scripts/ratings.py"),
    script:
        "../workflow/scripts/ratings.py"


rule rating_agreement:
    input:
        key=RATING_KEY,
        ratings=RATINGS,
        verdicts=CANONICAL_VERDICTS,
    output:
        tex=report(
            f"{RESULTS}/tables/rating_agreement.tex",
            caption="../workflow/report/rating_agreement.rst",
            category="Judges",
        ),
        parquet=f"{RESULTS}/tables/rating_agreement.parquet",
        csv=f"{RESULTS}/tables/rating_agreement.csv",
    log:
        f"{LOGS}/rating_agreement.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        judges={judge: REGISTRY.models[judge].kind for judge in JUDGES},
        seed=SETTINGS.seed,
        gone=gone(
            [f"{RESULTS}/tables/rating_agreement.tex"],
            [RATING_KEY, RATINGS, *CANONICAL_VERDICTS],
        ),
        code=digest(*PUBLISHING, "workflow/scripts/rating_agreement.py"),
    script:
        "../workflow/scripts/rating_agreement.py"
