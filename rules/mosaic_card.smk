# One trial as a card and as a film.
for name, forms in (("card", ("pdf", "png")), ("film", ("mp4",))):

    rule:
        name:
            f"mosaic_{name}"
        input:
            **{log: path.format(**CARD) for log, path in GAME_LOGS.items()},
        output:
            **{form: f"{RESULTS}/figures/mosaic_{name}.{form}" for form in forms},
        log:
            f"{LOGS}/mosaic_{name}.log",
        conda:
            "../envs/vlmtom.yaml"
        params:
            study=dict(panel=SETTINGS.panel, trials=SETTINGS.mosaic.trials),
            trial=SETTINGS.mosaic.card.trial,
            gone=gone(
                [f"{RESULTS}/figures/mosaic_{name}.{forms[0]}"],
                [path.format(**CARD) for path in GAME_LOGS.values()],
            ),
            code=digest(
                *PUBLISHING,
                "mosaic",
                "rendering",
                "triangles/film.py",
                "settings.py",
                f"workflow/scripts/mosaic_{name}.py",
            ),
        script:
            f"../workflow/scripts/mosaic_{name}.py"
