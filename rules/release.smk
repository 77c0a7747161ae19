# What a paper publishes of a run; not part of `all`.
def packed_beside_results(wildcards):
    """Digest of code, docs, resources and configuration that a release carries.

    Asked for where a release is, and imported there: other runs need none of it.
    """
    from vlmtom.commands.packing import sources_digest

    return sources_digest(SETTINGS, REGISTRY, SETTINGS.release.raw)


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
        packed=packed_beside_results,
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
            "report_action",
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
