# One call job asks one tester all items of one experiment in one window, arms interleaved.
def ask_params(wildcards):
    spec = ask_spec(
        SETTINGS,
        REGISTRY,
        tester=wildcards.tester,
        experiment=wildcards.experiment,
        window=int(wildcards.window),
    )
    return spec.model_dump_json()


def ask_code(wildcards):
    endpoint = REGISTRY.endpoints[REGISTRY.models[wildcards.tester].endpoint]
    # An observer's code is its weights: editing it makes another tester of it.
    rooms = ["observers", "rendering/labels.py"] if endpoint.kind == "embedded" else []
    return digest("calls", "jobs", "store", "wall.py", "settings.py", *rooms)


rule replies:
    input:
        items=ITEMS,
        pictures=PICTURES,
    output:
        replies=REPLIES,
    log:
        f"{LOGS}/replies/{{tester}}/{{experiment}}.w{{window}}.log",
    conda:
        "../envs/vlmtom.yaml"
    resources:
        api=1,
        mem_mb=1000,
        runtime=720,
    params:
        spec=ask_params,
        journal=f"{RESULTS}/replies/{{tester}}/journal",
        gone=gone([REPLIES], [ITEMS, PICTURES]),
        code=ask_code,
    shell:
        "{PYTHON:q} -m vlmtom.jobs.ask --items {input.items:q} --pictures {input.pictures:q} "
        "--journal {params.journal:q} --out {output.replies:q} --spec {params.spec:q} "
        "> {log:q} 2>&1"
