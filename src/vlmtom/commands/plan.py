"""`vlmtom plan`: what is still to be asked, and what that will take."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import yaml

from vlmtom.calls.budget import put_down, spent_in
from vlmtom.commands.estimate import (
    COMPLETION_TOKENS,
    NOTHING_EARLIER,
    SECONDS_A_CALL,
    VERDICT_TOKENS,
    Ask,
    Earlier,
    Estimate,
    Job,
    affordable_calls,
    ask_of,
    earlier_replies,
    estimate,
    expected_completion,
    picture_tokens,
    rate_seconds,
    reasons,
    scheduled_seconds,
    text_tokens,
)
from vlmtom.commands.games import (
    NOTHING_OPEN,
    Open,
    Part,
    Place,
    parts_of,
    prompt_of,
    records_of,
    shows_picture,
    still_open,
)
from vlmtom.commands.places import Places, with_items
from vlmtom.commands.progress import Sum, Tally, tally
from vlmtom.commands.shown import GAME_PX, Shown, shown
from vlmtom.errors import BadConfig, BrokenJournal, VlmtomError
from vlmtom.settings import (
    MOSAIC,
    REPEATED,
    REPRESENTATIONS,
    TRACE_TOPICS,
    AskSpec,
    CallSpec,
    JudgeSpec,
    Registry,
    Settings,
    ask_spec,
    coder_spec,
    exemplar_spec,
    judge_spec,
    load_settings,
    representation_spec,
)
from vlmtom.store.files import read_rows, read_table
from vlmtom.store.journal import all_streams, read_stream, streams
from vlmtom.store.schemas import (
    BLIND,
    BLIND_TRACES,
    REPLIES,
    TRACE_CODES,
    TRIANGLES_KEYS,
    verdicts_of,
)

TRACE_WORDS = 600  # of a reasoning trace that is not written yet
CODE_TOKENS = 90  # of a coder's reply: three codes and a quote
SCRIPT_CHARACTERS = 90  # of a clip's script in a judge's prompt: about the mean of those shipped

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Line:
    """One job: a tester on an experiment, a judge on an arm under an overlay or on the exemplars.

    In the treasure game it is all the jobs of a tester. paid: a server answers it, not this
    machine. planned: questions of all trials, or descriptions. estimate: null where a problem hides
    what was answered. assumed: of the calls, those for descriptions that are not written yet.
    jobs: seconds of each job, where there are several.
    """

    role: Literal["tester", "judge"]
    who: str
    topic: str
    spec: CallSpec
    planned: int | None
    estimate: Estimate | None
    spent: Sum
    assumed: int = 0
    problem: str | None = None
    jobs: tuple[float, ...] = ()

    @property
    def paid(self) -> bool:
        """Whether a server answers it."""
        return self.spec.endpoint.kind == "openai"

    @property
    def calls(self) -> int:
        """Still to be asked, as far as that is known."""
        return 0 if self.estimate is None else self.estimate.calls


@dataclass(frozen=True)
class Total:
    """Sums over the paid lines.

    cost_bound_usd: null where a completion has no limit. unpriced, unbounded, reasoning: models
    with calls left whose cost is not known; without max_tokens; that are asked to reason.
    hidden: lines whose journal cannot be read. With unpriced or hidden lines sums are lower bounds.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    cost_bound_usd: float | None
    seconds: float
    unpriced: tuple[str, ...]
    unbounded: tuple[str, ...]
    reasoning: tuple[str, ...]
    hidden: int


@dataclass(frozen=True)
class Budget:
    """A budget against the expected cost, and against its upper bound (null: not known).

    affordable: the calls of known cost that what is left pays for.
    """

    usd: float
    left_usd: float
    suffices: bool
    suffices_at_most: bool | None
    affordable: int


@dataclass(frozen=True)
class Plan:
    """Every job with what it still takes, and totals over the paid ones.

    spent: over all journals of the results, also of testers that are no longer asked; unreadable:
    what is wrong with those that are not in it.
    rendered: whether the stimuli are; else items are counted from the configuration.
    """

    lines: tuple[Line, ...]
    total: Total
    spent: Sum
    unreadable: tuple[str, ...]
    budget: Budget | None
    rendered: bool
    parallel_jobs: int
    windows: int
    window_gap_hours: float
    models: str  # the registry's file

    @property
    def paid(self) -> list[Line]:
        """Lines that a server answers."""
        return [line for line in self.lines if line.paid]


