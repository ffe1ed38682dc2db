# Every task by name; `make help` lists them. A machine needs Java 17, Python 3.11 and make, all else is fetched.

SHELL       := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS   += --no-builtin-rules
# All of it runs on this machine alone, whatever its host name resolves to.
export SPARK_LOCAL_IP := 127.0.0.1
# One Java for all: sbt and brokers take that of the PATH, Spark that of JAVA_HOME.
ifneq ($(JAVA_HOME),)
export PATH := $(JAVA_HOME)/bin:$(PATH)
endif
.DELETE_ON_ERROR:
.NOTPARALLEL:
.DEFAULT_GOAL := help

BIN     := .venv/bin
SBT     := $(BIN)/python project/sbt
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' python/pyproject.toml)
JARS    := python/src/dynamic_kafka/jars
JAR     := $(JARS)/dynamic-kafka-spark_2.13-$(VERSION).jar
WHEEL   := python/dist/dynamic_kafka_spark-$(VERSION)-py3-none-any.whl
# What the wheel takes from the top; hatch looks for it beside pyproject.toml.
TEXTS   := $(addprefix python/,README.md LICENSE NOTICE $(wildcard licenses/*.txt licenses/*/*))
PAGES   := thin/Test/runMain io.github.dynamickafka.spark.pages.ReferencePages

# The first Python that is new enough; asked for only when .venv is made.
PYTHON   = $(shell for one in python3.11 python3.12 python3.13 python3; do \
             $$one -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$one && break; done)

# With the folders: these become newer where a file is deleted.
SCALA_SOURCES  = LICENSE NOTICE $(shell find jvm/src/main licenses -type d; \
                   find jvm/src/main licenses project build.sbt -type f -not -path '*/target/*' -not -name '*.py*')
