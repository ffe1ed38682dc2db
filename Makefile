# Every task by name; `make help` lists them. A machine needs Java 17, Python 3.11 and make, all else is fetched.

SHELL       := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS   += --no-builtin-rules
# All of it runs on this machine alone, whatever its host name resolves to.
export SPARK_LOCAL_IP := 127.0.0.1
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
PAGES   := thin/runMain io.github.dynamickafka.spark.pages.ReferencePages

# The first Python that is new enough; asked for only when .venv is made.
PYTHON   = $(shell for one in python3.11 python3.12 python3.13 python3; do \
             $$one -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$one && break; done)

SCALA_SOURCES  = LICENSE NOTICE $(shell find jvm/src/main licenses project build.sbt -type f -not -path '*/target/*' -not -name '*.py*')
PYTHON_SOURCES = $(shell find python/src python/*.toml python/*.py -type f -name '*.*' -not -name '*.jar' -not -name '*.pyc')
# Python outside of the package: the tests of the whole product, the demo, benchmarks, examples and the build's own scripts.
OUTSIDE        = $(wildcard tests project/*.py project/release demo bench examples docs/site)

.PHONY: help setup java jar wheel fmt check test scala python histories breaks e2e wire smoke matrix chaos oncall incidents leaks \
        bench bench-quick demo picture publish-local docs api texts site compat release pin clean

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do printf '%-14s %s\n' "$$name" "$$text"; done

setup: .venv/.linked java ## the virtual environment .venv with the pinned tools of python/requirements-dev.txt

.venv/.ready: python/requirements-dev.txt python/constraints-dev.txt examples/http-metadata/requirements.txt
	@[ -n "$(PYTHON)" ] || { echo "No Python 3.11 or newer is on the PATH. Install one, or put its folder there." >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement python/requirements-dev.txt
	touch $@

# The package itself, linked: what is edited counts at once, and its version can be asked for.
.venv/.linked: .venv/.ready python/pyproject.toml python/hatch_build.py | $(TEXTS)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable python
	touch $@

java:
	@found=$$(java -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' || true); \
	[ "$${found:-0}" -ge 17 ] || { echo "Java 17 or newer is needed; found: $${found:-none} on the PATH. Install a JDK." >&2; exit 1; }

jar: $(JAR) ## both jars: the shaded one goes where the wheel takes it from

$(JAR): $(SCALA_SOURCES) | .venv/.linked java
	$(SBT) thin/packageBin shaded/packageBin thin/makePom shaded/makePom
	mkdir -p $(JARS) && rm -f $(JARS)/*.jar
	cp jvm/target/scala-2.13/$(@F) $@

wheel: $(WHEEL) ## the Python wheel with that jar inside, in python/dist

$(TEXTS): python/%: %
	mkdir -p $(@D) && cp $< $@

$(WHEEL): $(JAR) $(PYTHON_SOURCES) $(TEXTS) | .venv/.linked
	rm -rf python/dist
	$(BIN)/python -m build --wheel --no-isolation --outdir python/dist python

fmt: .venv/.linked java ## formats Scala and Python, and corrects what the linter can
	$(SBT) scalafmtAll bench/scalafmtAll examples/scalafmtAll scalafmtSbt
	$(BIN)/ruff check --fix --config python/pyproject.toml $(OUTSIDE)
	$(BIN)/ruff format --config python/pyproject.toml $(OUTSIDE)
	cd python && ../$(BIN)/ruff check --fix . && ../$(BIN)/ruff format .

check: .venv/.linked java ## formatters, linters, types, sizes, generated pages, examples compile, binary compatibility; changes nothing
	$(BIN)/ruff format --check --config python/pyproject.toml $(OUTSIDE)
	$(BIN)/ruff check --config python/pyproject.toml $(OUTSIDE)
	$(BIN)/mypy --config-file python/pyproject.toml $(OUTSIDE)
	cd python && ../$(BIN)/ruff format --check . && ../$(BIN)/ruff check . && ../$(BIN)/mypy
	$(BIN)/python project/sizes.py
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/*.yml
	$(SBT) scalafmtCheckAll bench/scalafmtCheckAll examples/scalafmtCheckAll scalafmtSbtCheck '$(PAGES) check' examples/compile bench/compile thin/mimaReportBinaryIssues

test: .venv/.linked $(JAR) $(WHEEL) java ## all tests: Scala, Python, the whole product on real brokers
	$(BIN)/python project/run_tests.py scala python e2e

scala: .venv/.linked java ## tests of Scala alone; ARGS='*ReadBudget*' chooses suites by name
	$(SBT) 'thin/testOnly $(ARGS)'

python: .venv/.linked $(JAR) java ## tests of the Python package alone; ARGS="-k builder" goes to pytest
	$(BIN)/python project/run_tests.py python $(if $(ARGS),-- $(ARGS))

histories: .venv/.linked java ## thousands of new random histories through the reconciler, HISTORIES of each kind (20000); SEED repeats a failed run
	HISTORIES=$(or $(HISTORIES),20000) $(SBT) 'thin/testOnly *HistoriesSuite'

schedules: .venv/.linked java ## random schedules, with crashes, of how a batch gives back what it can't read: SCHEDULES (100000), from SEED on
	SCHEDULES=$(or $(SCHEDULES),100000) $(SBT) 'thin/testOnly *SchedulesSuite'

breaks: .venv/.linked java ## breaks each rule of tests/promises/broken.yaml: do its tests fail? ARGS="reconcile/" chooses
	$(BIN)/python -m tests.promises.breaking $(ARGS)

e2e: .venv/.linked $(JAR) $(WHEEL) java ## the whole product on real brokers; ARGS="-k name" goes to pytest
	$(BIN)/python project/run_tests.py e2e $(if $(ARGS),-- $(ARGS))

# The newest Kafka that the tests know, and the last before Kafka 4.
KAFKAS   = $(shell $(BIN)/python -c 'from tests.cluster.versions import NEWEST, OLDER; print(NEWEST, OLDER)')

wire: .venv/.linked $(JAR) java ## the wire-level cases on the newest Kafka and on 3.9; KAFKAS="4.0.1" runs another
	@failed=; for version in $(KAFKAS); do \
	  DYNAMIC_KAFKA_BROKER_VERSION=$$version $(BIN)/python project/run_tests.py e2e -- -m wire tests $(ARGS) || failed="$$failed $$version"; \
	  [ -z "$$(ls -d build/clusters/run-* 2>/dev/null)" ] || { echo "Left in build/clusters: $$(ls build/clusters)" >&2; failed="$$failed $$version"; }; \
	done; [ -z "$$failed" ] || { echo "Failed on Kafka$$failed" >&2; exit 1; }

# What the everyday tests leave out of the oldest and the newest Spark, with what every machine has.
smoke: .venv/.linked $(JAR) $(WHEEL) java ## the main promises by the wheel on the oldest and the newest Spark
	$(BIN)/python project/run_tests.py e2e -- -m matrix -k 'java-17-python-3.11 and not 4.2.1' tests/matrix/test_corners.py

# A folder of its own as Maven repository, so that what is tested is this checkout's.
matrix: .venv/.linked $(JAR) $(WHEEL) java ## each way into Spark, and a smoke on each version of Spark, Java and Python; ARGS="-k spark-4.3.0"
	$(SBT) 'set every publishTo := Some(MavenCache("matrix", file("build/matrix/m2")))' shaded/publish
	$(BIN)/python project/run_tests.py e2e -- -m matrix tests $(ARGS)

chaos: .venv/.linked $(JAR) java ## all faults at once, for DURATION=60s, by a SEED, on CLUSTER=local or standalone: is any id lost or twice?
	DURATION=$(DURATION) SEED=$(SEED) CLUSTER=$(CLUSTER) RATE=$(RATE) $(BIN)/python -m tests.chaos

oncall: .venv/.linked $(JAR) java ## a busy cluster dies: what is seen of it? One is down for DURATION=60s: do the others' rows keep their age?
	$(BIN)/python project/run_tests.py e2e -- -m long -k busy_cluster_dies tests/scenarios/test_incidents.py
	ON_CALL=1 DURATION=$(DURATION) SEED=$(SEED) CLUSTER=$(CLUSTER) RATE=$(RATE) $(BIN)/python -m tests.chaos

incidents: .venv/.linked $(JAR) java ## what goes wrong at night, on real brokers: alerts fire and are over, and a watermark drops rows
	$(BIN)/python project/run_tests.py e2e -- -m long tests/scenarios/test_incidents.py tests/scenarios/test_incidents_of_moves.py \
	  tests/scenarios/test_watermarks.py $(ARGS)

leaks: .venv/.linked $(JAR) java ## 200 clusters that come and go, 50 restarts of a query: is anything left of them?
	LEAK_CLUSTERS=200 LEAK_RESTARTS=50 $(BIN)/python project/run_tests.py e2e -- -s --timeout=1800 tests/scenarios/test_leaks.py

bench: .venv/.linked $(JAR) java ## how fast it is beside others, an hour; writes docs/internals/measurements.md
	$(SBT) bench/folders
	PYTHONPATH=. $(BIN)/python -m bench $(ARGS)

bench bench-quick: export BENCH_AGAINST = $(AGAINST)

bench-quick: .venv/.linked $(JAR) java ## the same in minutes, only printed; ARGS="sick" runs one suite, AGAINST=a.jar compares another jar
	$(SBT) bench/folders
	PYTHONPATH=. $(BIN)/python -m bench quick $(ARGS)

demo: .venv/.linked $(JAR) java ## several clusters, a query and a change of topology to watch
	PYTHONPATH=. DEMO=$(DEMO) $(BIN)/python -m demo

picture: demo ## runs the demo, and puts its chart into README
	mkdir -p docs/images && cp build/demo/orders.svg docs/images/a-stream-moves.svg

publish-local: .venv/.linked java ## both JVM artifacts into the local Maven repository
	$(SBT) thin/publishM2 shaded/publishM2

docs: .venv/.linked java ## writes the generated pages again
	$(SBT) '$(PAGES) write'
	$(BIN)/python -m tests.promises.page

api: .venv/.linked $(JAR) java ## writes the texts of the public API again; a change of them is one that users see
	$(BIN)/python -m project.public_api

texts: $(TEXTS)

# With tools of its own, which nothing else needs.
build/tools/.ready: python/requirements-release.txt | .venv/.linked
	$(BIN)/python -m venv --clear build/tools
	build/tools/bin/pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

release: .venv/.linked $(JAR) build/tools/.ready java ## makes, checks and tries VERSION=x.y.z in build/release; publishes with PUBLISH=1
	$(BIN)/python -m project.release $(VERSION)

# The same for Sphinx.
SITE := build/site-tools/bin

site: build/site-tools/.ready java ## the documentation as a site, in build/site, with the JVM's API inside
	$(SBT) thin/doc
	$(SITE)/python docs/site/build.py
	$(SITE)/python docs/site/links.py build/site

build/site-tools/.ready: docs/site/requirements.txt docs/site/constraints.txt | .venv/.linked
	$(BIN)/python -m venv --clear build/site-tools
	$(SITE)/pip install --quiet --disable-pip-version-check --requirement docs/site/requirements.txt
	touch $@

pin: ## writes the constraints of python and docs/site from the newest versions that their requirements allow
	rm -rf build/pin && $(PYTHON) -m venv build/pin
	build/pin/bin/pip install --quiet --requirement <(grep -hv '^-' python/requirements-dev.txt python/requirements-release.txt) \
	  --requirement examples/http-metadata/requirements.txt
	build/pin/bin/pip freeze > python/constraints-dev.txt
	rm -rf build/pin && $(PYTHON) -m venv build/pin
	build/pin/bin/pip install --quiet --requirement <(grep -v '^-' docs/site/requirements.txt)
	build/pin/bin/pip freeze > docs/site/constraints.txt
	rm -rf build/pin

compat: .venv/.linked $(JAR) java ## keeps what this version writes into checkpoints, in tests/compat; what is there stays as it is
	$(SBT) 'thin/Test/runMain io.github.dynamickafka.spark.compat.OffsetFiles'
	$(BIN)/python -m tests.compat.keep_checkpoint

clean: ## removes what was built; .venv stays
	rm -rf build python/dist target jvm/target jvm/shaded/target bench/jvm/target project/target project/project
	rm -rf $(TEXTS) python/licenses && rm -f $(JARS)/*.jar