@dataclass(frozen=True)
class _Journal:
    """What a journal holds of one topic."""

    tally: Tally = field(default_factory=Tally)
    earlier: Earlier = NOTHING_EARLIER
    settled: frozenset[str] = frozenset()
    problem: str | None = None


@dataclass(frozen=True)
class _Describing:
    """A tester's part in the descriptions of the triangles. still_open: trials by arm."""

    rows: Sequence[Row]  # of REPLIES, as far as they came
    still_open: Counter[str]


def plan(settings: Settings, registry: Registry) -> Plan:
    """What is still to be asked, and what that will take.

    Reads items, keys, journals and blind files, and writes nothing. A journal that cannot be read
    is a problem of its line. Raises BadData for stimuli that cannot be used.
    """
    places = Places(Path(settings.results))
    lines: list[Line] = []
    described: dict[str, list[_Describing]] = {"triangles": [], REPRESENTATIONS: []}
    rendered = True
    for experiment in with_items(settings):
        testers = settings.testers_of(experiment)
        journals = [places.replies(tester) / "journal" for tester in testers]
        # Without a reply nothing is settled, and no digest of a picture is needed to know that.
        asked_before = any(streams(folder, experiment) for folder in journals)
        items = shown(settings, experiment, exact=asked_before)
        rendered = rendered and not items.stand_in
        for tester in testers:
            line, describing = _tester_line(settings, registry, tester, experiment, items, places)
            lines.append(line)
            if experiment in described:
                described[experiment].append(describing)
    lines += [_game_line(settings, registry, who, places) for who in settings.mosaic_testers]
    lines += _judge_lines(settings, registry, described, places)
    lines += _coder_lines(settings, registry, places)
    paid = [line for line in lines if line.paid]
    total = _total(paid, settings.calls.parallel_jobs)
    spent, unreadable = _spent(places, registry)
    return Plan(
        lines=tuple(lines),
        total=total,
        spent=spent,
        unreadable=tuple(unreadable),
        budget=_budget(settings, total, paid, spent),
        rendered=rendered,
        parallel_jobs=settings.calls.parallel_jobs,
        windows=settings.windows,
        window_gap_hours=settings.window_gap_hours,
        models=settings.models,
    )


def settings_of(text: str) -> Settings:
    """A complete configuration that was handed over as YAML or JSON. Raises BadConfig."""
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise BadConfig(f"standard input: not valid YAML or JSON: {error}") from error
    if not isinstance(content, dict):
        raise BadConfig(
            "standard input: expected a complete configuration, found "
            f"{type(content).__name__ if text.strip() else 'nothing'}."
        )
    return load_settings(content)


def whole_run(
    settings: Settings, registry: Registry, tester: str, earlier: Mapping[str, Earlier]
) -> list[Estimate]:
    """What a tester's run takes from its first call, by experiment.

    earlier: replies to go by, by experiment; without them by assumption.
    """
    return [
        _estimate(
            ask_spec(settings, registry, tester, experiment, 1),
            [
                _ask(str(item["arm"]), item["turns"], items, spec)
                for spec in [ask_spec(settings, registry, tester, experiment, 1)]
                for item in items.items
                if spec.asks(item)
                for _ in range(item["trials"])
            ],
            _completion(experiment),
            earlier.get(experiment, NOTHING_EARLIER),
        )
        for experiment in settings.experiments_of(tester)
        if experiment != MOSAIC
        for items in [shown(settings, experiment, exact=False)]
    ] + [
        _game_estimate(settings, parts, opened, earlier.get(MOSAIC, NOTHING_EARLIER))[0]
        for parts in [parts_of(settings, registry, tester)]
        for opened in [[still_open(part, {}) for part in parts]]
        if parts
    ]


