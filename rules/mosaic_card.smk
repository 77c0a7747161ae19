# One trial as a card and as a film.
rule mosaic_card:
    input:
        **{log: path.format(**CARD) for log, path in GAME_LOGS.items()},
    output:
        pdf=f"{RESULTS}/figures/mosaic_card.pdf",
        png=report(
            f"{RESULTS}/figures/mosaic_card.png",
            caption="../workflow/report/mosaic_card.rst",
            category="Treasure game",
        ),
    log:
        f"{LOGS}/mosaic_card.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=dict(panel=SETTINGS.panel, trials=SETTINGS.mosaic.trials),
        trial=SETTINGS.mosaic.card.trial,
        gone=gone(
            [f"{RESULTS}/figures/mosaic_card.pdf"],
            [path.format(**CARD) for path in GAME_LOGS.values()],
        ),
        code=digest(
            *PUBLISHING,
            "mosaic",
            "rendering",
            "settings",
            "workflow/scripts/mosaic_card.py",
        ),
    script:
        "../workflow/scripts/mosaic_card.py"


rule mosaic_film:
    input:
        **{log: path.format(**CARD) for log, path in GAME_LOGS.items()},
    output:
        mp4=f"{RESULTS}/figures/mosaic_film.mp4",
    log:
        f"{LOGS}/mosaic_film.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=dict(panel=SETTINGS.panel, trials=SETTINGS.mosaic.trials),
        trial=SETTINGS.mosaic.card.trial,
        gone=gone(
            [f"{RESULTS}/figures/mosaic_film.mp4"],
            [path.format(**CARD) for path in GAME_LOGS.values()],
        ),
        code=digest(
            *PUBLISHING,
            "mosaic",
            "rendering",
            "triangles/film.py",
            "settings",
            "workflow/scripts/mosaic_film.py",
        ),
    script:
        "../workflow/scripts/mosaic_film.py"
