# The treasure game's tables and figures, over all pairs.
GAME = SETTINGS.mosaic
GAME_STUDY = dict(panel=SETTINGS.panel, trials=GAME.trials)
GAME_TABLE = f"{RESULTS}/tables/mosaic_{{name}}"
GAME_FIGURE = f"{RESULTS}/figures/mosaic_{{name}}"
GAME_TRIALS, GAME_STEPS = ALL_GAME_LOGS["trials"], ALL_GAME_LOGS["steps"]


def game_table(name):
    """The files of one table of the game."""
    stem = GAME_TABLE.format(name=name)
    return dict(tex=f"{stem}.tex", parquet=f"{stem}.parquet", csv=f"{stem}.csv")


def game_code(name):
    """Digest of the code behind one product of the game."""
    return digest(
        *PUBLISHING, "mosaic", "settings.py", f"workflow/scripts/mosaic_{name}.py"
    )


# From the trials alone.
for name in ("table2", "table3", "table4", "table5", "table6", "table7", "signals"):

    rule:
        name:
            f"mosaic_{name}"
        input:
            trials=GAME_TRIALS,
        output:
            **game_table(name),
        log:
            f"{LOGS}/mosaic_{name}.log",
        localrule: True
        conda:
            "../envs/vlmtom.yaml"
        params:
            study=GAME_STUDY,
            seed=SETTINGS.seed,
            resamples=2000,
            gone=gone([game_table(name)["tex"]], GAME_TRIALS),
            code=game_code(name),
        script:
            f"../workflow/scripts/mosaic_{name}.py"


rule mosaic_frames:
    input:
        trials=GAME_TRIALS,
        steps=GAME_STEPS,
    output:
        **game_table("frames"),
    log:
        f"{LOGS}/mosaic_frames.log",
    localrule: True
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=GAME_STUDY,
        gone=gone([game_table("frames")["tex"]], [*GAME_TRIALS, *GAME_STEPS]),
        code=game_code("frames"),
    script:
        "../workflow/scripts/mosaic_frames.py"


rule mosaic_untested:
    input:
        **{f"table{n}": game_table(f"table{n}")["parquet"] for n in (3, 4, 5, 6)},
    output:
        **game_table("untested"),
    log:
        f"{LOGS}/mosaic_untested.log",
    localrule: True
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=GAME_STUDY,
        code=game_code("untested"),
    script:
        "../workflow/scripts/mosaic_untested.py"


# The reference agent first, then what it is compared with.
rule mosaic_ablations:
    input:
        trials=GAME_TRIALS,
    output:
        **game_table("ablations"),
    log:
        f"{LOGS}/mosaic_ablations.log",
    localrule: True
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=GAME_STUDY,
        reference=ABLATIONS[0] if ABLATIONS else "none",
        ablations=ABLATIONS[1:],
        gone=gone([game_table("ablations")["tex"]], GAME_TRIALS),
        code=game_code("ablations"),
    script:
        "../workflow/scripts/mosaic_ablations.py"


rule mosaic_published:
    input:
        **{name: game_table(name)["parquet"] for name in ("table3", "table4", "table5")},
        signals=game_table("signals")["parquet"],
    output:
        **game_table("published"),
    log:
        f"{LOGS}/mosaic_published.log",
    localrule: True
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=GAME_STUDY,
        published="resources/published",
        printed=folder_digest("resources/published"),
        names=PRINTED_PAIRS,
        code=game_code("published"),
    script:
        "../workflow/scripts/mosaic_published.py"


# Figure 2 is drawn of Table 3, the heat maps of the signals.
for name in ("figure2", "figure3", "figure5", "figure6"):

    rule:
        name:
            f"mosaic_{name}"
        input:
            table=game_table("table3" if name == "figure2" else "signals")["parquet"],
        output:
            pdf=f"{GAME_FIGURE.format(name=name)}.pdf",
            png=f"{GAME_FIGURE.format(name=name)}.png",
        log:
            f"{LOGS}/mosaic_{name}.log",
        localrule: True
        conda:
            "../envs/vlmtom.yaml"
        params:
            study=GAME_STUDY,
            families=GAME_FAMILIES,
            code=game_code(name),
        script:
            f"../workflow/scripts/mosaic_{name}.py"
