#!/bin/sh
# Every C and C++ file is formatted as .clang-format says (clang-format 14). Usage: check_format.sh SOURCE_DIR
set -eu
cd "$1"
command -v clang-format >/dev/null || { echo "clang-format is not installed"; exit 77; }
find app engine kernels tokenizer ui tests -type f \( -name '*.[ch]' -o -name '*.cc' -o -name '*.cu' -o -name '*.cuh' \) 2>/dev/null |
    xargs clang-format --dry-run -Werror
