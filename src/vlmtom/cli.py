"""The command `vlmtom`: what is done outside the workflow."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from vlmtom import __version__
from vlmtom.errors import BadData, VlmtomError
from vlmtom.leaving import leave


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status: 0 done, 1 something is wrong, 2 wrong usage."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except VlmtomError as error:
        print(f"vlmtom {options.command}: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 1
    except OSError as error:  # no room, no right, no such folder
        print(f"vlmtom {options.command}: {_of_the_disk(error)}", file=sys.stderr)
        return 1


def _of_the_disk(error: OSError) -> str:
    return f"{error.filename}: {error.strerror}." if error.filename else str(error)


def run() -> NoReturn:
    """The command's entry point."""
    leave(main())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="vlmtom", description="Theory of mind in vision-language models, measured."
    )
    parser.add_argument("--version", action="version", version=f"vlmtom {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    parse = commands.add_parser(
        "parse", help="read replies (JSON lines) and print their values (JSON lines)"
    )
    parse.add_argument("file", nargs="?", help="JSON lines; standard input if left out")
    parse.set_defaults(run=_parse)

    aggregate = commands.add_parser(
        "aggregate", help="tables from trials that were scored elsewhere"
    )
    aggregate.add_argument(
        "--director",
        metavar="CSV",
        help="columns model, scene, trial, a, b, cQ1, cQ2, ego_b (1, 0, or empty if missing)",
    )
    aggregate.add_argument(
        "--triangles",
        metavar="CSV",
        help="columns model, condition (ToM, GD, Random), clip, judge, trial, intent (0 to 5), "
        "approp (0 to 3; both empty if missing); where there are several also arm and overlay",
    )
    aggregate.add_argument(
        "--references",
        metavar="CSV",
        help="published means of human groups (docs/joint.md); those of the repository if left out",
    )
    aggregate.add_argument("--out", required=True, metavar="DIR", help="folder for the tables")
    aggregate.set_defaults(run=_aggregate)

    words = "check results against manifest, locks and journal chains"
    verify = _configured(commands, "verify", _verify, words)
    verify.add_argument(
        "--all", action="store_true", help="draw every picture of the treasure game, not a sample"
    )
    words = "accept the present prompts, stimuli and thresholds as locked"
    _configured(commands, "lock", _lock, words)

    status = _configured(commands, "status", _status, "how far every job is, while jobs run too")
    status.add_argument("--watch", action="store_true", help="again and again, until Ctrl-C")

    forget = _configured(commands, "forget", _forget, "set a tester's replies aside, to ask anew")
    forget.add_argument("tester", metavar="TESTER")
    forget.add_argument("--experiment", metavar="E", help="only this one; all if left out")

    rename = _configured(commands, "rename", _rename, "keep what a renamed model was paid for")
    rename.add_argument("old", metavar="OLD", help="the name under which it was asked")
    rename.add_argument("new", metavar="NEW", help="its name in configuration and registry now")

    adopt = _configured(commands, "adopt", _adopt, "journal tables that came without a journal")
    adopt.add_argument("files", nargs="*", metavar="FILE", help="all of the results if left out")

    ask = commands.add_parser("ask", help="ask a model your own items, each only once")
    ask.add_argument(
        "items",
        type=Path,
        metavar="ITEMS",
        help="CSV with item_id, prompt, picture; or items.parquet with pictures.parquet beside it",
    )
    for option, kind, metavar, words in (
        ("base-url", str, "URL", "OpenAI-compatible server, up to and including /v1"),
        ("model", str, "ID", "the model's id there"),
        ("out", Path, "FILE", "replies, .parquet or .csv; the journal lies in FILE.ask"),
    ):
        ask.add_argument(f"--{option}", type=kind, metavar=metavar, required=True, help=words)
    for option, kind, metavar, words in (
        ("api-key-env", str, "VAR", "environment variable that holds the key"),
        ("concurrency", int, "N", "requests in flight at once; default: 8"),
        ("seed", int, "S", "every trial's seed is derived from it; default: 1"),
        ("trials", int, "K", "trials of items that do not say theirs; default: 1"),
        ("temperature", float, "T", "default: the server's own"),
        ("max-tokens", int, "N", "default: 1024"),
        ("price-in", float, "USD", "for a million tokens, where the server reports no cost"),
        ("price-out", float, "USD", "likewise, of the replies"),
    ):
        ask.add_argument(f"--{option}", type=kind, metavar=metavar, help=words)
    ask.add_argument(
        "--allow-missing", action="store_true", help="write the table with failed requests in it"
    )
    ask.add_argument(
        "--no-probe", action="store_true", help="leave out the first call, which shows a red square"
    )
    ask.set_defaults(run=_ask)

    plan = _configured(
        commands, "plan", _plan, "what is still to be asked: calls, tokens, cost, time"
    )
    plan.epilog = "--config -: a complete configuration on standard input, as YAML or JSON"
    plan.add_argument("--all", action="store_true", help="list observers and embedded judges too")
    plan.add_argument(
        "--restore", action="store_true", help="put down, for the budget, what only journals know"
    )
    plan.add_argument("--csv", metavar="FILE", help="write the lines as CSV as well")

    words = "ask a model a few items, and look at pictures, prompts, replies, parses and cost"
    trial = _configured(commands, "try", _try, words)
    trial.add_argument("tester", metavar="TESTER", help="a name in the registry")
    trial.add_argument(
        "--items",
        type=int,
        default=2,
        metavar="N",
        help="stimuli of each arm; default: %(default)s",
    )
    trial.add_argument("--out", metavar="DIR", help="default: RESULTS/try/TESTER-DATE")
    _travelling(commands)
    _paired_command(commands)
    _mosaic_commands(commands)
    return parser


