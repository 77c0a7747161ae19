# The treasure game in the report: a page that leads on, and one for each pair that was asked.
rule mosaic_page:
    input:
        table3=MOSAIC_TABLES["table3"],
        signals=MOSAIC_TABLES["signals"],
    output:
        page=f"{RESULTS}/report/mosaic.html",
    log:
        f"{LOGS}/mosaic_page.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=MOSAIC_STUDY,
        beside=dict(
            tables=[name for name in TABLE_NAMES if name.startswith("mosaic_")],
            figures=[name for name in FIGURE_NAMES if name.startswith("mosaic_")],
            film=bool(CARD),
            joint=WITH_JOINT,
            pages=ASKED_PAIRS,
        ),
        gone=gone(
            [f"{RESULTS}/report/mosaic.html"],
            [MOSAIC_TABLES["table3"], MOSAIC_TABLES["signals"]],
        ),
        code=digest(
            *PUBLISHING,
            "mosaic/__init__.py",
            "mosaic/conditions.py",
            "mosaic/world.py",
            "workflow/scripts/mosaic_page.py",
        ),
    script:
        "../workflow/scripts/mosaic_page.py"


# By log, of one pair in all conditions.
PAIR_LOGS = {
    log: expand(path, condition=MOSAIC_CONDITIONS, allow_missing=True)
    for log, path in GAME_LOGS.items()
}


rule mosaic_pair_page:
    input:
        **PAIR_LOGS,
    output:
        page=f"{RESULTS}/report/mosaic.{{pair}}.html",
        css=f"{RESULTS}/report/mosaic.{{pair}}.css",
    log:
        f"{LOGS}/mosaic_pair_page/{{pair}}.log",
    conda:
        "../envs/vlmtom.yaml"
    resources:
        mem_mb=1500,
    params:
        study=MOSAIC_STUDY,
        conditions=MOSAIC_CONDITIONS,
        gone=gone(
            [f"{RESULTS}/report/mosaic.{{pair}}.html"],
            [path for paths in PAIR_LOGS.values() for path in paths],
        ),
        code=digest(
            *PUBLISHING,
            "mosaic",
            "rendering",
            "settings",
            "workflow/scripts/mosaic_pair_page.py",
        ),
    script:
        "../workflow/scripts/mosaic_pair_page.py"
