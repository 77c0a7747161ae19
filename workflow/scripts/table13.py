from vlmtom.judging import blind_salt
from vlmtom.judging.ablation import candidate, table13
from vlmtom.judging.validation import battery_rows, named, read_exemplars
from vlmtom.publish.judge_battery import Battery
from vlmtom.publish.table13 import table13_tex
from vlmtom.stats.exact import plain
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
given, params, made = snakemake.input, snakemake.params, snakemake.output
judges = {judge: candidate(**entry) for judge, entry in params.entries.items()}
exemplars = read_exemplars(given.exemplars)
verdicts = [row for path in given.verdicts for row in read_rows(path, schemas.EXEMPLAR_VERDICTS)]
verdicts = named(verdicts, exemplars, blind_salt(params.seed))
kinds = {judge: entry["kind"] for judge, entry in params.entries.items()}
scored = battery_rows(verdicts, exemplars, params.battery["repetitions"], kinds)
table = table13(scored, judges)
tex = table13_tex(table, Battery(n_exemplars=len(exemplars), **params.battery))
write_bytes(made.tex, tex.encode())
write_rows(made.parquet, plain(table), schemas.TABLE13)
write_csv(made.csv, plain(table), schemas.TABLE13.names)
log.info("%d judges", len(judges))