def _mosaic_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    mosaic = commands.add_parser(
        "mosaic", help="statistics of the treasure game, from trials that were played elsewhere"
    )
    parts = mosaic.add_subparsers(dest="part", required=True, metavar="PART")
    summary = parts.add_parser("summary", help="shares, means and tests, a row a condition")
    summary.add_argument(
        "file",
        type=Path,
        metavar="TRIALS",
        help="CSV of one pair with condition, trial, reward (0, 1), choice (0, 1, -1, or empty if "
        "missing), b_traj, b_gaze (0, 1, or none)",
    )
    summary.add_argument(
        "--srh",
        action="store_true",
        help="print the Scheirer-Ray-Hare tests of mode and ToM order instead, a row a variable",
    )
    summary.set_defaults(run=_mosaic_summary)
    score = parts.add_parser("score", help="the metrics of trials, a row a log")
    score.add_argument(
        "file",
        type=Path,
        metavar="LOGS",
        help="CSV with mode (coop, comp), tom (0, 1), reward (0, 1), final_x, final_y (the "
        "participant's last cell), log (JSON: the subject in rounds 1 to 10, "
        "[x, y, hx, hy, facial])",
    )
    score.set_defaults(run=_mosaic_score)
    card = parts.add_parser("card", help="one trial of a run as a card and a film")
    card.add_argument("results", type=Path, metavar="RESULTS", help="the run's results")
    card.add_argument("pair", metavar="PAIR", help="who played: a folder of RESULTS/mosaic")
    card.add_argument("condition", metavar="CONDITION", help="such as comp-tom1")
    card.add_argument(
        "--trial", type=int, metavar="N", help="default: the first that ended as predicted"
    )
    card.add_argument(
        "--round", type=int, metavar="N", help="whose views are shown; default: the most telling"
    )
    card.add_argument(
        "--out", type=Path, default=Path("card"), metavar="PATH", help="without suffix: %(default)s"
    )
    card.set_defaults(run=_mosaic_card)


def _paired_command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    words = "the difference between two conditions of the same scenes, from scored answers"
    paired = commands.add_parser("paired", help=words)
    paired.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="CSV with scene, condition (0 without, 1 with), reply, y (1, 0, or empty if missing)",
    )
    paired.add_argument(
        "--compare",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="the other comparisons of the same family; p is adjusted over all of them",
    )
    paired.add_argument(
        "--seed", type=int, metavar="N", help="of the intervals of single shares; default: 20261"
    )
    paired.set_defaults(run=_paired)


