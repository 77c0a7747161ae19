# Reasoning traces of report before action: who codes them, whether coders can be trusted, and what
# they read.
TRACE_SOURCE = dict(
    panel=SETTINGS.panel,
    trials=SETTINGS.report_action.replies,
    codebook_sha256=sha256_file(TRACE_CODEBOOK),
    coders={coder: REGISTRY.models[coder].kind for coder in CODERS},
)
TRACED_REPLIES = expand(ACTION_REPLIES, reporter=SETTINGS.traced_testers)
TRACED_OUTCOMES = expand(ACTION_OUTCOMES, reporter=SETTINGS.traced_testers)
CODES_OF_TRACES = expand(TRACE_CODES, coder=CODERS, traced="report_action")
CODES_OF_TESTS = expand(TRACE_CODES, coder=CODERS, traced="tests")
GATE = f"{RESULTS}/tables/report_action_coder_gate.parquet"


# Traces written to a known code, under ids that do not tell it.
rule trace_tests:
    input:
        tests="resources/trace_tests.csv",
    output:
        blind=BLIND_TRACE_TESTS,
    log:
        f"{LOGS}/trace_tests.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        seed=SETTINGS.seed,
        locks=SETTINGS.locks,
        locked=locks_digest(SETTINGS.locks, ("traces/",)),
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
            "resources/trace_tests.csv",
            TRACE_CODEBOOK,
            "workflow/scripts/trace_tests.py",
        ),
    script:
        "../workflow/scripts/trace_tests.py"


# Every trace as a coder may see it, with the report of its answer and without.
rule traces:
    input:
        replies=TRACED_REPLIES,
        outcomes=TRACED_OUTCOMES,
    output:
        key=TRACE_KEY,
        blind=BLIND_TRACES,
    log:
        f"{LOGS}/traces.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        seed=SETTINGS.seed,
        locks=SETTINGS.locks,
        locked=locks_digest(SETTINGS.locks, ("traces/",)),
        recoded=TRACES.recoded,
        conditions=TRACES.conditions,
        batches=TRACES.batches,
        gone=gone([TRACE_KEY, BLIND_TRACES], [*TRACED_REPLIES, *TRACED_OUTCOMES]),
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
            "resources/trace_tests.csv",
            TRACE_CODEBOOK,
            "workflow/scripts/traces.py",
        ),
    script:
        "../workflow/scripts/traces.py"


# One coder reads the traces, or those written to a known code, in its own journal.
rule trace_codes:
    input:
        blind=lambda wildcards: (
            BLIND_TRACE_TESTS if wildcards.traced == "tests" else BLIND_TRACES
        ),
    output:
        codes=TRACE_CODES,
    log:
        f"{LOGS}/trace_codes/{{coder}}.{{traced}}.log",
    conda:
        "../envs/vlmtom.yaml"
    resources:
        api=1,
        budget=BUDGET,
        mem_mb=1000,
        runtime=720,
    params:
        spec=lambda wildcards: coder_spec(
            SETTINGS, REGISTRY, wildcards.coder, wildcards.traced
        ).model_dump_json(),
        journal=f"{RESULTS}/traces/{{coder}}/journal",
        leases=lambda wildcards: f"{RESULTS}/calls/{REGISTRY.models[wildcards.coder].endpoint}",
        spending=SPENDING,
        gone=gone([TRACE_CODES], [BLIND_TRACES, BLIND_TRACE_TESTS]),
        code=trace_code,
    shell:
        "python -m vlmtom.jobs.trace --blind {input.blind:q} --journal {params.journal:q} "
        "--out {output.codes:q} --spec {params.spec:q} --leases {params.leases:q} "
        "--spending {params.spending:q} --budget {resources.budget:q} "
        "> {log:q} 2>&1"


rule report_action_coder_gate:
    input:
        codes=CODES_OF_TESTS,
        tests="resources/trace_tests.csv",
    output:
        tex=report(
            f"{RESULTS}/tables/report_action_coder_gate.tex",
            caption="../workflow/report/report_action_coder_gate.rst",
            category="Report before action",
        ),
        parquet=GATE,
        csv=f"{RESULTS}/tables/report_action_coder_gate.csv",
    log:
        f"{LOGS}/report_action_coder_gate.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=TRACE_SOURCE,
        seed=SETTINGS.seed,
        gone=gone([GATE], CODES_OF_TESTS),
        code=digest(
            *PUBLISHING,
            "report_action",
            "judging",
            "parsing",
            "palette.py",
            "settings",
            "calls",
            "resources/trace_tests.csv",
            "workflow/scripts/report_action_coder_gate.py",
        ),
    script:
        "../workflow/scripts/report_action_coder_gate.py"


rule report_action_coding:
    input:
        key=TRACE_KEY,
        codes=CODES_OF_TRACES,
        gate=GATE,
        places=[TRACE_PLACES] if RETURNED_TRACES else [],
        human=[HUMAN_CODES] if RETURNED_TRACES else [],
    output:
        tex=report(
            f"{RESULTS}/tables/report_action_coding.tex",
            caption="../workflow/report/report_action_coding.rst",
            category="Report before action",
        ),
        parquet=f"{RESULTS}/tables/report_action_coding.parquet",
        csv=f"{RESULTS}/tables/report_action_coding.csv",
    log:
        f"{LOGS}/report_action_coding.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=TRACE_SOURCE,
        gone=gone(
            [f"{RESULTS}/tables/report_action_coding.tex"],
            [
                TRACE_KEY,
                *CODES_OF_TRACES,
                GATE,
                *([TRACE_PLACES, HUMAN_CODES] if RETURNED_TRACES else []),
            ],
        ),
        code=digest(
            *PUBLISHING,
            "report_action",
            "judging",
            "parsing",
            "palette.py",
            "settings",
            "calls",
            "workflow/scripts/report_action_coding.py",
        ),
    script:
        "../workflow/scripts/report_action_coding.py"


rule report_action_traces:
    input:
        key=TRACE_KEY,
        codes=CODES_OF_TRACES,
        gate=GATE,
    output:
        tex=report(
            f"{RESULTS}/tables/report_action_traces.tex",
            caption="../workflow/report/report_action_traces.rst",
            category="Report before action",
        ),
        parquet=f"{RESULTS}/tables/report_action_traces.parquet",
        csv=f"{RESULTS}/tables/report_action_traces.csv",
        pdf=f"{RESULTS}/figures/report_action_traces.pdf",
        png=report(
            f"{RESULTS}/figures/report_action_traces.png",
            caption="../workflow/report/report_action_traces.rst",
            category="Report before action",
        ),
    log:
        f"{LOGS}/report_action_traces.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        source=TRACE_SOURCE,
        gone=gone(
            [f"{RESULTS}/tables/report_action_traces.tex"],
            [TRACE_KEY, *CODES_OF_TRACES, GATE],
        ),
        code=digest(
            *PUBLISHING,
            "report_action",
            "judging",
            "parsing",
            "palette.py",
            "settings",
            "calls",
            "workflow/scripts/report_action_traces.py",
        ),
    script:
        "../workflow/scripts/report_action_traces.py"
