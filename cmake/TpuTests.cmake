# SPDX-License-Identifier: Apache-2.0
#
# tpu_add_test: one Criterion binary tests/test_<stem>.c as one ctest entry.

find_package(PkgConfig REQUIRED)
pkg_check_modules(CRITERION REQUIRED IMPORTED_TARGET criterion)

# Tests make temporary files and set the environment, which C11 alone cannot.
set(TPU_TEST_OPTIONS -D_POSIX_C_SOURCE=200809L)

# Criterion counts a test that leaks as passed; these words in the output turn the entry red.
set(TPU_TEST_FAIL "LeakSanitizer;AddressSanitizer;runtime error")

# A test stands on its own: a parameter that the caller has in the environment must not reach it.
set(TPU_TEST_ENVIRONMENT)
foreach(name T MAXDIM SPAD NVR NAR IMEM QD DMA_WORDS DMA_WIDEN ENGINE TB AXI_LATENCY RANDOM_STALL
             SEED)
    list(APPEND TPU_TEST_ENVIRONMENT "TPU_${name}=unset:")
endforeach()

# Failures on purpose are no annotations and do not belong in the job's summary.
list(APPEND TPU_TEST_ENVIRONMENT "GITHUB_ACTIONS=unset:")

# tpu_add_test(<stem> [LABEL unit|lockstep|random] [TIMEOUT seconds] [ENGINE fixture]
#              [SOURCES file...] [LIBS target...])
# LABEL is unit where it is not given. LIBS come in front of the test support library.
# ENGINE: the test opens the engine that this fixture of ci/CMakeLists.txt builds.
function(tpu_add_test stem)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;TIMEOUT;ENGINE" "SOURCES;LIBS")
    if(NOT arg_LABEL)
        set(arg_LABEL unit)
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 60)
    endif()
    add_executable(test_${stem} test_${stem}.c ${arg_SOURCES})
    target_link_libraries(test_${stem} PRIVATE ${arg_LIBS} tpu_test_support
                          PkgConfig::CRITERION)
    target_compile_options(test_${stem} PRIVATE ${TPU_TEST_OPTIONS})
    add_test(NAME ${arg_LABEL}.${stem} COMMAND test_${stem}
             WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    tpu_set_test(${arg_LABEL}.${stem} ${arg_LABEL} ${arg_TIMEOUT} "${arg_ENGINE}")
endfunction()

# tpu_add_variant(<stem> <name> <fixtures> VARIABLE=value...): the binary of a lockstep test once
# more, in another environment.
function(tpu_add_variant stem name fixtures)
    add_test(NAME lockstep.${stem}.${name}
             COMMAND ${CMAKE_COMMAND} -E env ${ARGN} $<TARGET_FILE:test_${stem}>
             WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    tpu_set_test(lockstep.${stem}.${name} lockstep 300 "${fixtures}")
endfunction()

# What all entries have in common.
function(tpu_set_test entry label timeout fixtures)
    set_tests_properties(
        ${entry}
        PROPERTIES LABELS "${label}" TIMEOUT ${timeout}
                   ENVIRONMENT "TPU_ENGINE_DIR=${PROJECT_BINARY_DIR}/engines;\
TPUCOSIM=$<TARGET_FILE:tpucosim>"
                   ENVIRONMENT_MODIFICATION "${TPU_TEST_ENVIRONMENT}"
                   FAIL_REGULAR_EXPRESSION "${TPU_TEST_FAIL}"
                   FIXTURES_REQUIRED "${fixtures}")
endfunction()
