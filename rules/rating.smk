# The sheet on which people rate the descriptions that judges score.
rule rating_sheet:
    input:
        descriptions=ALL_DESCRIPTIONS,
        blind=BLIND.format(arm="numbered"),
    output:
        sheet=RATING_SHEET,
        key=RATING_KEY,
    log:
        f"{LOGS}/rating_sheet.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        n=RATING.descriptions,
        # Not an output: it outlives the sheet, which then comes back with the same ids.
        secret=RATING_SECRET,
        locks=SETTINGS.locks,
        locked=locks_digest(SETTINGS.locks, ("judge/",)),
        exemplars=SETTINGS.judging.exemplars,
        gone=gone([RATING_SHEET], [*ALL_DESCRIPTIONS, BLIND.format(arm="numbered")]),
        code=digest(
            *PUBLISHING,
            "rating",
            "judging",
            "parsing",
            "palette.py",
            "settings",
            RUBRIC,
            TOLD_REFERENCES,
            "workflow/scripts/rating_sheet.py",
        ),
    script:
        "../workflow/scripts/rating_sheet.py"
