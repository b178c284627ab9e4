# SPDX-License-Identifier: Apache-2.0
#
# tpu_flags: what every hand-written C file is compiled with, as an interface target. Used by the
# main tree and by the engine points, so that both speak of the same warnings and sanitizers.

find_program(TPU_CCACHE ccache)
if(TPU_CCACHE)
    foreach(language C CXX)
        set(CMAKE_${language}_COMPILER_LAUNCHER "${TPU_CCACHE}"
            CACHE STRING "Compiler cache in front of ${language}")
    endforeach()
endif()

get_filename_component(tpu_root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)

add_library(tpu_flags INTERFACE)
target_compile_features(tpu_flags INTERFACE c_std_11)
target_include_directories(tpu_flags INTERFACE "${tpu_root}")
target_compile_options(
    tpu_flags
    INTERFACE
        $<$<COMPILE_LANGUAGE:C>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wstrict-prototypes>
        $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes;-Wcast-qual;-Wformat=2;-Wundef;-Wvla>
        $<$<COMPILE_LANGUAGE:C>:-Wdouble-promotion>
        $<$<BOOL:${TPU_WERROR}>:-Werror>)

# A line of the report may name a source file; it must not name a person's directory.
target_compile_options(tpu_flags INTERFACE "-ffile-prefix-map=${tpu_root}/=")

if(TPU_SANITIZE)
    set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=undefined
                 -fno-omit-frame-pointer)
    target_compile_options(tpu_flags INTERFACE ${sanitize})
    target_link_options(tpu_flags INTERFACE ${sanitize})
endif()
if(TPU_COVERAGE)
    target_compile_options(tpu_flags INTERFACE --coverage)
    target_link_options(tpu_flags INTERFACE --coverage)
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
