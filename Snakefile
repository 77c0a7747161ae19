from snakemake.utils import min_version

min_version("9.20")


configfile: "config/config.yaml"


report: "workflow/report/workflow.rst"


include: "rules/common.smk"
include: "rules/director.smk"
include: "rules/calls.smk"


if WITH_TRIANGLES:

    include: "rules/triangles.smk"
    include: "rules/joint.smk"


include: "rules/products.smk"


localrules:
    all,
    tables,


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
