import subprocess

from snakemake.utils import min_version

min_version("9.20")


configfile: "config/config.yaml"


report: "workflow/report/workflow.rst"


include: "rules/common.smk"
include: "rules/calls.smk"


if WITH_DIRECTOR:

    include: "rules/director.smk"
    include: "rules/director_arms.smk"


if WITH_TRIANGLES:

    include: "rules/triangles.smk"
    include: "rules/judges.smk"
    include: "rules/joint.smk"
    include: "rules/sensitivity.smk"
    include: "rules/triangle_arms.smk"

    if RATING:

        include: "rules/rating.smk"

    if RETURNED:

        include: "rules/rating_returned.smk"


if WITH_REPRESENTATIONS:

    include: "rules/representations.smk"


if WITH_ACTION:

    include: "rules/report_action.smk"
    include: "rules/report_action_products.smk"

    if TRACES:

        include: "rules/report_action_traces.smk"

        if TRACES.human_sample:

            include: "rules/report_action_trace_sheet.smk"

        if RETURNED_TRACES:

            include: "rules/report_action_trace_people.smk"


if PAIRS:

    include: "rules/mosaic.smk"
    include: "rules/mosaic_products.smk"
    include: "rules/mosaic_page.smk"

    if CARD:

        include: "rules/mosaic_card.smk"


if WITH_JOINT:

    include: "rules/joint_cards.smk"


include: "rules/published.smk"
include: "rules/products.smk"
include: "rules/release.smk"


# A folder belongs to the panel that begins it, and to one run at a time. What a run is about to
# cost stands at its start, where a server is to be paid.
onstart:
    global HELD
    HELD = hold(RESULTS)
    claim(RESULTS, SETTINGS.panel)
    if PAID:
        subprocess.run(
            [
                sys.executable,
                "-m",
                "vlmtom.cli",
                "plan",
                "--config",
                "-",
                "--restore",
            ],
            input=SETTINGS.model_dump_json(),
            stdout=sys.stderr,
            text=True,
            check=False,  # a plan that cannot be made keeps nobody from asking
        )


# On a cluster, what takes seconds stays where Snakemake runs; stimuli, calls and verdicts are sent.
localrules:
    all,
    tables,
    table1,
    costs,
    timing,
    codebook,
    manifest,
    report,


if WITH_DIRECTOR:

    localrules:
        published,
        director_outcomes,
        director_cells,
        table2,
        table3,
        table4,
        director_arms,
        figure2,


if WITH_TRIANGLES:

    localrules:
        descriptions,
        blind,
        triangles_cells,
        profiles,
        table5,
        table7,
        table8,
        table11,
        anchors_wide,
        sensitivity,
        intervals,
        length,
        figure3,
        figure4,
        figure5,
        exemplars,
        judge_battery,
        judge_family,
        judge_left_out,
        judge_agreement,
        table13,
        table6,
        table9,
        table10,
        figure_arms,
        figure1,

    if RATING:

        localrules:
            rating_sheet,

    if RETURNED:

        localrules:
            ratings,
            rating_agreement,


if WITH_REPRESENTATIONS:

    localrules:
        representation_descriptions,
        representation_blind,
        representation_cells,
        table12,
        representation_page,


if WITH_ACTION:

    localrules:
        action_outcomes,
        action_cells,
        report_action_rates,
        report_action_estimates,
        report_action_joint,
        report_action_batches,
        report_action_scenes,
        report_action_prompts,
        report_action_effects,
        report_action_page,

    if TRACES:

        localrules:
            trace_tests,
            traces,
            report_action_coder_gate,
            report_action_coding,
            report_action_traces,

        if TRACES.human_sample:

            localrules:
                trace_sheet,

        if RETURNED_TRACES:

            localrules:
                trace_people,


if PAIRS:

    localrules:
        mosaic_table2,
        mosaic_table3,
        mosaic_table4,
        mosaic_table5,
        mosaic_table6,
        mosaic_table7,
        mosaic_signals,
        mosaic_frames,
        mosaic_ablations,
        mosaic_untested,
        mosaic_published,
        mosaic_figure2,
        mosaic_figure3,
        mosaic_figure5,
        mosaic_figure6,
        mosaic_page,
        mosaic_pair_page,

    if CARD:

        localrules:
            mosaic_card,
            mosaic_film,


if WITH_JOINT:

    localrules:
        joint_cards,


# Everything of the configuration.
rule all:
    default_target: True
    input:
        TESTER_FILES,
        PRODUCTS,
        MANIFEST,


# The tables alone.
rule tables:
    input:
        TESTER_FILES,
        TABLES,
        ACTION_TABLES,


# What `all` makes, from the windows that were asked up to one; no later one is asked.
for number in range(1, SETTINGS.windows + 1):

    rule:
        name:
            f"window_{number}"
        input:
            TESTER_FILES,
            PRODUCTS,
            MANIFEST,
        localrule: True
