"""Turns a model's raw reply into a value, or into `unparsed` with a reason of a closed list."""

from vlmtom.palette import PALETTE_COLORS
from vlmtom.parsing.blocks import Choice, failure_mode, move_single, score_move, visibility_multi
from vlmtom.parsing.gate import Gated, read_reply, reasoning_in
from vlmtom.parsing.json_answers import json_last
from vlmtom.parsing.lines import KINDS, BadParseInput, main_lines, parse
from vlmtom.parsing.model import REASONS, STATUSES, Parsed
from vlmtom.parsing.trace_codes import trace_code
from vlmtom.parsing.two_answers import GatedAnswers, gated, gated_answers
from vlmtom.parsing.verdicts import judge_verdict

__all__ = [
    "KINDS",
    "PALETTE_COLORS",
    "REASONS",
    "STATUSES",
    "BadParseInput",
    "Choice",
    "Gated",
    "GatedAnswers",
    "Parsed",
    "failure_mode",
    "gated",
    "gated_answers",
    "json_last",
    "judge_verdict",
    "main_lines",
    "move_single",
    "parse",
    "read_reply",
    "reasoning_in",
    "score_move",
    "trace_code",
    "visibility_multi",
]
