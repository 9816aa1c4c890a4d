# The front door: `make demo` and `make test` set up whatever is missing, then run. See docs/internals/build.md.
PYTHON := .venv/bin/python
PYTEST := $(PYTHON) -m pytest

.PHONY: help build demo test check sanitize fuzz abi coverage branches mutants bench bench-c ulp trust lint format generate clean
help:
	@echo "make demo      set up, then train on the digits from C and from Python"
	@echo "make test      set up, then all tests, C and Python"
	@echo "make build     set up only: the library, the Python module, the examples"
	@echo "make check     everything of make test, the thread sanitizer and other compilers as well"
	@echo "make sanitize  all tests under ASan, UBSan, TSan, MSan, valgrind and FORTIFY_SOURCE, an hour; BUILDS=tsan,msan"
	@echo "make fuzz      a million inputs for everything that reads what others wrote, an hour; wants clang"
	@echo "make trust     the long forms of all checks, hours; TRUST=fuzz: one of tests/trust"
	@echo "make lint      the rules of the house      make format    clang-format over the C files"
	@echo "make abi       would programs that were compiled with the last tag still run? ABI=REV: with that revision"
	@echo "make coverage  all tests, and the page that says what they cover"
	@echo "make branches  all tests in a build that counts, and the page of branches of src that they take"
	@echo "make mutants   small mistakes in the name rules, one at a time: does a test notice each?"
	@echo "make bench     every operation beside PyTorch, three quarters of an hour; BENCH=--quick ends in minutes"
	@echo "make bench-c   every operation from C, without Python"
	@echo "make ulp       the largest error of each float32 function over all inputs, an hour and more; ULP=64: every 64th"
	@echo "make generate  rewrite the *.gen.* files from ops/      make clean    remove build/ and .venv/"

build:
	@tools/setup.sh

demo:
	@tools/setup.sh
	@echo "== examples/digits.c"
	@build/release/examples/digits
	@echo "== examples/digits.py"
	@$(PYTHON) examples/digits.py

test:
	@tools/setup.sh tests asan
	@$(PYTEST) --builds release,asan $(TESTFLAGS)

check:
	@NOMEN_SANITIZED=wide tools/setup.sh tests asan tsan extras
	@$(PYTEST) --builds release,asan,tsan --compilers --sanitized-python --packages

# docs/internals/build.md says what each build finds, and which of them CI runs.
BUILDS := asan,clang-asan,tsan,msan,memcheck,fortified
comma := ,
sanitize:
	@NOMEN_SANITIZED=wide tools/setup.sh extras tests $(subst $(comma), ,$(BUILDS))
	@$(PYTEST) --builds $(BUILDS) --sanitized-python --figures tests/c tests/kernels \
		tests/python/test_fuzz_short.py tests/python/test_under_sanitizers.py

fuzz:
	@tools/setup.sh extras fuzz
	@$(PYTHON) tests/fuzz/fuzz.py $(FUZZ)

abi:
	@tools/setup.sh extras
	@$(PYTHON) tools/abi.py $(if $(ABI),--against $(ABI))

coverage:
	@tools/setup.sh tests
	@$(PYTEST) --write-coverage

branches:
	@tools/setup.sh tests gcov
	@$(PYTHON) tools/branches.py

bench:
	@tools/setup.sh
	@$(PYTHON) bench/bench_all.py $(BENCH)

bench-c:
	@tools/setup.sh
	@$(CC) -std=gnu11 -O2 -Iinclude -Isrc -Ibuild/release/generated bench/c/bench_table.c \
		-o build/bench_table build/release/libnomen.a -lm -pthread
	@grep -m1 "model name" /proc/cpuinfo | sed 's/^/# /'; build/bench_table $(BENCH)

ulp:
	@tools/setup.sh tests
	@cmake --build build/release --target bench_ulp > /dev/null
	@$(PYTHON) bench/bench_ulp.py $(or $(ULP),1)

trust:
	@NOMEN_SANITIZED=wide tools/setup.sh tests asan tsan extras
	@$(PYTHON) tools/trust.py --run $(TRUST)

mutants:
	@tools/setup.sh tests
	@$(PYTHON) tools/mutate.py

lint:
	@tools/setup.sh
	@$(PYTHON) ops/gen.py --check
	@$(PYTHON) tools/lint.py

format:
	@tools/setup.sh
	@$(PYTHON) tools/lint.py --format

generate:
	@tools/setup.sh
	@$(PYTHON) ops/gen.py

clean:
	@rm -rf build .venv
