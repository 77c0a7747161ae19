# The treasure game's tables and figures, over all pairs.
GAME = SETTINGS.mosaic
GAME_STUDY = dict(panel=SETTINGS.panel, trials=GAME.trials)
GAME_TABLE = f"{RESULTS}/tables/mosaic_{{name}}"
GAME_TRIALS, GAME_STEPS = ALL_GAME_LOGS["trials"], ALL_GAME_LOGS["steps"]


def game_table(name):
    """The files of one table of the game."""
    stem = GAME_TABLE.format(name=name)
    return dict(tex=f"{stem}.tex", parquet=f"{stem}.parquet", csv=f"{stem}.csv")


# From the trials alone.
rule mosaic_table2:
    input:
        trials=GAME_TRIALS,
    output:
        **game_table("table2"),
    log:
        f"{LOGS}/mosaic_table2.log",
    localrule: True
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=GAME_STUDY,
        gone=gone([game_table("table2")["tex"]], GAME_TRIALS),
        code=digest(
            *PUBLISHING, "mosaic", "settings.py", "workflow/scripts/mosaic_table2.py"
        ),
    script:
        "../workflow/scripts/mosaic_table2.py"


rule mosaic_table3:
    input:
        trials=GAME_TRIALS,
    output:
        **game_table("table3"),
    log:
        f"{LOGS}/mosaic_table3.log",
    localrule: True
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=GAME_STUDY,
        gone=gone([game_table("table3")["tex"]], GAME_TRIALS),
        code=digest(
            *PUBLISHING, "mosaic", "settings.py", "workflow/scripts/mosaic_table3.py"
        ),
    script:
        "../workflow/scripts/mosaic_table3.py"


rule mosaic_table4:
    input:
        trials=GAME_TRIALS,
    output:
        **game_table("table4"),
    log:
        f"{LOGS}/mosaic_table4.log",
    localrule: True
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=GAME_STUDY,
        gone=gone([game_table("table4")["tex"]], GAME_TRIALS),
        code=digest(
            *PUBLISHING, "mosaic", "settings.py", "workflow/scripts/mosaic_table4.py"
        ),
    script:
        "../workflow/scripts/mosaic_table4.py"


rule mosaic_table5:
    input:
        trials=GAME_TRIALS,
    output:
        **game_table("table5"),
    log:
        f"{LOGS}/mosaic_table5.log",
    localrule: True
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=GAME_STUDY,
        gone=gone([game_table("table5")["tex"]], GAME_TRIALS),
        code=digest(
            *PUBLISHING, "mosaic", "settings.py", "workflow/scripts/mosaic_table5.py"
        ),
    script:
        "../workflow/scripts/mosaic_table5.py"


rule mosaic_table6:
    input:
        trials=GAME_TRIALS,
    output:
        **game_table("table6"),
    log:
        f"{LOGS}/mosaic_table6.log",
    localrule: True
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=GAME_STUDY,
        gone=gone([game_table("table6")["tex"]], GAME_TRIALS),
        code=digest(
            *PUBLISHING, "mosaic", "settings.py", "workflow/scripts/mosaic_table6.py"
        ),
    script:
        "../workflow/scripts/mosaic_table6.py"


rule mosaic_table7:
    input:
        trials=GAME_TRIALS,
    output:
        **game_table("table7"),
    log:
        f"{LOGS}/mosaic_table7.log",
    localrule: True
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=GAME_STUDY,
        gone=gone([game_table("table7")["tex"]], GAME_TRIALS),
        code=digest(
            *PUBLISHING, "mosaic", "settings.py", "workflow/scripts/mosaic_table7.py"
        ),
    script:
        "../workflow/scripts/mosaic_table7.py"


rule mosaic_signals:
    input:
        trials=GAME_TRIALS,
    output:
        **game_table("signals"),
    log:
        f"{LOGS}/mosaic_signals.log",
    localrule: True
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=GAME_STUDY,
        seed=SETTINGS.seed,
        resamples=2000,
        gone=gone([game_table("signals")["tex"]], GAME_TRIALS),
        code=digest(
            *PUBLISHING, "mosaic", "settings.py", "workflow/scripts/mosaic_signals.py"
        ),
    script:
        "../workflow/scripts/mosaic_signals.py"


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
        code=digest(
            *PUBLISHING, "mosaic", "settings.py", "workflow/scripts/mosaic_frames.py"
        ),
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
        code=digest(
            *PUBLISHING, "mosaic", "settings.py", "workflow/scripts/mosaic_untested.py"
        ),
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
        code=digest(
            *PUBLISHING,
            "mosaic",
            "settings.py",
            "workflow/scripts/mosaic_ablations.py",
        ),
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
        code=digest(
            *PUBLISHING,
            "mosaic",
            "settings.py",
            "workflow/scripts/mosaic_published.py",
        ),
    script:
        "../workflow/scripts/mosaic_published.py"


# Figure 2 is drawn of Table 3, the heat maps of the signals.
rule mosaic_figure2:
    input:
        table=game_table("table3")["parquet"],
    output:
        pdf=f"{RESULTS}/figures/mosaic_figure2.pdf",
        png=f"{RESULTS}/figures/mosaic_figure2.png",
    log:
        f"{LOGS}/mosaic_figure2.log",
    localrule: True
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=GAME_STUDY,
        families=GAME_FAMILIES,
        code=digest(
            *PUBLISHING, "mosaic", "settings.py", "workflow/scripts/mosaic_figure2.py"
        ),
    script:
        "../workflow/scripts/mosaic_figure2.py"


rule mosaic_figure3:
    input:
        table=game_table("signals")["parquet"],
    output:
        pdf=f"{RESULTS}/figures/mosaic_figure3.pdf",
        png=f"{RESULTS}/figures/mosaic_figure3.png",
    log:
        f"{LOGS}/mosaic_figure3.log",
    localrule: True
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=GAME_STUDY,
        code=digest(
            *PUBLISHING, "mosaic", "settings.py", "workflow/scripts/mosaic_figure3.py"
        ),
    script:
        "../workflow/scripts/mosaic_figure3.py"


rule mosaic_figure5:
    input:
        table=game_table("signals")["parquet"],
    output:
        pdf=f"{RESULTS}/figures/mosaic_figure5.pdf",
        png=f"{RESULTS}/figures/mosaic_figure5.png",
    log:
        f"{LOGS}/mosaic_figure5.log",
    localrule: True
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=GAME_STUDY,
        code=digest(
            *PUBLISHING, "mosaic", "settings.py", "workflow/scripts/mosaic_figure5.py"
        ),
    script:
        "../workflow/scripts/mosaic_figure5.py"


rule mosaic_figure6:
    input:
        table=game_table("signals")["parquet"],
    output:
        pdf=f"{RESULTS}/figures/mosaic_figure6.pdf",
        png=f"{RESULTS}/figures/mosaic_figure6.png",
    log:
        f"{LOGS}/mosaic_figure6.log",
    localrule: True
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=GAME_STUDY,
        code=digest(
            *PUBLISHING, "mosaic", "settings.py", "workflow/scripts/mosaic_figure6.py"
        ),
    script:
        "../workflow/scripts/mosaic_figure6.py"
