from snakemake.utils import min_version

min_version("9.20")


configfile: "config/config.yaml"


report: "workflow/report/workflow.rst"


include: "rules/common.smk"
include: "rules/director.smk"
include: "rules/calls.smk"
include: "rules/products.smk"


localrules:
    all,
    tables,


# Everything of the configuration. The files of each tester stand beside the products, so that a
# deleted one is noticed even where Snakemake would call the product made from it up to date.
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
