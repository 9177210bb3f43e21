#!/usr/bin/env bash
# The test suite with the compiled modules under AddressSanitizer and UndefinedBehaviorSanitizer; arguments go to pytest.
#
#     bash tests/sanitize.sh [--run-slow] [-k WORD] ...
#
# What is committed or lies in the work tree is copied and compiled in a temporary folder, with the Python that is
# first in PATH. Any finding ends the process under test, and so fails the test that met it. Leaks are not looked
# for: CPython keeps much until its end.
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
copy="$(mktemp -d)"
trap 'rm -rf "$copy"' EXIT
(cd "$root" && git ls-files -z | xargs -0 cp -P --parents -t "$copy")
cd "$copy"
# The sanitizer's shadow is terabytes of addresses: the engine of a page would not start with its few.
sed -i 's/^MAX_BYTES = .*/MAX_BYTES = 1 << 60/' solver/blockwit/web/worker.py
CFLAGS="-O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=undefined -fsanitize=address,undefined"
BLOCKWIT_CFLAGS="$CFLAGS" nice python setup.py -q build_ext --inplace -j 2
export PYTHONPATH="$copy/solver:$copy"
# Nothing of CPython's own pools: each object is a block that is watched.
export PYTHONMALLOC=malloc
# A table too large for the memory has to be NULL, not the end; the C++ of ortools is not ours to judge.
export ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1:alloc_dealloc_mismatch=0:detect_odr_violation=0:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:${UBSAN_OPTIONS:-}"
# What bounds or measures addresses or memory (the shadow is an eighth more) is left out, and so are the tests in a
# browser: Chromium hangs with a library preloaded.
LD_PRELOAD="$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)" \
    nice python -m pytest -p no:cacheprovider \
    --deselect tests/protocol/test_stdio.py::test_table_too_large_for_the_memory_is_an_error \
    --deselect tests/protocol/test_fuzz.py::test_mutated_lines_through_a_process \
    --deselect tests/search/test_memory.py::test_hash_is_obeyed \
    --deselect tests/search/test_memory.py::test_a_huge_table_costs_what_is_touched \
    --deselect tests/web/test_browser.py "$@"
