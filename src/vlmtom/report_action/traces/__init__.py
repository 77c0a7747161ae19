"""Which rule stands behind a choice: reasoning traces, read by coders under a codebook.

A coder is a judge-side model, or a person. It sees a neutral id, the answer and the reasoning.
"""

from vlmtom.report_action.traces.blinding import blind_traces, trace_key
from vlmtom.report_action.traces.codebook import FIELDS, Codebook, read_codebook
from vlmtom.report_action.traces.gate import blind_tests, gate_rows, read_tests
from vlmtom.report_action.traces.prompts import every_prompt, instruments, prompt

__all__ = [
    "FIELDS",
    "Codebook",
    "blind_tests",
    "blind_traces",
    "every_prompt",
    "gate_rows",
    "instruments",
    "prompt",
    "read_codebook",
    "read_tests",
    "trace_key",
]
