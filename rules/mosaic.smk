# The treasure game. One call job plays one pair in one condition, all trials at once.
rule play:
    output:
        **GAME_LOGS,
    log:
        f"{LOGS}/play/{{pair}}/{{condition}}.log",
    conda:
        "../envs/vlmtom.yaml"
    resources:
        api=lambda wildcards: int(bool(SETTINGS.mosaic_models(PAIRS[wildcards.pair]))),
        budget=BUDGET,
        mem_mb=1500,
        runtime=1440,
    params:
        spec=play_params,
        replies=f"{RESULTS}/replies",
        leases=f"{RESULTS}/calls",
        spending=SPENDING,
        gone=gone(GAME_LOGS.values(), play_journals),
        locks=SETTINGS.locks,
        locked=locks_digest(SETTINGS.locks, ("mosaic/",)),
        code=play_code,
    shell:
        "python -m vlmtom.jobs.play --trials {output.trials:q} --steps {output.steps:q} "
        "--utterances {output.utterances:q} --calls {output.calls:q} --replies {params.replies:q} "
        "--spec {params.spec:q} --locks {params.locks:q} --leases {params.leases:q} "
        "--spending {params.spending:q} --budget {resources.budget:q} > {log:q} 2>&1"
