#!/bin/sh
# All tables of a folder of results as one LaTeX document: sh workflow/tables_pdf.sh [results]
# Fails where one does not compile, or does not fit the page of a plain article.
set -eu
results=${1:-results}
command -v pdflatex >/dev/null || { echo "pdflatex is not here: install a TeX distribution"; exit 1; }
set -- "$results"/tables/*.tex
[ -e "$1" ] || { echo "$results/tables holds no .tex file: run snakemake first"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$@" "$work"
{
    printf '%s\n' '\documentclass{article}' '\usepackage{booktabs}' '\begin{document}'
    for table in "$@"; do
        printf '\\typeout{== %s}\n\\input{%s}\n\\clearpage\n' "$(basename "$table")" "$(basename "$table" .tex)"
    done
    printf '%s\n' '\end{document}'
} >"$work/tables.tex"
if ! (cd "$work" && pdflatex -halt-on-error -interaction=nonstopmode tables.tex >tables.out); then
    tail -n 20 "$work/tables.out"
    exit 1
fi
if grep -Eq 'Overfull .hbox|Float too large' "$work/tables.out"; then
    echo "larger than the page:"
    awk '/^== /{table=$2} /Overfull .hbox|Float too large/{print "  " table ": " $0}' "$work/tables.out"
    exit 1
fi
cp "$work/tables.pdf" "$results/tables.pdf"
echo "$results/tables.pdf: $# tables"
