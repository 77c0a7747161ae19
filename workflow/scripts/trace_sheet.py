from vlmtom.rating.secret import kept_secret
from vlmtom.report_action.traces import codebook_page, read_codebook, sheet_csv, sheet_rows
from vlmtom.store import read_rows, schemas, write_bytes, write_rows

from _script import start_log

log = start_log(snakemake)
given, params, made = snakemake.input, snakemake.params, snakemake.output
key = read_rows(given.key, schemas.TRACE_KEY)
blind = read_rows(given.blind, schemas.BLIND_TRACES)
rows, places = sheet_rows(key, blind, params.n, kept_secret(params.secret))
write_bytes(made.sheet, sheet_csv(rows))
write_bytes(made.codebook, codebook_page(read_codebook(given.codebook)).encode())
write_rows(made.places, places, schemas.TRACE_SHEET)
log.info("%d traces on the sheet", len(rows))