def _travelling(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The commands that take results elsewhere, and compare them there."""
    bundle = _configured(
        commands, "bundle", _bundle, "pack a run, so that its tables can be rebuilt elsewhere"
    )
    bundle.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="ends in .tar.gz or .zip"
    )
    for option, words in (
        ("without-text", "leave out raw replies; tables can be rebuilt from cells on"),
        ("allow-shape", "let strings pass that only look like keys"),
        ("unverified", "pack it although `vlmtom verify` would find differences"),
    ):
        bundle.add_argument(f"--{option}", action="store_true", help=words)

    unbundle = commands.add_parser("unbundle", help="unpack a bundle and check it")
    unbundle.add_argument("file", type=Path, metavar="FILE")
    unbundle.add_argument("folder", type=Path, metavar="DIR", help="a new folder")
    unbundle.set_defaults(run=_unbundle)

    compare = commands.add_parser("compare", help="what changed between two runs")
    for name in ("a", "b"):
        compare.add_argument(
            name, type=Path, metavar=name.upper(), help="a folder of results, or a bundle unpacked"
        )
    compare.add_argument("--csv", type=Path, metavar="DIR", help="write every change as CSV too")
    compare.set_defaults(run=_compare)


def _configured(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    run: Callable[[argparse.Namespace], int],
    words: str,
) -> argparse.ArgumentParser:
    """A command that reads a configuration."""
    command = commands.add_parser(name, help=words)
    command.add_argument(
        "--config",
        default="config/config.yaml",
        metavar="YAML",
        help="laid over config/config.yaml; default: %(default)s",
    )
    command.set_defaults(run=run)
    return command


def _parse(options: argparse.Namespace) -> int:
    from vlmtom.parsing import BadParseInput, main_lines

    try:
        if options.file is None:
            main_lines(sys.stdin, sys.stdout)
        else:
            with Path(options.file).open(encoding="utf-8") as lines:
                main_lines(lines, sys.stdout)
    except BadParseInput as error:
        print(f"vlmtom parse: {error}", file=sys.stderr)
        return 2
    except (OSError, UnicodeDecodeError) as error:
        raise BadData(
            f"{options.file or 'standard input'}: cannot be read as UTF-8 JSON lines: {error}"
        ) from error
    return 0


def _aggregate(options: argparse.Namespace) -> int:
    if options.director is None and options.triangles is None:
        print(
            "vlmtom aggregate: expected --director CSV or --triangles CSV, or both.",
            file=sys.stderr,
        )
        return 2
    from vlmtom.publish.outside import aggregate
    from vlmtom.stats.references import REFERENCES
    from vlmtom.store.files import write_output

    folder = Path(options.out)
    known = options.references or REFERENCES
    for name, content in aggregate(options.director, options.triangles, known).items():
        write_output(folder / name, content)
        print(folder / name)
    return 0


def _verify(options: argparse.Namespace) -> int:
    from vlmtom.commands.release import left_out_words, read_release, release_problems
    from vlmtom.commands.verifying import verify
    from vlmtom.commands.verifying_game import game_problems
    from vlmtom.instruments import instruments
    from vlmtom.settings import load_layered

    settings, drawn = load_layered(options.config), None
    published = read_release(Path())
    if published is not None and settings.triangles is not None and settings.triangles.clips:
        print("Original films are not in a release; their sheets are not made anew.")
        drawn = settings.model_copy(update={"triangles": None})
    left_out = published["left_out"] if published is not None else ()
    problems = verify(settings.results, settings.locks, instruments(drawn or settings), left_out)
    problems += game_problems(settings, options.all)
    if published is not None:
        problems += release_problems(Path(), settings)
    for problem in problems:
        print(problem)
    if problems:
        print(f"{len(problems)} differences.")
        return 1
    if left_out:
        words = left_out_words(left_out)
        print(f"{len(left_out)} files of the run are not in this release ({words}).")
    print(f"{settings.results}: manifest, locks, journals and pictures hold.")
    return 0


def _lock(options: argparse.Namespace) -> int:
    from vlmtom.instruments import instruments
    from vlmtom.settings import load_layered
    from vlmtom.store.locks import write_locks

    settings = load_layered(options.config)
    changed = write_locks(settings.locks, instruments(settings, every_clip=True))
    for change in changed:
        print(change)
    print(f"{settings.locks}: {len(changed)} entries written.")
    return 0


def _status(options: argparse.Namespace) -> int:
    from vlmtom.commands.status import show
    from vlmtom.settings import load_layered, load_registry

    settings = load_layered(options.config)
    show(settings, load_registry(settings), options.watch)
    return 0


def _forget(options: argparse.Namespace) -> int:
    from vlmtom.commands.forget import forget
    from vlmtom.settings import load_layered

    aside = forget(load_layered(options.config), options.tester, options.experiment)
    print(f"{aside}: here are the replies of {options.tester} now. `snakemake` will ask again.")
    return 0


def _rename(options: argparse.Namespace) -> int:
    from vlmtom.commands.rename import rename, report
    from vlmtom.settings import load_layered

    report(rename(load_layered(options.config), options.old, options.new), print)
    return 0


def _adopt(options: argparse.Namespace) -> int:
    from vlmtom.commands.adopt import adopt, report
    from vlmtom.settings import load_layered, load_registry

    settings = load_layered(options.config)
    report(adopt(settings, load_registry(settings), options.files), print)
    return 0


def _ask(options: argparse.Namespace) -> int:
    from vlmtom.commands.ask import Question, ask

    given = {name: value for name, value in vars(options).items() if name not in ("command", "run")}
    try:
        return ask(Question(**given), print)
    except KeyboardInterrupt:  # while items are read; the job itself is waited for
        print("vlmtom ask: stopped; run the same command again to go on", file=sys.stderr)
        return 130


def _plan(options: argparse.Namespace) -> int:
    from vlmtom.commands.plan import plan, restore_sums, settings_of
    from vlmtom.commands.plan_text import plan_csv, show
    from vlmtom.settings import load_layered, load_registry
    from vlmtom.store.files import write_output

    given = options.config == "-"
    settings = settings_of(sys.stdin.read()) if given else load_layered(options.config)
    registry = load_registry(settings)
    found = plan(settings, registry)
    show(found, options.all)
    if options.restore:
        restore_sums(settings, registry)
    if options.csv is not None:
        write_output(options.csv, plan_csv(found, options.all))
    return 0


def _try(options: argparse.Namespace) -> int:
    if options.items < 1:
        print("vlmtom try: expected --items of 1 or more.", file=sys.stderr)
        return 2
    from vlmtom.commands.try_ import try_tester
    from vlmtom.settings import load_layered, load_registry

    settings = load_layered(options.config)
    registry = load_registry(settings)
    return try_tester(settings, registry, options.tester, options.items, options.out)


def _bundle(options: argparse.Namespace) -> int:
    from vlmtom.commands.bundle import bundle, report
    from vlmtom.commands.verifying import verify
    from vlmtom.commands.verifying_game import game_problems
    from vlmtom.instruments import instruments
    from vlmtom.settings import load_layered, load_registry

    settings = load_layered(options.config)
    done = bundle(
        settings,
        load_registry(settings),
        options.out,
        lambda: [
            *verify(settings.results, settings.locks, instruments(settings)),
            *game_problems(settings),
        ],
        text=not options.without_text,
        allow_shapes=options.allow_shape,
        allow_unverified=options.unverified,
    )
    report(done, print)
    return 0


def _unbundle(options: argparse.Namespace) -> int:
    from vlmtom.commands.unbundle import report, unbundle

    report(unbundle(options.file, options.folder), print)
    return 0


def _compare(options: argparse.Namespace) -> int:
    """0: nothing differs. 1: something does. 2: one of the two cannot be compared."""
    from vlmtom.commands.compare import compare, show, write_csvs

    try:
        found = compare(options.a, options.b)
        if options.csv is not None:
            write_csvs(found, options.csv)
    except (VlmtomError, OSError) as error:
        said = _of_the_disk(error) if isinstance(error, OSError) else error
        print(f"vlmtom compare: {said}", file=sys.stderr)
        return 2
    show(found, print)
    return int(found.differs)


def _paired(options: argparse.Namespace) -> int:
    from vlmtom.commands.paired import SEED, report

    print(report(options.file, options.compare, SEED if options.seed is None else options.seed))
    return 0


def _mosaic_summary(options: argparse.Namespace) -> int:
    from vlmtom.commands.mosaic import summary_csv

    print(summary_csv(options.file, options.srh), end="")
    return 0


def _mosaic_score(options: argparse.Namespace) -> int:
    from vlmtom.commands.mosaic import score_csv

    print(score_csv(options.file), end="")
    return 0


def _mosaic_card(options: argparse.Namespace) -> int:
    from vlmtom.commands.mosaic_card import card

    given = (options.results, options.pair, options.condition, options.trial, options.round)
    print("\n".join(map(str, card(*given, options.out))))
    return 0


if __name__ == "__main__":
    run()
