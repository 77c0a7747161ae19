"""Which rule stands behind a choice: reasoning traces, read by coders under a codebook.

A coder is a judge-side model, or a person. It sees a neutral id, the answer and the reasoning.
"""

from vlmtom.report_action.traces.blinding import blind_traces, trace_key
from vlmtom.report_action.traces.codebook import Codebook, codebook_page, read_codebook
from vlmtom.report_action.traces.gate import blind_tests, gate_rows, read_tests
from vlmtom.report_action.traces.prompts import every_prompt, instruments, prompt
from vlmtom.report_action.traces.sheets import (
    read_returned,
    returned_sheets,
    sheet_csv,
    sheet_rows,
)
from vlmtom.report_action.traces.tables import coding_table, trace_table

__all__ = [
    "Codebook",
    "blind_tests",
    "blind_traces",
    "codebook_page",
    "coding_table",
    "every_prompt",
    "gate_rows",
    "instruments",
    "prompt",
    "read_codebook",
    "read_returned",
    "read_tests",
    "returned_sheets",
    "sheet_csv",
    "sheet_rows",
    "trace_key",
    "trace_table",
]
