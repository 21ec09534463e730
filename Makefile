# The usual words. The work is done by CMake (CMakePresets.json), scripts/ and tests/run.
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
TORTURE_KILLS ?= 1000
SOAK_SECONDS ?= 3600
SEED ?= 1
BENCH_ARGS ?=
FRONTIER_ARGS ?=
SCALE_ARGS ?=

all: ## build the program and its library: build/release/scent, libscent.so (the default)
	@scripts/build release scent libscent man/all completions
	@echo "built build/release/scent"

demo: ## install what is missing, build, and crawl a small generated web
	@scripts/setup build
	@scripts/build release scent man/all completions
	@build/release/scent demo

demo-cluster: ## one crawl of four workers on a PostgreSQL server in a temporary folder; one is killed on the way
	@scripts/setup build test
	@scripts/build release scent
	@scripts/demo-cluster

test: ## install what is missing, build with gcc, clang and sanitizers, run every test
	@scripts/setup build test
	@tests/run

check: ## for every edit: the house rules, the release build, unit and contract tests; a minute
	@scripts/setup build test
	@tests/run check

asan tsan clang: ## build with AddressSanitizer, ThreadSanitizer or clang, and run the tests so
	@tests/run $@

fuzz: ## run each fuzzer for FUZZ_SECONDS (60) seconds; FUZZERS="url_parse …" picks some
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz $(FUZZERS)

fresh: ## the new user's road in a clean Debian (as root; two hours): demo, test twice, packages; STEPS="root clone demo" picks some
	@scripts/fresh $(STEPS)

redteam: ## attack the program for ten minutes (LONG=1: an hour; SEED=1): mutated files, hostile servers, kills; a table
	@scripts/setup build test
	@scripts/build asan scent
	@tests/redteam/redteam.py --seed $(SEED) --seconds $(if $(LONG),3600,600)

torture: ## kill one crawl TORTURE_KILLS (1,000) times, resume it each time, and see that nothing is lost
	@scripts/setup build
	@scripts/build release scent
	@TORTURE_KILLS=$(TORTURE_KILLS) tests/crawl/torture.py

torture-cluster: ## 200 rounds of chaos for one crawl of many workers, with the server killed, too; TORTURE_ARGS="--help"
	@scripts/setup build test
	@scripts/build release scent
	@tests/fault/torture_cluster $(TORTURE_ARGS)

soak: ## one crawl of bad servers for SOAK_SECONDS (3,600), watched: memory, descriptors, politeness, progress
	@scripts/setup build
	@scripts/build release scent
	@SOAK_SECONDS=$(SOAK_SECONDS) tests/crawl/soak.py

bench: ## one table: crawl speed, analysis, classifiers, frontier, lab, beside others; BENCH_ARGS="--help"
	@scripts/setup build bench
	@scripts/build release scent perf_page_analyse perf_learn_wikispeedia perf_frontier_scale
	@tests/perf/bench_table $(BENCH_ARGS)

bench-crawl: ## compare with wget2, Scrapy and Crawlee on 5,500 pages, show CPU per page; BENCH_ARGS="--help"
	@scripts/setup build bench
	@scripts/build release scent
	@tests/perf/bench $(BENCH_ARGS)

bench-frontier: ## memory and speed of the frontier from 10^4 to 10^8 URLs; FRONTIER_ARGS="urls hosts" for one size
	@scripts/setup build
	@scripts/build release perf_frontier_scale
	@build/release/tests/perf/perf_frontier_scale $(FRONTIER_ARGS)

bench-judge: ## what judging a page of 2,000 words costs
	@scripts/setup build
	@scripts/build release perf_topic_judge
	@build/release/tests/perf/perf_topic_judge

bench-score: ## what scoring the 78 links of a page costs with each strategy, in CPU time and instructions
	@scripts/setup build
	@scripts/build release perf_strategy_score perf_strategy_scale
	@tests/perf/bench_score

bench-people: ## what a page costs collaborative, with traces of 10^4 to 10^6 pages; PEOPLE_ARGS="pages strategy"
	@scripts/setup build
	@scripts/build release perf_engine_people
	@build/release/tests/perf/perf_engine_people $(PEOPLE_ARGS)

