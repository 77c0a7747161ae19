# A card for each tester that took part in every experiment.
JOINED = dict(
    intervals=f"{RESULTS}/tables/intervals.parquet",
    estimates=f"{RESULTS}/tables/report_action_estimates.parquet",
    signals=f"{RESULTS}/tables/mosaic_signals.parquet",
)


rule joint_cards:
    input:
        **JOINED,
    output:
        tex=f"{RESULTS}/tables/joint_cards.tex",
        parquet=f"{RESULTS}/tables/joint_cards.parquet",
        csv=f"{RESULTS}/tables/joint_cards.csv",
        pdf=f"{RESULTS}/figures/joint_cards.pdf",
        png=report(
            f"{RESULTS}/figures/joint_cards.png",
            caption="../workflow/report/joint_cards.rst",
            category="Every experiment",
        ),
        page=f"{RESULTS}/report/joint.html",
    log:
        f"{LOGS}/joint_cards.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        games=JOINT_GAMES,
        effect=JOINT_EFFECT,
        links={
            game["tester"]: [
                f"{game['tester']}.html",
                "report_action.html",
                "mosaic.html",
            ]
            for game in JOINT_GAMES
        },
        gone=gone([f"{RESULTS}/tables/joint_cards.tex"], [*JOINED.values()]),
        code=digest(
            *PUBLISHING, "mosaic", "report_action", "workflow/scripts/joint_cards.py"
        ),
    script:
        "../workflow/scripts/joint_cards.py"