def _tester_line(
    settings: Settings,
    registry: Registry,
    tester: str,
    experiment: str,
    items: Shown,
    places: Places,
) -> tuple[Line, _Describing]:
    from vlmtom.calls import history_of, planned, questions_after, reply_rows, still_open

    folder = places.replies(tester) / "journal"
    windows = range(1, settings.windows_of(experiment) + 1)
    specs = [ask_spec(settings, registry, tester, experiment, window) for window in windows]
    journal = _journal(folder, experiment, specs[0], items.reasoning_arms)
    problem, requests, left = journal.problem, {}, []
    try:
        requests = {r.digest: r for spec in specs for r in planned(items.items, spec)}
        if problem is None:
            with closing(history_of(folder, experiment)) as history:
                left = still_open([*requests.values()], history, specs[0])
    except VlmtomError as error:
        problem = problem or str(error)
    tables = [places.replies(tester) / f"{experiment}.w{window}.parquet" for window in windows]
    given_up = _given_up(settings, tables, REPLIES)
    left = [request for request in left if request.digest not in given_up]
    asks = [
        _ask(request.arm, [asdict(turn) for turn in said], items, specs[0])
        for request in left
        for said in [(*request.turns, *request.later)]
    ]
    line = Line(
        role="tester",
        who=tester,
        topic=experiment,
        spec=specs[0],
        planned=sum(1 + questions_after(r) for r in requests.values()) or None,
        estimate=None
        if problem
        else _estimate(specs[0], asks, _completion(experiment), journal.earlier),
        spent=journal.tally.cost_usd,
        problem=problem,
    )
    records = journal.tally.records
    answered = [request for digest, request in requests.items() if digest in records]
    arms = Counter(request.arm for request in left)
    return line, _Describing(list(reply_rows(answered, records, specs[0])), arms)


def _game_line(settings: Settings, registry: Registry, tester: str, places: Places) -> Line:
    """A tester in the treasure game: all its pairs and conditions together."""
    parts = parts_of(settings, registry, tester)
    folder = places.replies(tester) / "journal"
    spent, estimated, jobs, problem = Sum(), None, (), None
    try:
        told = [records_of(folder, part) for part in parts]
        opened = []
        for part, records in zip(parts, told, strict=True):
            found = tally(records)
            spent = spent.plus(found.cost_usd)
            over = settings.allow_missing and _is_played(places, part)
            opened.append(NOTHING_OPEN if over else still_open(part, found.records))
        earlier = earlier_replies(chain.from_iterable(told), parts[0].model)
        estimated, jobs = _game_estimate(settings, parts, opened, earlier)
    except (VlmtomError, OSError) as error:
        problem = str(error)
    return Line(
        role="tester",
        who=tester,
        topic=MOSAIC,
        spec=parts[0].spec,
        planned=sum(part.planned for part in parts),
        estimate=estimated,
        spent=spent,
        problem=problem,
        jobs=jobs,
    )


def _is_played(places: Places, part: Part) -> bool:
    """Whether its tables were written: trials that are missing in them stay missing."""
    return places.game(part.play.pair.name, part.spec.condition, "trials").exists()


def _game_estimate(
    settings: Settings, parts: Sequence[Part], opened: Sequence[Open], earlier: Earlier
) -> tuple[Estimate, tuple[float, ...]]:
    """What a tester's calls in the game take, and the seconds of each of its jobs.

    All trials of a job are played at once, each call after the one before it: no more calls are in
    flight than trials are open, and no trial is faster than its own calls.
    """
    model, endpoint = parts[0].spec.model, parts[0].spec.endpoint
    expected = expected_completion(_completion(MOSAIC), model.sampling)
    counted = [
        (part, Counter(place for of_trial in one.left.values() for place in of_trial))
        for part, one in zip(parts, opened, strict=True)
    ]
    asks = [
        Ask(part.play.pair.arm, calls, calls * _game_tokens(part, place))
        for part, places in counted
        for place, calls in places.items()
    ]
    whole = estimate(asks, model, endpoint, expected, earlier)
    each = SECONDS_A_CALL if earlier.duration_s is None else earlier.duration_s
    jobs = tuple(
        max(
            one.calls * each / min(model.concurrency, len(one.left)),
            each * max(map(len, one.left.values())),
        )
        for one in opened
        if one.left
    )
    alone = scheduled_seconds([Job(seconds) for seconds in jobs], settings.calls.parallel_jobs)
    tokens = whole.prompt_tokens + whole.completion_tokens
    seconds = max(alone, rate_seconds(endpoint, whole.calls, tokens))
    return replace(whole, seconds=seconds), jobs


def _game_tokens(part: Part, place: Place) -> int:
    """Tokens of a call's prompt, with its picture."""
    picture = picture_tokens(GAME_PX) if shows_picture(place, part) else 0
    return text_tokens(prompt_of(place, part)) + picture


