"""Where a configuration's replies and verdicts lie."""

from dataclasses import dataclass
from pathlib import Path

from vlmtom.settings import EXEMPLARS, MOSAIC, REPRESENTATIONS, Settings


@dataclass(frozen=True)
class Places:
    """The folder of results, by what lies in it; as the workflow's rules name it."""

    results: Path

    def items(self, experiment: str) -> Path:
        """The items of an experiment."""
        return self.results / "stimuli" / experiment / "items.parquet"

    def blind(self, arm: str) -> Path:
        """The descriptions of an arm, as judges see them."""
        return self.results / "blind" / f"{arm}.parquet"

    def exemplars(self, judge: str) -> Path:
        """A judge's verdicts on the exemplars."""
        return self.verdicts(judge) / f"{EXEMPLARS}.parquet"

    def representations(self, judge: str) -> Path:
        """A judge's verdicts on what was said of representations."""
        return self.verdicts(judge) / f"{REPRESENTATIONS}.parquet"

    def replies(self, tester: str) -> Path:
        """The folder of a tester's replies."""
        return self.results / "replies" / tester

    def verdicts(self, judge: str) -> Path:
        """The folder of a judge's verdicts."""
        return self.results / "verdicts" / judge

    def codes(self, coder: str) -> Path:
        """The folder of a coder's codes of reasoning traces."""
        return self.results / "traces" / coder

    def game(self, pair: str, condition: str, log: str) -> Path:
        """A table of the game: trials, steps, utterances or calls of a pair in a condition."""
        return self.results / MOSAIC / pair / f"{condition}.{log}.parquet"

    def games(self) -> list[Path]:
        """The folders of the pairs that have played, sorted."""
        return [self.results / MOSAIC / name for name in _folders(self.results / MOSAIC)]

    def spent(self, role: str, slug: str, stream: str) -> Path:
        """The file in which a job puts down what it spent of the run's budget."""
        return self.spending / f"{role}.{slug}.{stream}.spent"

    @property
    def spending(self) -> Path:
        """The folder in which all jobs put down what they spent."""
        return self.results / "calls" / "_spending"

    def testers(self) -> list[str]:
        """Testers that have a folder of replies, sorted."""
        return _folders(self.results / "replies")

    def judges(self) -> list[str]:
        """Judges that have a folder of verdicts, sorted."""
        return _folders(self.results / "verdicts")

    def coders(self) -> list[str]:
        """Coders that have a folder of codes, sorted."""
        return _folders(self.results / "traces")


def _folders(folder: Path) -> list[str]:
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(path.name for path in found if path.is_dir())


def experiments(settings: Settings) -> list[str]:
    """The experiments of a configuration."""
    return list(settings.experiments)


def with_items(settings: Settings) -> list[str]:
    """Those that ask items; in the treasure game each call rests on the replies before it."""
    return [name for name in settings.experiments if name != MOSAIC]
