# SPDX-License-Identifier: Apache-2.0
#
# cmake -DOUT=<file.c> -DNAME=<symbol> -DFILES=<a;b;c> -P TpuEmbed.cmake: writes a C file that holds
# the bytes of the files, one after the other, as `const char <symbol>[]` with a NUL behind them and
# `const size_t <symbol>_bytes` without it.

set(hex "")
foreach(file IN LISTS FILES)
    file(READ "${file}" bytes HEX)
    string(APPEND hex "${bytes}")
endforeach()
string(LENGTH "${hex}" digits)
math(EXPR count "${digits} / 2")
string(REGEX REPLACE "(................................)" "\\1\n    " hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
file(WRITE "${OUT}" "// Made by cmake/TpuEmbed.cmake from ${NAME}'s files.
#include \"harness/show/page_assets.h\"
const char ${NAME}[] = {
    ${hex}0x00};
const size_t ${NAME}_bytes = ${count};
")