def _judge_lines(
    settings: Settings,
    registry: Registry,
    described: Mapping[str, Sequence[_Describing]],
    places: Places,
) -> Iterator[Line]:
    for arm in settings.triangles.arms if settings.triangles is not None else ():
        rows, assumed, problem = _descriptions(settings, arm, described["triangles"], places)
        for overlay, arms in settings.judged.items():
            for judge in settings.judges if arm in arms else ():
                spec = judge_spec(settings, registry, judge, overlay, arm)
                yield _judge_line(settings, spec, rows, assumed, problem, places)
    if settings.battery:
        rows, problem = _exemplars(settings)
        for judge in settings.battery:
            spec = exemplar_spec(settings, registry, judge)
            yield _judge_line(settings, spec, rows, 0, problem, places)
    if settings.representation_judges:
        of_study = described[REPRESENTATIONS]
        rows, assumed, problem = _descriptions(settings, REPRESENTATIONS, of_study, places)
        for judge in settings.representation_judges:
            spec = representation_spec(settings, registry, judge)
            yield _judge_line(settings, spec, rows, assumed, problem, places)


def _coder_lines(settings: Settings, registry: Registry, places: Places) -> Iterator[Line]:
    """Coders of reasoning traces: on those written to a known code, and on the testers'."""
    from vlmtom.judging import blind_salt
    from vlmtom.report_action.traces import blind_tests, read_tests

    for topic in TRACE_TOPICS if settings.trace_coders else ():
        rows: list[Row] = []
        assumed, problem = 0, None
        try:
            path = places.blind("traces")
            if topic == "tests":
                rows = blind_tests(read_tests(), blind_salt(settings.seed))
            elif path.exists():
                rows = read_rows(path, BLIND_TRACES)
            else:
                n = settings.traces_planned
                assumed = 2 * n + min(n, settings.report_action.traces.recoded)
        except VlmtomError as error:
            problem = str(error)
        for coder in settings.trace_coders:
            spec = coder_spec(settings, registry, coder, topic)
            yield _coder_line(settings, spec, rows, assumed, problem, places)


def _coder_line(
    settings: Settings,
    spec: JudgeSpec,
    rows: Sequence[Row],
    assumed: int,
    problem: str | None,
    places: Places,
) -> Line:
    from vlmtom.judging.rounds import due
    from vlmtom.report_action.traces import prompt, read_codebook
    from vlmtom.report_action.traces.coding import code_requests, reader

    folder = places.codes(spec.judge)
    journal = _journal(folder / "journal", spec.topic, spec)
    problem = journal.problem or problem
    asks: list[Ask] = []
    try:
        book = read_codebook()
        plan = code_requests(rows, spec, book)
        over = journal.settled | _given_up(settings, [folder / f"{spec.arm}.parquet"], TRACE_CODES)
        asks = [
            Ask(spec.arm, 1, text_tokens(request.turns[0].text))
            for number in range(spec.reasks + 1)
            for request in due(plan, journal.tally.records, number, reader(rows))
            if request.digest not in over
        ]
        blank = {"blind_id": "0" * 16, "reply": '{"choice": 0}', "reasoning": "xxx " * TRACE_WORDS}
        asks += [Ask(spec.arm, 1, text_tokens(prompt(book, blank)))] * assumed
    except VlmtomError as error:
        problem = problem or str(error)
    return Line(
        role="judge",
        who=spec.judge,
        topic=spec.topic,
        spec=spec,
        planned=sum(row["codings"] for row in rows) + assumed,
        estimate=None if problem else _estimate(spec, asks, CODE_TOKENS, journal.earlier),
        spent=journal.tally.cost_usd,
        assumed=assumed,
        problem=problem,
    )


def _exemplars(settings: Settings) -> tuple[list[Row], str | None]:
    """The exemplars as judges see them, and what is wrong with their file."""
    from vlmtom.judging import blind_salt
    from vlmtom.judging.validation import exemplar_rows, read_exemplars

    try:
        exemplars = read_exemplars(settings.judging.exemplars)
    except VlmtomError as error:
        return [], str(error)
    return exemplar_rows(exemplars, blind_salt(settings.seed)), None


