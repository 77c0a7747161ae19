# The treasure game's tables and figures, over all pairs.
MOSAIC_STUDY = dict(panel=SETTINGS.panel, trials=SETTINGS.mosaic.trials)
MOSAIC_TRIALS, MOSAIC_STEPS = ALL_GAME_LOGS["trials"], ALL_GAME_LOGS["steps"]
MOSAIC_TABLES = {
    name: f"{RESULTS}/tables/mosaic_{name}.parquet"
    for name in ("table3", "table4", "table5", "table6", "signals")
}


rule mosaic_table2:
    input:
        trials=MOSAIC_TRIALS,
    output:
        tex=report(
            f"{RESULTS}/tables/mosaic_table2.tex",
            caption="../workflow/report/mosaic_table2.rst",
            category="Treasure game",
        ),
        parquet=f"{RESULTS}/tables/mosaic_table2.parquet",
        csv=f"{RESULTS}/tables/mosaic_table2.csv",
    log:
        f"{LOGS}/mosaic_table2.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=MOSAIC_STUDY,
        gone=gone([f"{RESULTS}/tables/mosaic_table2.tex"], MOSAIC_TRIALS),
        code=digest(
            *PUBLISHING,
            "mosaic/__init__.py",
            "mosaic/conditions.py",
            "mosaic/world.py",
            "workflow/scripts/mosaic_table2.py",
        ),
    script:
        "../workflow/scripts/mosaic_table2.py"


rule mosaic_table3:
    input:
        trials=MOSAIC_TRIALS,
    output:
        tex=report(
            f"{RESULTS}/tables/mosaic_table3.tex",
            caption="../workflow/report/mosaic_table3.rst",
            category="Treasure game",
        ),
        parquet=f"{RESULTS}/tables/mosaic_table3.parquet",
        csv=f"{RESULTS}/tables/mosaic_table3.csv",
    log:
        f"{LOGS}/mosaic_table3.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=MOSAIC_STUDY,
        gone=gone([f"{RESULTS}/tables/mosaic_table3.tex"], MOSAIC_TRIALS),
        code=digest(
            *PUBLISHING,
            "mosaic/__init__.py",
            "mosaic/conditions.py",
            "mosaic/world.py",
            "workflow/scripts/mosaic_table3.py",
        ),
    script:
        "../workflow/scripts/mosaic_table3.py"


rule mosaic_table4:
    input:
        trials=MOSAIC_TRIALS,
    output:
        tex=report(
            f"{RESULTS}/tables/mosaic_table4.tex",
            caption="../workflow/report/mosaic_table4.rst",
            category="Treasure game",
        ),
        parquet=f"{RESULTS}/tables/mosaic_table4.parquet",
        csv=f"{RESULTS}/tables/mosaic_table4.csv",
    log:
        f"{LOGS}/mosaic_table4.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=MOSAIC_STUDY,
        gone=gone([f"{RESULTS}/tables/mosaic_table4.tex"], MOSAIC_TRIALS),
        code=digest(
            *PUBLISHING,
            "mosaic/__init__.py",
            "mosaic/conditions.py",
            "mosaic/world.py",
            "workflow/scripts/mosaic_table4.py",
        ),
    script:
        "../workflow/scripts/mosaic_table4.py"


rule mosaic_table5:
    input:
        trials=MOSAIC_TRIALS,
    output:
        tex=report(
            f"{RESULTS}/tables/mosaic_table5.tex",
            caption="../workflow/report/mosaic_table5.rst",
            category="Treasure game",
        ),
        parquet=f"{RESULTS}/tables/mosaic_table5.parquet",
        csv=f"{RESULTS}/tables/mosaic_table5.csv",
    log:
        f"{LOGS}/mosaic_table5.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=MOSAIC_STUDY,
        gone=gone([f"{RESULTS}/tables/mosaic_table5.tex"], MOSAIC_TRIALS),
        code=digest(
            *PUBLISHING,
            "mosaic/__init__.py",
            "mosaic/conditions.py",
            "mosaic/world.py",
            "workflow/scripts/mosaic_table5.py",
        ),
    script:
        "../workflow/scripts/mosaic_table5.py"


rule mosaic_table6:
    input:
        trials=MOSAIC_TRIALS,
    output:
        tex=report(
            f"{RESULTS}/tables/mosaic_table6.tex",
            caption="../workflow/report/mosaic_table6.rst",
            category="Treasure game",
        ),
        parquet=f"{RESULTS}/tables/mosaic_table6.parquet",
        csv=f"{RESULTS}/tables/mosaic_table6.csv",
    log:
        f"{LOGS}/mosaic_table6.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=MOSAIC_STUDY,
        gone=gone([f"{RESULTS}/tables/mosaic_table6.tex"], MOSAIC_TRIALS),
        code=digest(
            *PUBLISHING,
            "mosaic/__init__.py",
            "mosaic/conditions.py",
            "mosaic/world.py",
            "workflow/scripts/mosaic_table6.py",
        ),
    script:
        "../workflow/scripts/mosaic_table6.py"


