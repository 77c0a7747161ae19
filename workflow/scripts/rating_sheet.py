from vlmtom.judging import instruments, read_rubric
from vlmtom.publish.rating_sheet import html_of_sheet
from vlmtom.rating.secret import kept_secret
from vlmtom.rating.sheet import chosen, sheet_of
from vlmtom.store import read_rows, schemas, write_bytes, write_rows
from vlmtom.store.locks import check_locks

from _script import start_log

log = start_log(snakemake)
given, params, made = snakemake.input, snakemake.params, snakemake.output
check_locks(params.locks, instruments(exemplars=params.exemplars))
rows = [row for path in given.descriptions for row in read_rows(path, schemas.DESCRIPTIONS)]
secret = kept_secret(params.secret)
rows = chosen(rows, params.n, secret)
sheet, key = sheet_of(rows, read_rows(given.blind, schemas.BLIND), read_rubric(), secret)
write_bytes(made.sheet, html_of_sheet(sheet).encode())
write_rows(made.key, key, schemas.RATING_KEY)
log.info("%s: %d descriptions", sheet.sheet_id, len(key))
