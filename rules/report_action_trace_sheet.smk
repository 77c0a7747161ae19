# The sheet on which people code, the codebook beside it, and whose traces they are.
rule trace_sheet:
    input:
        key=TRACE_KEY,
        blind=BLIND_TRACES,
        codebook=TRACE_CODEBOOK,
    output:
        sheet=TRACE_SHEET,
        codebook=f"{RESULTS}/traces/codebook.md",
        places=TRACE_PLACES,
    log:
        f"{LOGS}/trace_sheet.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        n=TRACES.human_sample,
        # Not an output: it outlives the sheet, which then comes back with the same ids.
        secret=RATING_SECRET,
        gone=gone([TRACE_SHEET], [TRACE_KEY, BLIND_TRACES]),
        code=digest(
            "report_action",
            "rating",
            "judging",
            "stats",
            "triangles/__init__.py",
            "triangles/cells.py",
            "parsing",
            "palette.py",
            "settings",
            "calls",
            TRACE_CODEBOOK,
            "workflow/scripts/trace_sheet.py",
        ),
    script:
        "../workflow/scripts/trace_sheet.py"