rule mosaic_table7:
    input:
        trials=MOSAIC_TRIALS,
    output:
        tex=report(
            f"{RESULTS}/tables/mosaic_table7.tex",
            caption="../workflow/report/mosaic_table7.rst",
            category="Treasure game",
        ),
        parquet=f"{RESULTS}/tables/mosaic_table7.parquet",
        csv=f"{RESULTS}/tables/mosaic_table7.csv",
    log:
        f"{LOGS}/mosaic_table7.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=MOSAIC_STUDY,
        gone=gone([f"{RESULTS}/tables/mosaic_table7.tex"], MOSAIC_TRIALS),
        code=digest(
            *PUBLISHING,
            "mosaic/__init__.py",
            "mosaic/conditions.py",
            "mosaic/world.py",
            "workflow/scripts/mosaic_table7.py",
        ),
    script:
        "../workflow/scripts/mosaic_table7.py"


rule mosaic_signals:
    input:
        trials=MOSAIC_TRIALS,
    output:
        tex=report(
            f"{RESULTS}/tables/mosaic_signals.tex",
            caption="../workflow/report/mosaic_signals.rst",
            category="Treasure game",
        ),
        parquet=f"{RESULTS}/tables/mosaic_signals.parquet",
        csv=f"{RESULTS}/tables/mosaic_signals.csv",
    log:
        f"{LOGS}/mosaic_signals.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=MOSAIC_STUDY,
        seed=SETTINGS.seed,
        resamples=2000,
        gone=gone([f"{RESULTS}/tables/mosaic_signals.tex"], MOSAIC_TRIALS),
        code=digest(
            *PUBLISHING,
            "mosaic/__init__.py",
            "mosaic/conditions.py",
            "mosaic/world.py",
            "workflow/scripts/mosaic_signals.py",
        ),
    script:
        "../workflow/scripts/mosaic_signals.py"


rule mosaic_frames:
    input:
        trials=MOSAIC_TRIALS,
        steps=MOSAIC_STEPS,
    output:
        tex=report(
            f"{RESULTS}/tables/mosaic_frames.tex",
            caption="../workflow/report/mosaic_frames.rst",
            category="Treasure game",
        ),
        parquet=f"{RESULTS}/tables/mosaic_frames.parquet",
        csv=f"{RESULTS}/tables/mosaic_frames.csv",
    log:
        f"{LOGS}/mosaic_frames.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=MOSAIC_STUDY,
        gone=gone(
            [f"{RESULTS}/tables/mosaic_frames.tex"], [*MOSAIC_TRIALS, *MOSAIC_STEPS]
        ),
        code=digest(
            *PUBLISHING,
            "mosaic/__init__.py",
            "mosaic/conditions.py",
            "mosaic/world.py",
            "workflow/scripts/mosaic_frames.py",
        ),
    script:
        "../workflow/scripts/mosaic_frames.py"


rule mosaic_ablations:
    input:
        trials=MOSAIC_TRIALS,
    output:
        tex=report(
            f"{RESULTS}/tables/mosaic_ablations.tex",
            caption="../workflow/report/mosaic_ablations.rst",
            category="Treasure game",
        ),
        parquet=f"{RESULTS}/tables/mosaic_ablations.parquet",
        csv=f"{RESULTS}/tables/mosaic_ablations.csv",
    log:
        f"{LOGS}/mosaic_ablations.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=MOSAIC_STUDY,
        reference=ABLATIONS[0] if ABLATIONS else "none",
        ablations=ABLATIONS[1:],
        gone=gone([f"{RESULTS}/tables/mosaic_ablations.tex"], MOSAIC_TRIALS),
        code=digest(
            *PUBLISHING,
            "mosaic/__init__.py",
            "mosaic/conditions.py",
            "mosaic/world.py",
            "workflow/scripts/mosaic_ablations.py",
        ),
    script:
        "../workflow/scripts/mosaic_ablations.py"


rule mosaic_untested:
    input:
        table3=MOSAIC_TABLES["table3"],
        table4=MOSAIC_TABLES["table4"],
        table5=MOSAIC_TABLES["table5"],
        table6=MOSAIC_TABLES["table6"],
    output:
        tex=report(
            f"{RESULTS}/tables/mosaic_untested.tex",
            caption="../workflow/report/mosaic_untested.rst",
            category="Treasure game",
        ),
        parquet=f"{RESULTS}/tables/mosaic_untested.parquet",
        csv=f"{RESULTS}/tables/mosaic_untested.csv",
    log:
        f"{LOGS}/mosaic_untested.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=MOSAIC_STUDY,
        gone=gone(
            [f"{RESULTS}/tables/mosaic_untested.tex"],
            [
                MOSAIC_TABLES["table3"],
                MOSAIC_TABLES["table4"],
                MOSAIC_TABLES["table5"],
                MOSAIC_TABLES["table6"],
            ],
        ),
        code=digest(
            *PUBLISHING,
            "mosaic/__init__.py",
            "mosaic/conditions.py",
            "mosaic/world.py",
            "workflow/scripts/mosaic_untested.py",
        ),
    script:
        "../workflow/scripts/mosaic_untested.py"


