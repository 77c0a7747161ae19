"""What every script does first: logging, and errors that read as sentences, in the rule's log."""

import logging
import sys
from types import TracebackType

from vlmtom.errors import VlmtomError


def start_log(snakemake) -> logging.Logger:
    """Send log lines and an uncaught error to the rule's log file."""
    logging.basicConfig(
        filename=snakemake.log[0],
        filemode="w",
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
    )
    log = logging.getLogger(snakemake.rule)

    def last_words(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if isinstance(error, VlmtomError):
            log.error("%s", error)
        else:
            log.critical("unexpected error", exc_info=(kind, error, trace))
        sys.__excepthook__(kind, error, trace)

    sys.excepthook = last_words
    return log