bench-dashboard: ## how fast scent serve answers on a crawl of a million pages (1.5 GB in TMPDIR)
	@scripts/setup build
	@scripts/build release scent
	@tests/perf/bench_dashboard build/release/scent

bench-watched: ## what 1,000 clients, slow and malformed requests cost a crawl; WATCHED_ARGS="rounds pages"
	@scripts/setup build
	@scripts/build release scent
	@tests/perf/bench_watched build/release/scent $(WATCHED_ARGS)

bench-scale: ## a whole crawl from 10^4 to 10^7 known URLs, and its resume (10 GB in TMPDIR); SCALE_ARGS="known hosts strategy"
	@scripts/setup build
	@scripts/build release perf_engine_scale
	@dir=$$(mktemp -d) && { build/release/tests/perf/perf_engine_scale $$dir $(SCALE_ARGS); status=$$?; rm -rf $$dir; exit $$status; }

bench-learn: ## the models beside scikit-learn's on an encyclopedia; LEARN_ARGS="--help"
	@scripts/setup build bench
	@scripts/build release perf_learn_wikispeedia
	@tests/perf/bench_learn $(LEARN_ARGS)

experiments: ## run all experiments of examples/lab (hours, resumable) and write their tables; EXPERIMENTS="pant rules" picks some
	@scripts/setup build
	@scripts/build release scent
	@scripts/experiments run $(EXPERIMENTS)

bench-content: ## how well the main content of pages is found, by the templates of known sites; CONTENT_ARGS="--help"
	@scripts/setup build bench
	@scripts/build release perf_page_content scent
	@tests/perf/bench_content $(CONTENT_ARGS)

bench-cluster: ## pages/s of 1, 2, 4 and 8 workers, server CPU a link, a log of 10^6 URLs read; CLUSTER_ARGS="--help"
	@scripts/setup build test
	@scripts/build release scent
	@tests/perf/bench_cluster $(CLUSTER_ARGS)

bench-export: ## pages a second, instructions a page and memory of exports; EXPORT_ARGS="--help"
	@scripts/setup build bench
	@scripts/build release scent
	@tests/perf/bench_export $(EXPORT_ARGS)

bench-archive: ## WARC files with gzip and with zstd: bytes and CPU time a page; ARCHIVE_ARGS="pages collection"
	@scripts/setup build
	@scripts/build release perf_warc_packing
	@build/release/tests/perf/perf_warc_packing $(ARCHIVE_ARGS)

bench-search: ## how well articles are found by their titles, and 50 queries on 100,000 pages; SEARCH_ARGS="--help"
	@scripts/setup build bench
	@scripts/build release scent perf_search_queries
	@tests/perf/bench_search $(SEARCH_ARGS)

bench-patience: ## what hosts that drip, hang or are busy cost the others; PATIENCE_ARGS="--help"
	@scripts/setup build test
	@scripts/build release scent
	@tests/perf/bench_patience $(PATIENCE_ARGS)

bench-lab: ## page visits a second and whole experiments on an encyclopedia; LAB_ARGS="--help"
	@scripts/setup build
	@scripts/build release scent
	@tests/perf/bench_lab $(LAB_ARGS)

install: all ## install below PREFIX (/usr/local), inside DESTDIR
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" -eq 0 ]; then ldconfig; fi  # programs find libscent from now on

deb: ## Debian packages in build/deb: scent, libscent0, libscent-dev, scent-doc; then lintian
	@scripts/setup build deb
	@scripts/deb

clean: ## remove everything that was built
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z -]*\):.*## \(.*\)/\1|\2/p' $(firstword $(MAKEFILE_LIST)) | \
	    while IFS='|' read -r word what; do printf '  make %-16s %s\n' "$$word" "$$what"; done

.PHONY: all demo demo-cluster test check asan tsan clang fuzz fresh redteam torture torture-cluster soak bench bench-crawl bench-frontier bench-judge bench-score bench-people bench-scale bench-learn bench-content bench-cluster bench-export bench-archive bench-dashboard bench-watched bench-search bench-patience bench-lab experiments install deb clean help