rule mosaic_published:
    input:
        table3=MOSAIC_TABLES["table3"],
        table4=MOSAIC_TABLES["table4"],
        table5=MOSAIC_TABLES["table5"],
        signals=MOSAIC_TABLES["signals"],
    output:
        tex=report(
            f"{RESULTS}/tables/mosaic_published.tex",
            caption="../workflow/report/mosaic_published.rst",
            category="Treasure game",
        ),
        parquet=f"{RESULTS}/tables/mosaic_published.parquet",
        csv=f"{RESULTS}/tables/mosaic_published.csv",
    log:
        f"{LOGS}/mosaic_published.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=MOSAIC_STUDY,
        published="resources/published",
        names=dict(SETTINGS.mosaic.printed),
        gone=gone(
            [f"{RESULTS}/tables/mosaic_published.tex"],
            [
                MOSAIC_TABLES["table3"],
                MOSAIC_TABLES["table4"],
                MOSAIC_TABLES["table5"],
                MOSAIC_TABLES["signals"],
            ],
        ),
        code=digest(
            *PUBLISHING,
            "mosaic/__init__.py",
            "mosaic/conditions.py",
            "mosaic/world.py",
            "resources/published",
            "workflow/scripts/mosaic_published.py",
        ),
    script:
        "../workflow/scripts/mosaic_published.py"


rule mosaic_figure2:
    input:
        table=MOSAIC_TABLES["table3"],
    output:
        pdf=f"{RESULTS}/figures/mosaic_figure2.pdf",
        png=report(
            f"{RESULTS}/figures/mosaic_figure2.png",
            caption="../workflow/report/mosaic_figure2.rst",
            category="Treasure game",
        ),
    log:
        f"{LOGS}/mosaic_figure2.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=MOSAIC_STUDY,
        families=GAME_FAMILIES,
        gone=gone([f"{RESULTS}/figures/mosaic_figure2.pdf"], [MOSAIC_TABLES["table3"]]),
        code=digest(
            *PUBLISHING,
            "mosaic/__init__.py",
            "mosaic/conditions.py",
            "mosaic/world.py",
            "workflow/scripts/mosaic_figure2.py",
        ),
    script:
        "../workflow/scripts/mosaic_figure2.py"


rule mosaic_figure3:
    input:
        table=MOSAIC_TABLES["signals"],
    output:
        pdf=f"{RESULTS}/figures/mosaic_figure3.pdf",
        png=report(
            f"{RESULTS}/figures/mosaic_figure3.png",
            caption="../workflow/report/mosaic_figure3.rst",
            category="Treasure game",
        ),
    log:
        f"{LOGS}/mosaic_figure3.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=MOSAIC_STUDY,
        gone=gone([f"{RESULTS}/figures/mosaic_figure3.pdf"], [MOSAIC_TABLES["signals"]]),
        code=digest(
            *PUBLISHING,
            "mosaic/__init__.py",
            "mosaic/conditions.py",
            "mosaic/world.py",
            "workflow/scripts/mosaic_figure3.py",
        ),
    script:
        "../workflow/scripts/mosaic_figure3.py"


rule mosaic_figure5:
    input:
        table=MOSAIC_TABLES["signals"],
    output:
        pdf=f"{RESULTS}/figures/mosaic_figure5.pdf",
        png=report(
            f"{RESULTS}/figures/mosaic_figure5.png",
            caption="../workflow/report/mosaic_figure5.rst",
            category="Treasure game",
        ),
    log:
        f"{LOGS}/mosaic_figure5.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=MOSAIC_STUDY,
        gone=gone([f"{RESULTS}/figures/mosaic_figure5.pdf"], [MOSAIC_TABLES["signals"]]),
        code=digest(
            *PUBLISHING,
            "mosaic/__init__.py",
            "mosaic/conditions.py",
            "mosaic/world.py",
            "workflow/scripts/mosaic_figure5.py",
        ),
    script:
        "../workflow/scripts/mosaic_figure5.py"


rule mosaic_figure6:
    input:
        table=MOSAIC_TABLES["signals"],
    output:
        pdf=f"{RESULTS}/figures/mosaic_figure6.pdf",
        png=report(
            f"{RESULTS}/figures/mosaic_figure6.png",
            caption="../workflow/report/mosaic_figure6.rst",
            category="Treasure game",
        ),
    log:
        f"{LOGS}/mosaic_figure6.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=MOSAIC_STUDY,
        gone=gone([f"{RESULTS}/figures/mosaic_figure6.pdf"], [MOSAIC_TABLES["signals"]]),
        code=digest(
            *PUBLISHING,
            "mosaic/__init__.py",
            "mosaic/conditions.py",
            "mosaic/world.py",
            "workflow/scripts/mosaic_figure6.py",
        ),
    script:
        "../workflow/scripts/mosaic_figure6.py"
