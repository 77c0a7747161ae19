# What report before action comes to: counts, rates, differences, tables, figure, report.
ACTION_CELLS = CELLS.format(experiment="report_action")
ACTION_RATES = f"{RESULTS}/tables/report_action_rates.parquet"
ACTION_CHOICES = f"{RESULTS}/tables/report_action_choices.parquet"
ACTION_ESTIMATES = f"{RESULTS}/tables/report_action_estimates.parquet"
ACTION_EFFECTS = f"{RESULTS}/figures/report_action_effects.png"
ACTION_STUDY = dict(
    panel=SETTINGS.panel,
    replies=ACTION.replies,
    margin=str(ACTION.margin_points),
)
ACTION_COMPARISONS = {
    name: comparison.model_dump(by_alias=False)
    for name, comparison in ACTION.comparisons.items()
}


rule action_cells:
    input:
        outcomes=ALL_ACTION_OUTCOMES,
        key_file=ACTION_STIMULI["key_file"],
    output:
        cells=ACTION_CELLS,
    log:
        f"{LOGS}/action_cells.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        asked={tester: list(SETTINGS.batches_of(tester)) for tester in ACTION_TESTERS},
        replies=ACTION.replies,
        allow_missing=SETTINGS.allow_missing,
        gone=gone([ACTION_CELLS], [*ALL_ACTION_OUTCOMES, ACTION_STIMULI["key_file"]]),
        code=digest("report_action", "stats", "workflow/scripts/action_cells.py"),
    script:
        "../workflow/scripts/action_cells.py"


rule report_action_rates:
    input:
        cells=ACTION_CELLS,
    output:
        tex=report(
            f"{RESULTS}/tables/report_action_rates.tex",
            caption="../workflow/report/report_action_rates.rst",
            category="Report before action",
        ),
        parquet=f"{RESULTS}/tables/report_action_rates.parquet",
        csv=f"{RESULTS}/tables/report_action_rates.csv",
        choices_tex=f"{RESULTS}/tables/report_action_choices.tex",
        choices_parquet=ACTION_CHOICES,
        choices_csv=f"{RESULTS}/tables/report_action_choices.csv",
    log:
        f"{LOGS}/report_action_rates.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=ACTION_STUDY,
        seed=ACTION.bootstrap_seed,
        resamples=2000,
        gone=gone([f"{RESULTS}/tables/report_action_rates.tex"], [ACTION_CELLS]),
        code=digest(
            *PUBLISHING, "report_action", "workflow/scripts/report_action_rates.py"
        ),
    script:
        "../workflow/scripts/report_action_rates.py"


rule report_action_estimates:
    input:
        cells=ACTION_CELLS,
        rates=ACTION_RATES,
    output:
        tex=report(
            f"{RESULTS}/tables/report_action_estimates.tex",
            caption="../workflow/report/report_action_estimates.rst",
            category="Report before action",
        ),
        parquet=f"{RESULTS}/tables/report_action_estimates.parquet",
        csv=f"{RESULTS}/tables/report_action_estimates.csv",
    log:
        f"{LOGS}/report_action_estimates.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=ACTION_STUDY,
        comparisons=ACTION_COMPARISONS,
        gone=gone(
            [f"{RESULTS}/tables/report_action_estimates.tex"],
            [ACTION_CELLS, ACTION_RATES],
        ),
        code=digest(
            *PUBLISHING, "report_action", "workflow/scripts/report_action_estimates.py"
        ),
    script:
        "../workflow/scripts/report_action_estimates.py"


rule report_action_joint:
    input:
        rates=ACTION_RATES,
    output:
        tex=report(
            f"{RESULTS}/tables/report_action_joint.tex",
            caption="../workflow/report/report_action_joint.rst",
            category="Report before action",
        ),
        parquet=f"{RESULTS}/tables/report_action_joint.parquet",
        csv=f"{RESULTS}/tables/report_action_joint.csv",
    log:
        f"{LOGS}/report_action_joint.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=ACTION_STUDY,
        gone=gone([f"{RESULTS}/tables/report_action_joint.tex"], [ACTION_RATES]),
        code=digest(
            *PUBLISHING, "report_action", "workflow/scripts/report_action_joint.py"
        ),
    script:
        "../workflow/scripts/report_action_joint.py"


