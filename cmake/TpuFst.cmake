# SPDX-License-Identifier: Apache-2.0
#
# tpu_fst: reader and writer of FST waveforms, compiled from the sources that Verilator ships and
# links into every engine. Nothing of them is copied into this tree.

find_package(ZLIB REQUIRED)
find_program(TPU_VERILATOR verilator REQUIRED)
if(DEFINED ENV{VERILATOR_ROOT})
    set(fst_root "$ENV{VERILATOR_ROOT}")
else()
    execute_process(
        COMMAND "${TPU_VERILATOR}" --getenv VERILATOR_ROOT
        OUTPUT_VARIABLE fst_root OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
set(fst_directory "${fst_root}/include/gtkwave")
if(NOT EXISTS "${fst_directory}/fstapi.c")
    message(FATAL_ERROR "Verilator's FST writer is not in \"${fst_directory}\"")
endif()

add_library(tpu_fst STATIC "${fst_directory}/fstapi.c" "${fst_directory}/fastlz.c"
                           "${fst_directory}/lz4.c")
# Their code needs more than C11, and its warnings are not ours.
set_target_properties(tpu_fst PROPERTIES C_EXTENSIONS ON)
target_compile_options(tpu_fst PRIVATE -w)
target_compile_definitions(tpu_fst PRIVATE "FST_CONFIG_INCLUDE=\"fst_config.h\"")
target_include_directories(tpu_fst SYSTEM PUBLIC "${fst_directory}")
target_link_libraries(tpu_fst PRIVATE ZLIB::ZLIB)