def _judge_line(
    settings: Settings,
    spec: JudgeSpec,
    rows: Sequence[Row],
    assumed: int,
    problem: str | None,
    places: Places,
) -> Line:
    from vlmtom.judging.rounds import due
    from vlmtom.judging.rubric import read_rubric
    from vlmtom.judging.verdicts import verdict_in, verdict_requests

    folder = places.verdicts(spec.judge)
    journal = _journal(folder / "journal", spec.topic, spec)
    problem = journal.problem or problem
    asks: list[Ask] = []
    try:
        requests = verdict_requests(rows, spec, read_rubric())
        table = folder / f"{spec.topic}.parquet"
        over = journal.settled | _given_up(settings, [table], verdicts_of(spec.topic))
        asks = [
            Ask(spec.arm, 1, text_tokens(request.turns[0].text))
            for number in range(spec.reasks + 1)
            for request in due(requests, journal.tally.records, number, verdict_in)
            if request.digest not in over
        ]
        asks += [_ask_of_a_description(spec)] * (assumed * spec.trials)
    except VlmtomError as error:
        problem = problem or str(error)
    return Line(
        role="judge",
        who=spec.judge,
        topic=spec.topic,
        spec=spec,
        planned=(len(rows) + assumed) * spec.trials,
        estimate=None if problem else _estimate(spec, asks, VERDICT_TOKENS, journal.earlier),
        spent=journal.tally.cost_usd,
        assumed=assumed * spec.trials,
        problem=problem,
    )


def _descriptions(
    settings: Settings, arm: str, described: Sequence[_Describing], places: Places
) -> tuple[list[Row], int, str | None]:
    """Rows for the judges, how many more there will be, and what is wrong with the blind file.

    arm: one of the triangles', or the topic that holds every representation. What has been said
    since the blind file was made is added as the workflow will add it.
    """
    from vlmtom.judging import blind_salt, blind_together

    whole = arm in REPEATED
    keys_file = places.results / "keys" / f"{arm if whole else 'triangles'}.parquet"
    to_come = sum(one.still_open.total() if whole else one.still_open[arm] for one in described)
    said = [row for one in described for row in one.rows if whole or row["arm"] == arm]
    try:
        path = places.blind(arm)
        rows = {row["blind_id"]: row for row in (read_rows(path, BLIND) if path.exists() else ())}
        if keys_file.exists():
            keys = {key["item_id"]: key for key in read_rows(keys_file, TRIANGLES_KEYS)}
            keyed = [row for row in said if row["item_id"] in keys]
            for row in blind_together(keyed, keys.values(), blind_salt(settings.seed), arm):
                rows.setdefault(row["blind_id"], row)
        elif not rows:
            to_come += sum(row["status"] == "ok" for row in said)
    except VlmtomError as error:
        return [], to_come, str(error)
    return list(rows.values()), to_come, None


def _ask_of_a_description(spec: JudgeSpec) -> Ask:
    """The verdict on a description that is not written yet."""
    from vlmtom.judging import prompt, read_rubric
    from vlmtom.judging.blinding import ID_DIGITS

    blank = {
        "blind_id": "0" * ID_DIGITS,
        "condition": "ToM",
        "script": "x" * SCRIPT_CHARACTERS,
        "description": "xxx " * COMPLETION_TOKENS["triangles"],
    }
    return Ask(spec.arm, 1, text_tokens(prompt(spec.overlay, read_rubric(), blank, spec.expected)))


def _ask(arm: str, turns: Sequence[Row], items: Shown, spec: AskSpec) -> Ask:
    completion = expected_completion(_completion(spec.experiment), spec.model.sampling)
    return ask_of(arm, turns, items.sizes, completion, arm in items.reasoning_arms)


def _completion(experiment: str) -> int:
    return COMPLETION_TOKENS.get(experiment, COMPLETION_TOKENS["director"])


def _estimate(spec: CallSpec, asks: Sequence[Ask], completion: int, earlier: Earlier) -> Estimate:
    expected = expected_completion(completion, spec.model.sampling)
    return estimate(asks, spec.model, spec.endpoint, expected, earlier)


def _journal(
    folder: Path, topic: str, spec: CallSpec, reasoning_arms: Collection[str] = ()
) -> _Journal:
    from vlmtom.calls import settled

    def read() -> _Journal:
        records = [
            record for stream in streams(folder, topic) for record in read_stream(folder, stream)
        ]
        return _Journal(
            tally(records),
            earlier_replies(records, spec.model, reasoning_arms),
            frozenset(settled(folder, topic)),
        )

    try:
        try:
            return read()
        except BrokenJournal:
            # A line may have been read while it was written: only what stays broken is.
            return read()
    except (VlmtomError, OSError) as error:
        return _Journal(problem=str(error))


def _given_up(settings: Settings, tables: Iterable[Path], schema: Any) -> frozenset[str]:
    """Requests of tables that were written although replies are missing: they stay missing."""
    if not settings.allow_missing:
        return frozenset()
    found = [read_table(path, schema, ["request_digest"]) for path in tables if path.exists()]
    return frozenset(digest for table in found for digest in table["request_digest"].to_pylist())


