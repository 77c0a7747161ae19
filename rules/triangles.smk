# The animated triangles: clips and sheets, descriptions, blind files, verdicts, cells, profiles.
TRIANGLES_STIMULI = dict(
    pictures=PICTURES.format(experiment="triangles"),
    item_file=ITEMS.format(experiment="triangles"),
    key_file=KEYS.format(experiment="triangles"),
)
DESCRIPTIONS = OUTCOMES.replace("{experiment}", "triangles")


rule triangles_stimuli:
    output:
        **TRIANGLES_STIMULI,
        frames=f"{RESULTS}/clips/frames.parquet",
        kinematics=f"{RESULTS}/clips/kinematics.parquet",
        clips=CLIPS,
        sheets=expand(
            f"{RESULTS}/stimuli/triangles/sheet.{{arm}}.png", arm=TRIANGLES_ARMS
        ),
    log:
        f"{LOGS}/triangles_stimuli.log",
    conda:
        "../envs/vlmtom.yaml"
    resources:
        mem_mb=1500,
        runtime=60,
    params:
        arms={
            name: arm.model_dump(exclude={"testers"})
            for name, arm in SETTINGS.triangles.arms.items()
        },
        fit=SETTINGS.triangles.fit,
        clips_folder=SETTINGS.triangles.clips,
        seed=SETTINGS.seed,
        locks=SETTINGS.locks,
        locked=locks_digest(SETTINGS.locks, ("triangles/",)),
        code=digest(
            "triangles",
            "settings",
            "rendering/__init__.py",
            "rendering/images.py",
            "rendering/labels.py",
            "rendering/pixels.py",
            "rendering/vectors.py",
            "workflow/scripts/triangles_stimuli.py",
            "resources/clips",
        ),
        films=folder_digest(SETTINGS.triangles.clips or "none"),
    script:
        "../workflow/scripts/triangles_stimuli.py"


# A tester's replies as descriptions with their blind ids: the rater side's own copy.
rule descriptions:
    input:
        replies=replies_of("triangles"),
        key_file=TRIANGLES_STIMULI["key_file"],
    output:
        descriptions=DESCRIPTIONS,
    log:
        f"{LOGS}/descriptions/{{tester}}.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        seed=SETTINGS.seed,
        gone=gone(
            [DESCRIPTIONS],
            lambda wildcards: [
                TRIANGLES_STIMULI["key_file"],
                *replies_of("triangles")(wildcards),
            ],
        ),
        code=digest(
            "judging",
            "parsing",
            "palette.py",
            "settings",
            "workflow/scripts/descriptions.py",
        ),
    script:
        "../workflow/scripts/descriptions.py"


# What the judges see of an arm: descriptions of all testers under blind ids.
rule blind:
    input:
        replies=ALL_TRIANGLES_REPLIES,
        key_file=TRIANGLES_STIMULI["key_file"],
    output:
        blind=BLIND,
    log:
        f"{LOGS}/blind/{{arm}}.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        seed=SETTINGS.seed,
        locks=SETTINGS.locks,
        locked=locks_digest(SETTINGS.locks, ("judge/",)),
        exemplars=SETTINGS.judging.exemplars,
        exemplars_sha256=EXEMPLARS_SHA256,
        gone=gone([BLIND], [TRIANGLES_STIMULI["key_file"], *ALL_TRIANGLES_REPLIES]),
        code=digest(
            "judging",
            "parsing",
            "palette.py",
            "settings",
            RUBRIC,
            TOLD_REFERENCES,
            "workflow/scripts/blind.py",
        ),
    script:
        "../workflow/scripts/blind.py"


# One verdict job has one judge score one arm under one overlay.
rule verdicts:
    input:
        blind=BLIND,
    output:
        verdicts=VERDICTS,
    log:
        f"{LOGS}/verdicts/{{judge}}/{{overlay}}.{{arm}}.log",
    conda:
        "../envs/vlmtom.yaml"
    resources:
        api=1,
        budget=BUDGET,
        mem_mb=1000,
        runtime=720,
    params:
        spec=judge_params,
        journal=f"{RESULTS}/verdicts/{{judge}}/journal",
        leases=lambda wildcards: f"{RESULTS}/calls/{REGISTRY.models[wildcards.judge].endpoint}",
        spending=SPENDING,
        gone=gone([VERDICTS], [BLIND]),
        code=judge_code,
    shell:
        "python -m vlmtom.jobs.judge --blind {input.blind:q} --journal {params.journal:q} "
        "--out {output.verdicts:q} --spec {params.spec:q} --leases {params.leases:q} "
        "--spending {params.spending:q} --budget {resources.budget:q} "
        "> {log:q} 2>&1"


rule triangles_cells:
    input:
        descriptions=ALL_DESCRIPTIONS,
        verdicts=ALL_VERDICTS,
    output:
        cells=CELLS.format(experiment="triangles"),
    log:
        f"{LOGS}/triangles_cells.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        allow_missing=SETTINGS.allow_missing,
        judges=JUDGES,
        overlays=SETTINGS.judged,
        gone=gone(
            [CELLS.format(experiment="triangles")], [*ALL_DESCRIPTIONS, *ALL_VERDICTS]
        ),
        code=digest(
            "triangles/__init__.py",
            "triangles/cells.py",
            "stats",
            "workflow/scripts/triangles_cells.py",
        ),
    script:
        "../workflow/scripts/triangles_cells.py"


rule profiles:
    input:
        cells=CELLS.format(experiment="triangles"),
    output:
        profiles=PROFILES,
    log:
        f"{LOGS}/profiles.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        aggregation="mean_of_judges",
        gone=gone([PROFILES], [CELLS.format(experiment="triangles")]),
        code=digest(
            "triangles/__init__.py",
            "triangles/cells.py",
            "stats",
            "workflow/scripts/profiles.py",
        ),
    script:
        "../workflow/scripts/profiles.py"
