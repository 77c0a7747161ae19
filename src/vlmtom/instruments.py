"""Every instrument that a configuration uses: prompts, stimuli and thresholds, made anew."""

from vlmtom.settings import MOSAIC, Settings


def instruments(settings: Settings, every_clip: bool = False) -> dict[str, str]:
    """SHA-256 of each instrument by its name in the locks; stimuli are rendered for it.

    every_clip: all shipped clips in other representations, not only those that the configuration
    chooses, so that another choice finds its locks. Raises BadData for original films that cannot
    be used.
    """
    found: dict[str, str] = {}
    if settings.director is not None:
        from vlmtom.director import stimuli as director

        scenes = director.build_stimuli(settings.director.arms, settings.seed)
        found |= director.instruments(scenes, settings.seed)
    if settings.triangles is not None:
        from vlmtom import judging
        from vlmtom.triangles import stimuli as triangles

        shown = settings.triangles
        clips = triangles.build_stimuli(shown.arms, settings.seed, shown.fit, shown.clips)
        found |= triangles.instruments(clips)
        found |= judging.instruments(exemplars=settings.judging.exemplars)
        if study := settings.arms("representations"):
            from vlmtom.triangles import representations
            from vlmtom.triangles.listing import clip_conditions

            chosen = settings.representations.clips
            if every_clip and shown.clips is None:
                chosen = tuple(clip_conditions(None))
            other = representations.build(study, shown.fit, shown.clips, chosen, encoded=False)
            found |= representations.instruments(other)
    if "report_action" in settings.experiments:
        from vlmtom.report_action import stimuli as action

        scenes = action.build_stimuli(settings.report_action.sets, settings.seed)
        found |= action.instruments(scenes, settings.seed)
    if settings.trace_coders:
        from vlmtom.report_action.traces import instruments as of_traces

        found |= of_traces()
    if MOSAIC in settings.experiments:
        from vlmtom.mosaic.instruments import instruments as of_game

        found |= of_game()
    return found


def prompts(settings: Settings) -> dict[str, str]:
    """Every prompt text of testers and judges by its name, without the word `prompt` of locks."""
    texts: dict[str, str] = {}
    if settings.director is not None:
        from vlmtom.director.prompts import every_prompt as of_director

        texts |= of_director()
    if settings.triangles is not None:
        from vlmtom.judging import every_prompt as of_judges
        from vlmtom.triangles.prompts import every_prompt as of_triangles

        texts |= of_triangles() | of_judges()
    if settings.arms("representations"):
        from vlmtom.triangles.representations import every_prompt as of_representations

        texts |= of_representations()
    if "report_action" in settings.experiments:
        from vlmtom.report_action.prompts import every_prompt as of_action

        texts |= of_action()
    if settings.trace_coders:
        from vlmtom.report_action.traces import every_prompt as of_traces

        texts |= of_traces()
    if MOSAIC in settings.experiments:
        from vlmtom.mosaic.prompts import every_prompt as of_game

        texts |= of_game()
    return texts
