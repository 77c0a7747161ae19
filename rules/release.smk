# What a paper publishes of a run; not part of `all`.
rule release:
    input:
        TESTER_FILES,
        PRODUCTS,
        MANIFEST,
    output:
        release=f"{RESULTS}/release/vlmtom-release.tar.gz",
    log:
        f"{LOGS}/release.log",
    conda:
        "../envs/vlmtom.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        settings=SETTINGS.model_dump_json(),
        entries={
            slug: REGISTRY.models[slug].model_dump_json()
            for slug in dict.fromkeys(
                [*SETTINGS.asked_testers, *SETTINGS.asked_judges]
            )
        },
        # It carries the package along.
        code=digest(
            *PUBLISHING,
            "calls",
            "commands",
            "director",
            "jobs",
            "judging",
            "observers",
            "parsing",
            "rating",
            "rendering",
            "tabletop",
            "triangles",
            "cli.py",
            "instruments.py",
            "leaving.py",
            "palette.py",
            "settings.py",
            "wall.py",
            "windows.py",
            "workflow/scripts/release.py",
        ),
    script:
        "../workflow/scripts/release.py"
