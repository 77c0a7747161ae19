# One call job asks one tester all items of one experiment in one window, arms interleaved.
rule replies:
    input:
        item_file=ITEMS,
        pictures=PICTURES,
    output:
        replies=REPLIES,
    log:
        f"{LOGS}/replies/{{tester}}/{{experiment}}.w{{window}}.log",
    conda:
        "../envs/vlmtom.yaml"
    resources:
        api=1,
        budget=BUDGET,
        mem_mb=1000,
        runtime=720,
    params:
        spec=ask_params,
        journal=f"{RESULTS}/replies/{{tester}}/journal",
        leases=lambda wildcards: f"{RESULTS}/calls/{REGISTRY.models[wildcards.tester].endpoint}",
        spending=SPENDING,
        gone=gone([REPLIES], [ITEMS, PICTURES]),
        code=ask_code,
    shell:
        "python -m vlmtom.jobs.ask --items {input.item_file:q} --pictures {input.pictures:q} "
        "--journal {params.journal:q} --out {output.replies:q} --spec {params.spec:q} "
        "--leases {params.leases:q} --spending {params.spending:q} --budget {resources.budget:q} "
        "> {log:q} 2>&1"
