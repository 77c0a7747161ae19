# What people gave who coded.
rule trace_people:
    input:
        sheet=TRACE_SHEET,
        places=TRACE_PLACES,
        returned=ancient(RETURNED_TRACES),
    output:
        human=HUMAN_CODES,
    log:
        f"{LOGS}/trace_people.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        # By content: a file that was only copied anew changes nothing.
        returned={path: sha256_file(path) for path in RETURNED_TRACES},
        gone=gone([HUMAN_CODES], [TRACE_SHEET, TRACE_PLACES]),
        code=digest(
            "report_action",
            "judging",
            "stats",
            "triangles/__init__.py",
            "triangles/cells.py",
            "parsing",
            "palette.py",
            "settings",
            "calls",
            "workflow/scripts/trace_people.py",
        ),
    script:
        "../workflow/scripts/trace_people.py"