rule report_action_batches:
    input:
        rates=ACTION_RATES,
    output:
        tex=report(
            f"{RESULTS}/tables/report_action_batches.tex",
            caption="../workflow/report/report_action_batches.rst",
            category="Report before action",
        ),
        parquet=f"{RESULTS}/tables/report_action_batches.parquet",
        csv=f"{RESULTS}/tables/report_action_batches.csv",
    log:
        f"{LOGS}/report_action_batches.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=ACTION_STUDY,
        batches=list(ACTION.batches),
        gone=gone([f"{RESULTS}/tables/report_action_batches.tex"], [ACTION_RATES]),
        code=digest(
            *PUBLISHING, "report_action", "workflow/scripts/report_action_batches.py"
        ),
    script:
        "../workflow/scripts/report_action_batches.py"


rule report_action_scenes:
    input:
        key_file=ACTION_STIMULI["key_file"],
    output:
        tex=report(
            f"{RESULTS}/tables/report_action_scenes.tex",
            caption="../workflow/report/report_action_scenes.rst",
            category="Report before action",
        ),
        parquet=f"{RESULTS}/tables/report_action_scenes.parquet",
        csv=f"{RESULTS}/tables/report_action_scenes.csv",
    log:
        f"{LOGS}/report_action_scenes.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=ACTION_STUDY,
        gone=gone(
            [f"{RESULTS}/tables/report_action_scenes.tex"],
            [ACTION_STIMULI["key_file"]],
        ),
        code=digest(
            *PUBLISHING,
            "report_action",
            "resources/published/reportaction_numbers.csv",
            "workflow/scripts/report_action_scenes.py",
        ),
    script:
        "../workflow/scripts/report_action_scenes.py"


rule report_action_prompts:
    output:
        tex=report(
            f"{RESULTS}/tables/report_action_prompts.tex",
            caption="../workflow/report/report_action_prompts.rst",
            category="Report before action",
        ),
        parquet=f"{RESULTS}/tables/report_action_prompts.parquet",
        csv=f"{RESULTS}/tables/report_action_prompts.csv",
    log:
        f"{LOGS}/report_action_prompts.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        panel=SETTINGS.panel,
        comparisons=ACTION_COMPARISONS,
        batches={n: list(b.conditions) for n, b in ACTION.batches.items()},
        code=digest(
            *PUBLISHING, "report_action", "workflow/scripts/report_action_prompts.py"
        ),
    script:
        "../workflow/scripts/report_action_prompts.py"


rule report_action_effects:
    input:
        estimates=ACTION_ESTIMATES,
    output:
        pdf=f"{RESULTS}/figures/report_action_effects.pdf",
        png=report(
            ACTION_EFFECTS,
            caption="../workflow/report/report_action_effects.rst",
            category="Report before action",
        ),
    log:
        f"{LOGS}/report_action_effects.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=ACTION_STUDY,
        testers=list(ACTION_TESTERS),
        gone=gone([f"{RESULTS}/figures/report_action_effects.pdf"], [ACTION_ESTIMATES]),
        code=digest(
            *PUBLISHING, "report_action", "workflow/scripts/report_action_effects.py"
        ),
    script:
        "../workflow/scripts/report_action_effects.py"


rule report_action_page:
    input:
        **ACTION_STIMULI,
        replies=ALL_ACTION_REPLIES,
        outcomes=ALL_ACTION_OUTCOMES,
        estimates=ACTION_ESTIMATES,
        choices=ACTION_CHOICES,
        figure=ACTION_EFFECTS,
    output:
        ACTION_REPORT,
    log:
        f"{LOGS}/report_action_page.log",
    conda:
        "../envs/vlmtom.yaml"
    resources:
        mem_mb=3000,
    params:
        study=ACTION_STUDY,
        asked={tester: list(SETTINGS.batches_of(tester)) for tester in ACTION_TESTERS},
        testers={tester: REGISTRY.models[tester].kind for tester in ACTION_TESTERS},
        gone=gone(
            [ACTION_REPORT[0]],
            [
                *ACTION_STIMULI.values(),
                *ALL_ACTION_REPLIES,
                *ALL_ACTION_OUTCOMES,
                ACTION_ESTIMATES,
                ACTION_CHOICES,
                ACTION_EFFECTS,
            ],
        ),
        code=digest(
            *PUBLISHING, "report_action", "workflow/scripts/report_action_page.py"
        ),
    script:
        "../workflow/scripts/report_action_page.py"
