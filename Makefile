# Every step of CI is a target here. `make help` lists them.
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS   = -s -w -X main.version=$(VERSION)
# The demo is built with the same flags, so that packages are compiled once.
BUILD     = CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)'
FUZZTIME ?= 10m
# The race detector needs a C compiler; Go says 0 when it finds none.
RACE     := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race,)
GO_TEST   = go test $(RACE) -timeout 40m

.DEFAULT_GOAL := help
.PHONY: sbom vulncheck help build demo test test-model model-data check e2e soak reliability bench bench-peers fuzz fuzz-short docs clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## Build bin/mcp-toolsearch
	$(BUILD) -o bin/ ./cmd/mcp-toolsearch

demo: ## Play a conversation through a real Envoy, then stay up (DEMO=once: exit after it; DEMO=full: nine real MCP servers merged)
	@echo "Building (about a minute the first time) ..."
	@$(BUILD) -o bin/ ./cmd/mcp-toolsearch ./internal/demo && exec ./bin/demo

test: ## Run all tests, those through a real Envoy too
	@$(if $(RACE),:,echo "no C compiler: the race detector is off")
	$(GO_TEST) ./...
	cd e2e/authserver && go vet . && go test .
	cd e2e/promrules && go vet . && go test .

# Python packages of its own, in .cache; the seed is another every day.
PY_MODEL  = .cache/py-model
RUN_MAKE  = PYTHONPATH=$(CURDIR)/$(PY_MODEL) PYTHONDONTWRITEBYTECODE=1 python3 model/testdata/make.py
MODELS   ?= small,default
MODEL_SEED ?= $(shell date +%Y%m%d)

$(PY_MODEL)/done: model/testdata/requirements.txt
	rm -rf $(PY_MODEL)
	python3 -m pip install --quiet --no-cache-dir --disable-pip-version-check --target $(PY_MODEL) -r $<
	touch $@

test-model: $(PY_MODEL)/done ## Compare package model with the reference implementation (Python) on the fixed and on random texts
	$(RUN_MAKE) --out .cache/model-fixed
	go test -count=1 ./model -run 'Reference|Independent' -reference $(CURDIR)/.cache/model-fixed
	$(RUN_MAKE) --out .cache/model-random --random 2000 --seed $(MODEL_SEED)
	go test -count=1 -v ./model -run 'Reference|Independent' -reference $(CURDIR)/.cache/model-random
	go test -count=1 ./model -run 'Reference|Independent'

model-data: $(PY_MODEL)/done ## Write the reference data anew (MODELS=default: only what the embedded model says)
	$(RUN_MAKE) --out model/testdata/reference --models $(MODELS)

check: ## Format, lint, house rules, licences, secrets
	@unformatted="$$(gofmt -l $$(git ls-files '*.go'))"; if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	STATICCHECK_CACHE=$(CURDIR)/.cache/staticcheck go tool -modfile=tools/go.mod staticcheck ./...
	go test ./internal/archtest ./internal/licences ./internal/secrets

sbom: build ## Write bin/mcp-toolsearch.cdx.json: what the binary is made of (CycloneDX)
	go run ./internal/sbom bin/mcp-toolsearch '$(VERSION)' bin/mcp-toolsearch.cdx.json

# Its database is on the network. What can't be asked is said and is no failure; a finding that is reachable is one.
vulncheck: ## Look for known vulnerabilities that our code reaches (govulncheck)
	@out="$$(go tool -modfile=tools/go.mod govulncheck ./... 2>&1)"; code=$$?; printf '%s\n' "$$out"; \
	  if [ $$code -ne 0 ] && [ $$code -ne 3 ] && printf '%s' "$$out" | grep -Eq 'fetching vulnerabilities|vuln\.go\.dev|no such host|connection refused|timeout'; then \
	    echo "NOT CHECKED: the vulnerability database can't be reached from here. Run this where https://vuln.go.dev answers, or set GOVULNDB to a copy."; exit 0; fi; exit $$code

e2e: ## Run the tests through a real Envoy (ENVOY_VERSIONS=all; or E2E_SEARCH_URL and E2E_ALL_URL: against a live stack)
	$(GO_TEST) -count=1 -v ./e2e/...

SOAK ?= 30m

soak: ## Let 64 clients work on 8 servers that are killed at random, for SOAK (30m)
	go test -count=1 -v -timeout 0 ./benchmarks/soak -soak $(SOAK)

reliability: ## Break everything at every stage, through Envoy and the HTTP door, and write the table of docs/reliability.md
	go test -count=1 -v -timeout 40m ./benchmarks/reliability -reliability

bench: ## Run the benchmarks
	go test -run '^$$' -bench . -benchmem ./...

# The peers stay out of the product's modules and of the user's Python.
PY_PEERS  = .cache/py-peers
PEER_DATA = $(CURDIR)/.cache/peers

$(PY_PEERS)/done: benchmarks/peers/requirements.txt
	rm -rf $(PY_PEERS)
	python3 -m pip install --quiet --no-cache-dir --disable-pip-version-check --target $(PY_PEERS) -r $<
	touch $@

bench-peers: build ## Time search beside bleve, tantivy and bm25s, in one run each
	cd benchmarks/peers && go vet . && go test . && go run .
	@command -v python3 >/dev/null || { echo "tantivy and bm25s are not timed: python3 is missing"; exit 1; }
	@$(MAKE) --no-print-directory $(PY_PEERS)/done || { echo "tantivy and bm25s are not timed: pip could not install benchmarks/peers/requirements.txt"; exit 1; }
	@mkdir -p $(PEER_DATA) && cd benchmarks/peers && go run . -write $(PEER_DATA)
	PYTHONPATH=$(CURDIR)/$(PY_PEERS) PYTHONDONTWRITEBYTECODE=1 python3 benchmarks/peers/peers.py bin/mcp-toolsearch $(PEER_DATA)

fuzz: ## Run every fuzz target for FUZZTIME (10m) each
	@set -e; for pkg in $$(go list ./...); do \
	  for name in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "$$pkg $$name"; go test -run '^$$' -fuzz "^$$name$$" -fuzztime $(FUZZTIME) $$pkg; done; done

fuzz-short: ## Run every fuzz target for 20 s
	@$(MAKE) --no-print-directory fuzz FUZZTIME=20s

docs: ## Write the generated documents and configurations anew
	go test ./cmd/mcp-toolsearch ./sidecar ./sidecar/metrics ./sidecar/tracing ./internal/errorpage -run TestDocs -update
	go test ./internal/privacypage -run TestDocs -update # after docs/metrics.md
	go test ./internal/envoy -run TestTheShippedConfigurationIsTheRenderedOne -update
	go test ./internal/dialogue -run TestDialoguesInProcess -update-dialogues
	go test ./internal/licences -run TestNoticeListsTheShippedModules -update
	go test ./internal/differential -update
	go test ./benchmarks -run TestTheReadmeSaysWhatIsMeasured -update
	go generate ./...

clean: ## Remove what was built and fetched
	rm -rf bin .cache
