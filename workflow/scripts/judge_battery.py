from vlmtom.judging import blind_salt
from vlmtom.judging.validation import battery_rows, named, read_exemplars
from vlmtom.publish.judge_battery import Battery, judge_battery_tex
from vlmtom.stats.exact import plain
from vlmtom.store import read_rows, schemas, write_bytes, write_csv, write_rows

from _script import start_log

log = start_log(snakemake)
given, params, made = snakemake.input, snakemake.params, snakemake.output
exemplars = read_exemplars(given.exemplars)
verdicts = [row for path in given.verdicts for row in read_rows(path, schemas.EXEMPLAR_VERDICTS)]
verdicts = named(verdicts, exemplars, blind_salt(params.seed))
table = battery_rows(verdicts, exemplars, params.battery["repetitions"], params.judges)
battery = Battery(n_exemplars=len(exemplars), **params.battery)
write_bytes(made.tex, judge_battery_tex(table, battery).encode())
write_rows(made.parquet, plain(table), schemas.JUDGE_BATTERY)
write_csv(made.csv, plain(table), schemas.JUDGE_BATTERY.names)
log.info("%d judges, %d of them pass", len(table), sum(row["verdict"] == "PASS" for row in table))