PYTHON_SOURCES = $(shell find python/src -type d -not -name __pycache__ -not -name jars; \
                   find python/src python/*.toml python/*.py -type f -name '*.*' -not -name '*.jar' -not -name '*.pyc')
RUN            = $(BIN)/python project/run_tests.py
# Python outside of the package: the tests of the whole product, benchmarks, examples and the build's own scripts.
OUTSIDE        = $(wildcard tests project/*.py project/release bench examples docs/site)

.PHONY: help setup pin java demo fmt check docs api compat test scala python e2e slow wire matrix breaks histories schedules chaos oncall \
        long leaks bench bench-quick jar wheel publish-local texts site release clean

# What `make help` prints: groups, and in each a line for the targets that belong together.
##@ Begin
## setup, pin | the virtual environment .venv with pinned tools; pin: from the newest versions that requirements allow
## demo | two clusters, a query and a stream that moves, to watch; PICTURE=a.svg keeps a plot of it
##@ Change
## fmt | formats Scala and Python, and corrects what the linter can
## check | formatters, linters, types, sizes, generated pages, examples compile, binary compatibility; changes nothing
## docs, api, compat | writes again: generated pages; the texts of the public API; what this version's checkpoints hold, once
##@ Test
## test | all tests: Scala, Python, the whole product on real brokers
## scala, python, e2e | one part of them: ARGS='*ReadBudget*' chooses suites of Scala, ARGS="-k name" goes to pytest
## slow | the slowest tenth of the scenarios, which `make test` leaves out
## wire, matrix | on KAFKAS="4.0.1" or two others; on each Spark, Java and Python, and each way into Spark (QUICK=1: two corners)
##@ Test for longer
## breaks | breaks each rule of tests/promises/broken.yaml in a copy: do its tests fail? ARGS="reconcile/" chooses
## histories, schedules | HISTORIES (20000) of changes, SCHEDULES (100000) of a batch that can't be read; SEED repeats
## chaos, oncall | all faults at once, or a busy cluster dies, for DURATION=60s; SEED, RATE, FAR=80ms, CLUSTER=standalone, MODE=realtime
## long, leaks | what goes wrong at night, and all else that takes long; 200 clusters come and go: is anything left?
## bench, bench-quick | how fast it is: an hour, into docs/internals/measurements.md; minutes, printed. ARGS="sick", AGAINST=a.jar
##@ Build and release
## jar, wheel, publish-local | both jars; the wheel in python/dist; all jars in the local Maven repository
## site | the documentation as a site, in build/site, with the JVM's API inside
## release | makes, checks and tries VERSION=x.y.z in build/release; publishes with PUBLISH=1
## help, clean | this list; removes what was built, but for .venv

help:
	@sed -n -e 's/^##@ \(.*\)/\n\1/p' -e 's/^## \(.*\) | \(.*\)/\1|\2/p' Makefile | \
	  while IFS='|' read -r names text; do [ -n "$$text" ] && printf '  %-26s %s\n' "$$names" "$$text" || echo "$$names"; done

setup: .venv/.linked java

# Of the files of constraints alone, each by its digest.
INSTALL = pip install --quiet --disable-pip-version-check --require-hashes --requirement

.venv/.ready: python/constraints-dev.txt
	@[ -n "$(PYTHON)" ] || { echo "No Python 3.11 or newer is on the PATH. Install one, or put its folder there." >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/$(INSTALL) $<
	touch $@

# The package itself, linked: what is edited counts at once, and its version can be asked for.
.venv/.linked: .venv/.ready python/pyproject.toml python/hatch_build.py | $(TEXTS)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable python
	touch $@

java:
	@[ -z "$(JAVA_HOME)" ] || [ -x "$(JAVA_HOME)/bin/java" ] || { echo "JAVA_HOME is $(JAVA_HOME), where there is no bin/java." >&2; exit 1; }; \
	found=$$(java -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' || true); \
	[ "$${found:-0}" -ge 17 ] || { echo "Java 17 or newer is needed; found: $${found:-none}, $$(command -v java). Set JAVA_HOME to one." >&2; exit 1; }

jar: $(JAR)

$(JAR): $(SCALA_SOURCES) | .venv/.linked java
	$(SBT) thin/packageBin shaded/packageBin thin/makePom shaded/makePom
	mkdir -p $(JARS) && rm -f $(JARS)/*.jar
	cp jvm/target/scala-2.13/$(@F) $@

wheel: $(WHEEL)

$(TEXTS): python/%: %
	mkdir -p $(@D) && cp $< $@

$(WHEEL): $(JAR) $(PYTHON_SOURCES) $(TEXTS) | .venv/.linked
	rm -rf python/dist
	$(BIN)/python -m build --wheel --no-isolation --outdir python/dist python

fmt: .venv/.linked java
	$(SBT) scalafmtAll bench/scalafmtAll examples/scalafmtAll scalafmtSbt
	$(BIN)/ruff check --fix --config python/pyproject.toml $(OUTSIDE)
	$(BIN)/ruff format --config python/pyproject.toml $(OUTSIDE)
	cd python && ../$(BIN)/ruff check --fix . && ../$(BIN)/ruff format .

check: .venv/.linked java
	$(BIN)/ruff format --check --config python/pyproject.toml $(OUTSIDE)
	$(BIN)/ruff check --config python/pyproject.toml $(OUTSIDE)
	$(BIN)/mypy --config-file python/pyproject.toml $(OUTSIDE)
	cd python && ../$(BIN)/ruff format --check . && ../$(BIN)/ruff check . && ../$(BIN)/mypy
	$(BIN)/python project/sizes.py
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec $(wildcard docker/*/compose.yaml examples/*/compose.yaml)
	$(SBT) scalafmtCheckAll bench/scalafmtCheckAll examples/scalafmtCheckAll scalafmtSbtCheck '$(PAGES) check' examples/compile bench/compile thin/mimaReportBinaryIssues testing/mimaReportBinaryIssues

test: .venv/.linked $(JAR) $(WHEEL) java
	$(RUN) scala python e2e

scala: .venv/.linked java
python: .venv/.linked $(JAR) java
e2e slow: .venv/.linked $(JAR) $(WHEEL) java
scala python e2e slow:
	@set -f; $(RUN) $@ $(if $(ARGS),-- $(ARGS))

histories: export HISTORIES := $(or $(HISTORIES),20000)
schedules: export SCHEDULES := $(or $(SCHEDULES),100000)
histories schedules: .venv/.linked java
	$(RUN) scala -- '*.$(if $(filter histories,$@),Histories,Schedules)Suite'

breaks: .venv/.linked java
	$(BIN)/python -m tests.promises.breaking $(ARGS)

# By default on the newest Kafka that the tests know, and on the last before Kafka 4.
wire: .venv/.linked $(JAR) java
	@failed=; kafkas='$(KAFKAS)'; \
	[ -n "$$kafkas" ] || kafkas=$$($(BIN)/python -c 'from tests.cluster.versions import NEWEST, OLDER; print(NEWEST, OLDER)'); \
	for version in $$kafkas; do \
	  DYNAMIC_KAFKA_BROKER_VERSION=$$version $(RUN) e2e -- -m wire tests $(ARGS) || failed="$$failed $$version"; \
	done; [ -z "$$failed" ] || { echo "Failed on Kafka$$failed" >&2; exit 1; }

# A folder of its own as Maven repository, so that what is tested is this checkout's. QUICK: what the everyday tests leave out
# of the oldest and the newest Spark, with what every machine has.
matrix: .venv/.linked $(JAR) $(WHEEL) java
ifdef QUICK
	$(RUN) e2e -- -m matrix -k 'java-17-python-3.11 and (4.0.5 or 4.3.0)' tests/matrix/test_corners.py
else
	rm -rf build/matrix/m2
	$(SBT) 'set every publishTo := Some(MavenCache("matrix", file("build/matrix/m2")))' shaded/publish
	$(RUN) e2e -- -m matrix --numprocesses=2 --dist=loadfile tests $(ARGS)
endif

oncall: export ON_CALL := 1
chaos oncall: .venv/.linked $(JAR) java
	$(if $(filter oncall,$@),$(RUN) e2e -- -m long -k busy_cluster_dies tests/scenarios/test_incidents.py)
	DURATION=$(DURATION) SEED=$(SEED) CLUSTER=$(CLUSTER) MODE=$(MODE) RATE=$(RATE) FAR=$(FAR) $(BIN)/python -m tests.chaos

long: .venv/.linked $(JAR) java
	$(RUN) e2e -- -m 'long and not wire' tests $(ARGS)

leaks: .venv/.linked $(JAR) java
	LEAK_CLUSTERS=200 LEAK_RESTARTS=50 $(RUN) e2e -- -m long -s --timeout=1800 tests/scenarios/test_leaks.py

bench bench-quick: export BENCH_AGAINST = $(AGAINST)
bench bench-quick: .venv/.linked $(JAR) java
	$(SBT) bench/folders
	PYTHONPATH=. $(BIN)/python -m bench $(if $(filter bench-quick,$@),quick) $(ARGS)

demo: .venv/.linked $(JAR) java
	$(BIN)/python -m dynamic_kafka.demo $(if $(PICTURE),--picture $(PICTURE))

publish-local: .venv/.linked java
	$(SBT) thin/publishM2 shaded/publishM2 testing/publishM2

docs: .venv/.linked java
	$(SBT) '$(PAGES) write'
	$(BIN)/python -m tests.promises.page

api: .venv/.linked $(JAR) java
	$(BIN)/python -m project.public_api

texts: $(TEXTS)

# With tools of its own, which nothing else needs.
build/tools/.ready: python/constraints-release.txt | .venv/.linked
	$(BIN)/python -m venv --clear build/tools
	build/tools/bin/$(INSTALL) $<
	touch $@

release: .venv/.linked $(JAR) build/tools/.ready java
	$(BIN)/python -m project.release $(VERSION)

# The same for Sphinx.
SITE := build/site-tools/bin

site: build/site-tools/.ready java
	$(SBT) thin/doc
	$(SITE)/python docs/site/build.py
	$(SITE)/python docs/site/links.py build/site

build/site-tools/.ready: docs/site/constraints.txt | .venv/.linked
	$(BIN)/python -m venv --clear build/site-tools
	$(SITE)/$(INSTALL) $<
	touch $@

LOCK = build/pin/bin/uv pip compile --quiet --python build/pin/bin/python --upgrade --generate-hashes --no-emit-index-url --no-header --no-annotate

pin:
	rm -rf build/pin && $(PYTHON) -m venv build/pin && build/pin/bin/pip install --quiet uv==0.13.9
	$(LOCK) --output-file python/constraints-dev.txt python/requirements-dev.txt
	$(LOCK) --output-file python/constraints-release.txt python/requirements-release.txt
	$(LOCK) --output-file docs/site/constraints.txt docs/site/requirements.txt
	rm -rf build/pin

compat: .venv/.linked $(JAR) java
	$(SBT) 'thin/Test/runMain io.github.dynamickafka.spark.compat.OffsetFiles'
	$(BIN)/python -m tests.compat.keep_checkpoint

clean:
	rm -rf build python/dist target jvm/target jvm/shaded/target bench/jvm/target project/target project/project
	rm -rf $(TEXTS) python/licenses && rm -f $(JARS)/*.jar
