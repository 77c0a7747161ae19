# The same clips as films, as pictures in a row and as other grids: how much of what the film makes
# a tester say is left, and for how many tokens.
STUDY = SETTINGS.representations
REPRESENTATION_CLIPS = chosen_clips(
    clip_conditions(SETTINGS.triangles.clips), STUDY.clips
)
REPRESENTATION_STIMULI = dict(
    pictures=PICTURES.format(experiment="representations"),
    item_file=ITEMS.format(experiment="representations"),
    key_file=KEYS.format(experiment="representations"),
)
REPRESENTATION_CELLS = CELLS.format(experiment="representations")
TABLE12 = dict(
    panel=SETTINGS.panel,
    reference=STUDY.reference,
    clips=REPRESENTATION_CLIPS,
    repetitions=STUDY.repetitions,
    rubric_sha256=SOURCE["rubric_sha256"],
    stimulus_source=SOURCE["stimulus_source"],
    judge_kinds=[
        REGISTRY.models[judge].kind for judge in SETTINGS.representation_judges
    ],
)


rule representation_stimuli:
    input:
        films=expand(f"{RESULTS}/clips/{{clip}}.mp4", clip=REPRESENTATION_CLIPS),
    output:
        **REPRESENTATION_STIMULI,
        films=REPRESENTATION_FILMS,
    log:
        f"{LOGS}/representation_stimuli.log",
    conda:
        "../envs/vlmtom.yaml"
    resources:
        mem_mb=3000,
        runtime=60,
    params:
        arms={name: arm.model_dump() for name, arm in STUDY.arms.items()},
        clips=REPRESENTATION_CLIPS,
        fit=SETTINGS.triangles.fit,
        clips_folder=SETTINGS.triangles.clips,
        locks=SETTINGS.locks,
        locked=locks_digest(SETTINGS.locks, ("representations/",)),
        gone=gone([REPRESENTATION_FILMS], CLIPS),
        code=digest(
            "triangles",
            "settings",
            "rendering/__init__.py",
            "rendering/images.py",
            "rendering/labels.py",
            "rendering/pixels.py",
            "rendering/vectors.py",
            "workflow/scripts/representation_stimuli.py",
            "resources/clips",
        ),
        originals=folder_digest(SETTINGS.triangles.clips or "none"),
    script:
        "../workflow/scripts/representation_stimuli.py"


# One call job asks one tester every clip in every representation, in one window.
rule representation_replies:
    input:
        **{name: REPRESENTATION_STIMULI[name] for name in ("item_file", "pictures")},
        films=REPRESENTATION_FILMS,
    output:
        replies=REPRESENTATION_REPLIES,
    log:
        f"{LOGS}/representation_replies/{{viewer}}.log",
    conda:
        "../envs/vlmtom.yaml"
    resources:
        api=1,
        budget=BUDGET,
        mem_mb=2000,
        runtime=720,
    params:
        spec=lambda wildcards: ask_spec(
            SETTINGS, REGISTRY, wildcards.viewer, "representations", 1
        ).model_dump_json(),
        journal=f"{RESULTS}/replies/{{viewer}}/journal",
        leases=lambda wildcards: f"{RESULTS}/calls/{REGISTRY.models[wildcards.viewer].endpoint}",
        spending=SPENDING,
        gone=gone(
            [REPRESENTATION_REPLIES],
            [*REPRESENTATION_STIMULI.values(), REPRESENTATION_FILMS],
        ),
        code=ask_code,
    shell:
        "python -m vlmtom.jobs.ask --items {input.item_file:q} --pictures {input.pictures:q} "
        "--films {input.films:q} "
        "--journal {params.journal:q} --out {output.replies:q} --spec {params.spec:q} "
        "--leases {params.leases:q} --spending {params.spending:q} --budget {resources.budget:q} "
        "> {log:q} 2>&1"