def restore_sums(settings: Settings, registry: Registry) -> None:
    """Put down for the budget what journals know and no job has put down.

    So it is after the folder of sums was lost, or came with no results from elsewhere: a job that
    has nothing left to ask does it no more, and no job may read another one's journal.
    """
    places = Places(Path(settings.results))
    for role, slug, stream, found in _sums(places, registry)[0]:
        path = places.spent(role, slug, stream)
        if found.value is not None and not path.exists():
            put_down(path, found.value)


def _spent(places: Places, registry: Registry) -> tuple[Sum, list[str]]:
    """Known costs over every journal of the results, and what is wrong with the others."""
    spent = Sum()
    sums, unreadable = _sums(places, registry)
    for *_, found in sums:
        spent.unknown += found.unknown
        if found.value is not None:
            spent.value = (spent.value or 0.0) + found.value
    # Of replies that were set aside since, only the jobs' own sums know.
    told = spent_in(places.spending)
    if told > (spent.value or 0.0):
        spent.value = told
    return spent, unreadable


def _sums(places: Places, registry: Registry) -> tuple[list[tuple[str, str, str, Sum]], list[str]]:
    """Costs by role, slug and stream. Observers have none."""
    found, unreadable = [], []
    for role, room in (("tester", "replies"), ("judge", "verdicts"), ("judge", "traces")):
        for folder in sorted((places.results / room).glob("*/journal")):
            slug = folder.parent.name
            model = registry.models.get(slug)
            if model is not None and registry.endpoints[model.endpoint].kind == "embedded":
                continue
            for stream in all_streams(folder):
                try:
                    cost = tally(read_stream(folder, stream)).cost_usd
                except (BrokenJournal, OSError) as error:
                    unreadable.append(str(error))
                    continue
                found.append((role, slug, stream, cost))
    return found, unreadable


def _total(paid: Sequence[Line], parallel_jobs: int) -> Total:
    known = [(line, line.estimate) for line in paid if line.estimate is not None]
    left = [(line, one) for line, one in known if one.calls]
    unpriced = [line.who for line, one in left if one.cost_usd is None]
    unbounded = [line.who for line, one in left if one.completion_bound is None]
    bounds = [one.cost_bound_usd or 0.0 for _, one in known]
    return Total(
        calls=sum(one.calls for _, one in known),
        prompt_tokens=sum(one.prompt_tokens for _, one in known),
        completion_tokens=sum(one.completion_tokens for _, one in known),
        cost_usd=sum(one.cost_usd or 0.0 for _, one in known),
        cost_bound_usd=None if unbounded else sum(bounds),
        seconds=_seconds(left, parallel_jobs),
        unpriced=_once(unpriced),
        unbounded=_once(unbounded),
        reasoning=_once(
            line.who
            for line, one in left
            if reasons(line.spec.model.sampling) and one.tokens_from == "estimate"
        ),
        hidden=len(paid) - len(known),
    )


def _seconds(left: Sequence[tuple[Line, Estimate]], parallel_jobs: int) -> float:
    """Jobs in slots, but no faster than an endpoint's rates, which its jobs share, allow."""
    jobs = [
        Job(seconds, judges=line.role == "judge", needed=line.topic == "triangles")
        for line, one in left
        for seconds in line.jobs or (one.seconds,)
    ]
    by_endpoint: dict[str, list[tuple[Line, Estimate]]] = {}
    for line, one in left:
        by_endpoint.setdefault(line.spec.model.endpoint, []).append((line, one))
    shared = [
        rate_seconds(
            of_endpoint[0][0].spec.endpoint,
            sum(one.calls for _, one in of_endpoint),
            sum(one.prompt_tokens + one.completion_tokens for _, one in of_endpoint),
        )
        for of_endpoint in by_endpoint.values()
    ]
    return max([scheduled_seconds(jobs, parallel_jobs), *shared])


def _budget(settings: Settings, total: Total, paid: Sequence[Line], spent: Sum) -> Budget | None:
    if settings.budget is None:
        return None
    left = settings.budget - (spent.value or 0.0)
    most = total.cost_bound_usd
    costs = ((line.calls, line.estimate.cost_usd) for line in paid if line.estimate is not None)
    return Budget(
        usd=settings.budget,
        left_usd=left,
        suffices=total.cost_usd <= left,
        suffices_at_most=None if most is None or total.unpriced else most <= left,
        affordable=affordable_calls(costs, left),
    )


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
