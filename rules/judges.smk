# Whether judges can be trusted: the battery of exemplars, and what depends on who judges.
EXEMPLARS_FILE = SETTINGS.judging.exemplars
BATTERY = dict(
    panel=SETTINGS.panel,
    repetitions=SETTINGS.judging.repetitions,
    rubric_sha256=SOURCE["rubric_sha256"],
    exemplars_sha256=EXEMPLARS_SHA256,
    authored=EXEMPLARS_SHA256 == sha256_file("resources/exemplars.csv"),
)
BATTERY_KINDS = {judge: REGISTRY.models[judge].kind for judge in SETTINGS.battery}
JUDGE_ENTRIES = {
    judge: REGISTRY.models[judge].model_dump(include={"family", "kind", "price"})
    | {"role": role}
    for judge, role in SETTINGS.judge_roles.items()
}


# The exemplars as a judge may see them, under ids that do not tell what is expected.
rule exemplars:
    input:
        exemplars=ancient(EXEMPLARS_FILE),
    output:
        blind=BLIND_EXEMPLARS,
    log:
        f"{LOGS}/exemplars.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        seed=SETTINGS.seed,
        locks=SETTINGS.locks,
        locked=locks_digest(SETTINGS.locks, ("judge/",)),
        exemplars_sha256=EXEMPLARS_SHA256,
        code=digest(
            "judging",
            "parsing",
            "palette.py",
            "settings",
            "stats",
            RUBRIC,
            TOLD_REFERENCES,
            "workflow/scripts/exemplars.py",
        ),
    script:
        "../workflow/scripts/exemplars.py"


# One judge scores every exemplar several times, in its own journal.
rule exemplar_verdicts:
    input:
        blind=BLIND_EXEMPLARS,
    output:
        verdicts=EXEMPLAR_VERDICTS,
    log:
        f"{LOGS}/exemplar_verdicts/{{rated}}.log",
    conda:
        "../envs/vlmtom.yaml"
    resources:
        api=1,
        budget=BUDGET,
        mem_mb=1000,
        runtime=720,
    params:
        spec=lambda wildcards: exemplar_spec(
            SETTINGS, REGISTRY, wildcards.rated
        ).model_dump_json(),
        journal=f"{RESULTS}/verdicts/{{rated}}/journal",
        leases=lambda wildcards: f"{RESULTS}/calls/{REGISTRY.models[wildcards.rated].endpoint}",
        spending=SPENDING,
        gone=gone([EXEMPLAR_VERDICTS], [BLIND_EXEMPLARS]),
        code=judge_code,
    shell:
        "python -m vlmtom.jobs.judge --blind {input.blind:q} --journal {params.journal:q} "
        "--out {output.verdicts:q} --spec {params.spec:q} --leases {params.leases:q} "
        "--spending {params.spending:q} --budget {resources.budget:q} "
        "> {log:q} 2>&1"


rule judge_battery:
    input:
        verdicts=ALL_EXEMPLAR_VERDICTS,
        exemplars=ancient(EXEMPLARS_FILE),
    output:
        tex=report(
            f"{RESULTS}/tables/judge_battery.tex",
            caption="../workflow/report/judge_battery.rst",
            category="Judges",
        ),
        parquet=f"{RESULTS}/tables/judge_battery.parquet",
        csv=f"{RESULTS}/tables/judge_battery.csv",
    log:
        f"{LOGS}/judge_battery.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        battery=BATTERY,
        judges=BATTERY_KINDS,
        seed=SETTINGS.seed,
        gone=gone([f"{RESULTS}/tables/judge_battery.tex"], ALL_EXEMPLAR_VERDICTS),
        code=digest(
            *PUBLISHING,
            "judging",
            "parsing",
            "palette.py",
            "settings",
            "workflow/scripts/judge_battery.py",
        ),
    script:
        "../workflow/scripts/judge_battery.py"


rule table13:
    input:
        verdicts=ALL_EXEMPLAR_VERDICTS,
        exemplars=ancient(EXEMPLARS_FILE),
    output:
        tex=report(
            f"{RESULTS}/tables/table13.tex",
            caption="../workflow/report/table13.rst",
            category="Judges",
        ),
        parquet=f"{RESULTS}/tables/table13.parquet",
        csv=f"{RESULTS}/tables/table13.csv",
    log:
        f"{LOGS}/table13.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        battery=BATTERY,
        # Families, roles and prices; a new price makes the table anew, and no verdict.
        entries=JUDGE_ENTRIES,
        seed=SETTINGS.seed,
        gone=gone([f"{RESULTS}/tables/table13.tex"], ALL_EXEMPLAR_VERDICTS),
        code=digest(
            *PUBLISHING,
            "judging",
            "parsing",
            "palette.py",
            "settings",
            "workflow/scripts/table13.py",
        ),
    script:
        "../workflow/scripts/table13.py"


rule judge_family:
    input:
        cells=CELLS.format(experiment="triangles"),
    output:
        tex=report(
            f"{RESULTS}/tables/judge_family.tex",
            caption="../workflow/report/judge_family.rst",
            category="Judges",
        ),
        parquet=f"{RESULTS}/tables/judge_family.parquet",
        csv=f"{RESULTS}/tables/judge_family.csv",
    log:
        f"{LOGS}/judge_family.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        arms=TRIANGLES_ARMS,
        families={
            slug: REGISTRY.models[slug].family
            for slug in dict.fromkeys([*TESTERS, *JUDGES])
        },
        gone=gone(
            [f"{RESULTS}/tables/judge_family.tex"],
            [CELLS.format(experiment="triangles")],
        ),
        code=digest(*PUBLISHING, "workflow/scripts/judge_family.py"),
    script:
        "../workflow/scripts/judge_family.py"


rule judge_left_out:
    input:
        cells=CELLS.format(experiment="triangles"),
        references=ancient(REFERENCES),
    output:
        tex=report(
            f"{RESULTS}/tables/judge_left_out.tex",
            caption="../workflow/report/judge_left_out.rst",
            category="Judges",
        ),
        parquet=f"{RESULTS}/tables/judge_left_out.parquet",
        csv=f"{RESULTS}/tables/judge_left_out.csv",
    log:
        f"{LOGS}/judge_left_out.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        judges=JUDGES,
        gone=gone(
            [f"{RESULTS}/tables/judge_left_out.tex"],
            [CELLS.format(experiment="triangles")],
        ),
        references=REFERENCES_SHA256,
        code=digest(*PUBLISHING, "workflow/scripts/judge_left_out.py"),
    script:
        "../workflow/scripts/judge_left_out.py"


rule judge_agreement:
    input:
        descriptions=ALL_DESCRIPTIONS,
        verdicts=BLINDED_VERDICTS,
    output:
        tex=report(
            f"{RESULTS}/tables/judge_agreement.tex",
            caption="../workflow/report/judge_agreement.rst",
            category="Judges",
        ),
        parquet=f"{RESULTS}/tables/judge_agreement.parquet",
        csv=f"{RESULTS}/tables/judge_agreement.csv",
    log:
        f"{LOGS}/judge_agreement.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=SOURCE,
        judges=JUDGES,
        arms=TRIANGLES_ARMS,
        gone=gone(
            [f"{RESULTS}/tables/judge_agreement.tex"],
            [*ALL_DESCRIPTIONS, *BLINDED_VERDICTS],
        ),
        code=digest(*PUBLISHING, "workflow/scripts/judge_agreement.py"),
    script:
        "../workflow/scripts/judge_agreement.py"