rule representation_descriptions:
    input:
        replies=[REPRESENTATION_REPLIES],
        key_file=REPRESENTATION_STIMULI["key_file"],
    output:
        descriptions=REPRESENTATION_DESCRIPTIONS,
    log:
        f"{LOGS}/representation_descriptions/{{viewer}}.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        seed=SETTINGS.seed,
        gone=gone(
            [REPRESENTATION_DESCRIPTIONS],
            [REPRESENTATION_REPLIES, REPRESENTATION_STIMULI["key_file"]],
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


# What judges see: all descriptions in one file, which does not tell how a clip was shown.
rule representation_blind:
    input:
        replies=ALL_REPRESENTATION_REPLIES,
        key_file=REPRESENTATION_STIMULI["key_file"],
    output:
        blind=BLIND_REPRESENTATIONS,
    log:
        f"{LOGS}/representation_blind.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        topic="representations",
        seed=SETTINGS.seed,
        locks=SETTINGS.locks,
        locked=locks_digest(SETTINGS.locks, ("judge/",)),
        exemplars=SETTINGS.judging.exemplars,
        exemplars_sha256=EXEMPLARS_SHA256,
        gone=gone(
            [BLIND_REPRESENTATIONS],
            [REPRESENTATION_STIMULI["key_file"], *ALL_REPRESENTATION_REPLIES],
        ),
        code=digest(
            "judging",
            "parsing",
            "palette.py",
            "settings",
            RUBRIC,
            TOLD_REFERENCES,
            "workflow/scripts/representation_blind.py",
        ),
    script:
        "../workflow/scripts/representation_blind.py"


# One judge scores every description several times, in its own journal.
rule representation_verdicts:
    input:
        blind=BLIND_REPRESENTATIONS,
    output:
        verdicts=REPRESENTATION_VERDICTS,
    log:
        f"{LOGS}/representation_verdicts/{{scorer}}.log",
    conda:
        "../envs/vlmtom.yaml"
    resources:
        api=1,
        budget=BUDGET,
        mem_mb=1000,
        runtime=720,
    params:
        spec=lambda wildcards: representation_spec(
            SETTINGS, REGISTRY, wildcards.scorer
        ).model_dump_json(),
        journal=f"{RESULTS}/verdicts/{{scorer}}/journal",
        leases=lambda wildcards: f"{RESULTS}/calls/{REGISTRY.models[wildcards.scorer].endpoint}",
        spending=SPENDING,
        gone=gone([REPRESENTATION_VERDICTS], [BLIND_REPRESENTATIONS]),
        code=judge_code,
    shell:
        "python -m vlmtom.jobs.judge --blind {input.blind:q} --journal {params.journal:q} "
        "--out {output.verdicts:q} --spec {params.spec:q} --leases {params.leases:q} "
        "--spending {params.spending:q} --budget {resources.budget:q} "
        "> {log:q} 2>&1"


rule representation_cells:
    input:
        descriptions=ALL_REPRESENTATION_DESCRIPTIONS,
        verdicts=ALL_REPRESENTATION_VERDICTS,
    output:
        cells=REPRESENTATION_CELLS,
    log:
        f"{LOGS}/representation_cells.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        allow_missing=SETTINGS.allow_missing,
        judges=SETTINGS.representation_judges,
        repetitions=STUDY.repetitions,
        gone=gone(
            [REPRESENTATION_CELLS],
            [*ALL_REPRESENTATION_DESCRIPTIONS, *ALL_REPRESENTATION_VERDICTS],
        ),
        code=digest(
            "triangles/__init__.py",
            "triangles/cells.py",
            "triangles/layouts.py",
            "triangles/prompts.py",
            "stats",
            "workflow/scripts/representation_cells.py",
        ),
    script:
        "../workflow/scripts/representation_cells.py"


rule table12:
    input:
        cells=REPRESENTATION_CELLS,
        replies=ALL_REPRESENTATION_REPLIES,
    output:
        tex=report(
            f"{RESULTS}/tables/table12.tex",
            caption="../workflow/report/table12.rst",
            category="Animated triangles",
        ),
        parquet=f"{RESULTS}/tables/table12.parquet",
        csv=f"{RESULTS}/tables/table12.csv",
    log:
        f"{LOGS}/table12.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        study=TABLE12,
        families={
            name: REGISTRY.models[name].family
            for name in (
                *SETTINGS.shown_representations,
                *SETTINGS.representation_judges,
            )
        },
        gone=gone(
            [f"{RESULTS}/tables/table12.tex"],
            [REPRESENTATION_CELLS, *ALL_REPRESENTATION_REPLIES],
        ),
        code=digest(*PUBLISHING, "workflow/scripts/table12.py"),
    script:
        "../workflow/scripts/table12.py"


rule representation_page:
    input:
        **REPRESENTATION_STIMULI,
        replies=ALL_REPRESENTATION_REPLIES,
        descriptions=ALL_REPRESENTATION_DESCRIPTIONS,
        verdicts=ALL_REPRESENTATION_VERDICTS,
    output:
        page=f"{RESULTS}/report/representations.html",
        pictures=f"{RESULTS}/report/representations.css",
    log:
        f"{LOGS}/representation_page.log",
    conda:
        "../envs/vlmtom.yaml"
    params:
        testers={
            tester: REGISTRY.models[tester].kind
            for tester in SETTINGS.shown_representations
        },
        gone=gone(
            [f"{RESULTS}/report/representations.html"],
            [
                *REPRESENTATION_STIMULI.values(),
                *ALL_REPRESENTATION_REPLIES,
                *ALL_REPRESENTATION_DESCRIPTIONS,
                *ALL_REPRESENTATION_VERDICTS,
            ],
        ),
        code=digest(*PUBLISHING, "workflow/scripts/representation_page.py"),
    script:
        "../workflow/scripts/representation_page.py"
