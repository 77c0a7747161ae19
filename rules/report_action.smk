# Report before action: scene sets, replies and outcomes of its own testers.
ACTION = SETTINGS.report_action
ACTION_STIMULI = dict(
    pictures=PICTURES.format(experiment="report_action"),
    item_file=ITEMS.format(experiment="report_action"),
    key_file=KEYS.format(experiment="report_action"),
)


rule action_stimuli:
    output:
        **ACTION_STIMULI,
        sheets=ACTION_SHEETS,
    log:
        f"{LOGS}/action_stimuli.log",
    conda:
        "../envs/vlmtom.yaml"
    resources:
        mem_mb=1500,
        runtime=60,
    params:
        sets=dict(ACTION.sets),
        batches={
            name: batch.model_dump(exclude={"testers"})
            for name, batch in ACTION.batches.items()
        },
        replies=ACTION.replies,
        seed=SETTINGS.seed,
        locks=SETTINGS.locks,
        locked=locks_digest(SETTINGS.locks, ("report_action/",)),
        code=digest(
            "report_action",
            "palette.py",
            "parsing",
            "rendering",
            "tabletop",
            "settings",
            "workflow/scripts/action_stimuli.py",
        ),
    script:
        "../workflow/scripts/action_stimuli.py"


# One call job asks one tester all batches, one after the other, conditions interleaved.
rule action_replies:
    input:
        **{name: ACTION_STIMULI[name] for name in ("item_file", "pictures")},
    output:
        replies=ACTION_REPLIES,
    log:
        f"{LOGS}/action_replies/{{reporter}}.log",
    conda:
        "../envs/vlmtom.yaml"
    resources:
        api=1,
        budget=BUDGET,
        mem_mb=2000,
        runtime=1440,
    params:
        spec=lambda wildcards: ask_spec(
            SETTINGS, REGISTRY, wildcards.reporter, "report_action", 1
        ).model_dump_json(),
        journal=f"{RESULTS}/replies/{{reporter}}/journal",
        leases=lambda wildcards: f"{RESULTS}/calls/{REGISTRY.models[wildcards.reporter].endpoint}",
        spending=SPENDING,
        gone=gone([ACTION_REPLIES], list(ACTION_STIMULI.values())),
        code=ask_code,
    shell:
        "python -m vlmtom.jobs.ask --items {input.item_file:q} --pictures {input.pictures:q} "
        "--journal {params.journal:q} --out {output.replies:q} --spec {params.spec:q} "
        "--leases {params.leases:q} --spending {params.spending:q} --budget {resources.budget:q} "
        "> {log:q} 2>&1"


rule action_outcomes:
    input:
        replies=[ACTION_REPLIES],
        key_file=ACTION_STIMULI["key_file"],
    output:
        outcomes=ACTION_OUTCOMES,
    log:
        f"{LOGS}/action_outcomes/{{reporter}}.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        gone=gone([ACTION_OUTCOMES], [ACTION_REPLIES, ACTION_STIMULI["key_file"]]),
        code=digest(
            "report_action",
            "palette.py",
            "parsing",
            "workflow/scripts/action_outcomes.py",
        ),
    script:
        "../workflow/scripts/action_outcomes.py"
