# SPDX-License-Identifier: Apache-2.0
#
# tpu_add_engine: the RTL of one parameter point, a simulator's shim and the memory model as one
# shared object that exports engine_entry (harness/engine/engine.h) and engine_port_entry.

find_package(verilator 5.006 REQUIRED)

option(TPU_TRACE "Build engines that can write waveforms; OFF is there to measure what that costs"
       ON)

# The source list rtl/tpu.f, one path a line from the root of the tree, # for comments.
function(tpu_rtl_sources root out)
    file(STRINGS "${root}/rtl/tpu.f" lines REGEX "^[^#]")
    list(TRANSFORM lines STRIP)
    list(TRANSFORM lines PREPEND "${root}/")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${root}/rtl/tpu.f")
    set(${out} "${lines}" PARENT_SCOPE)
endfunction()

# tpu_add_engine(<target> KIND verilator|systemc|netlist|mutants
#                T n MAXDIM n SPAD n NVR n NAR n IMEM n QD n DMA_WORDS n
#                [RTL_ROOT dir] [OUTPUT_DIR dir] [NETLIST file])
# RTL_ROOT: a tree whose rtl/ and spec/generated are taken in place of this one's (mutants).
# NETLIST: plain Verilog of tpu_core at this point, in place of rtl/common, core and sva, as
# ci/netlist writes it: without parameters, its memories under names of their own. The kind mutants
# is such a netlist with faults planted, of which TPU_MUTANT chooses one when a machine is made.
function(tpu_add_engine target)
    set(points T MAXDIM SPAD NVR NAR IMEM QD DMA_WORDS)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "KIND;RTL_ROOT;OUTPUT_DIR;NETLIST;${points}" "")
    set(home "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/..")
    get_filename_component(home "${home}" ABSOLUTE)
    if(NOT arg_RTL_ROOT)
        set(arg_RTL_ROOT "${home}")
    endif()
    if(NOT arg_OUTPUT_DIR)
        set(arg_OUTPUT_DIR "${CMAKE_BINARY_DIR}/engines")
    endif()
    tpu_rtl_sources("${arg_RTL_ROOT}" sources)
    if(arg_NETLIST)
        list(FILTER sources EXCLUDE REGEX "/rtl/(common|core|sva)/")
        list(APPEND sources "${arg_NETLIST}")
    endif()

    tpu_add_rtl(${target}_rtl "${arg_KIND}" "${arg_T}" "${sources}"
        -GT=${arg_T} -GMaxdim=${arg_MAXDIM} -GSpadRows=${arg_SPAD} -GNvr=${arg_NVR}
        -GNar=${arg_NAR} -GImemSize=${arg_IMEM} -GQd=${arg_QD} -GDmaWords=${arg_DMA_WORDS})

    set(shim verilator)
    if(arg_KIND STREQUAL systemc)
        set(shim systemc)
    endif()
    add_library(${target} SHARED
        "${home}/harness/engine/engine_${shim}.cpp" "${home}/harness/engine/engine_host.c"
        "${home}/harness/engine/memory.c" "${home}/harness/engine/memory_stall.c"
        "${home}/base/rng.c" "${home}/base/status.c")
    target_link_libraries(${target} PRIVATE tpu_flags ${target}_rtl)
    target_compile_features(${target} PRIVATE cxx_std_17)
    target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:CXX>:-O2;-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>)
    target_compile_definitions(${target} PRIVATE
        TPU_ENGINE_NAME="${arg_KIND}" TPU_BUILT_NETLIST=$<BOOL:${arg_NETLIST}>
        TPU_BUILT_MUTANTS=$<STREQUAL:${arg_KIND},mutants>
        TPU_BUILT_TRACE=$<AND:$<BOOL:${TPU_TRACE}>,$<NOT:$<BOOL:${TPU_LEAN}>>>
        TPU_BUILT_T=${arg_T} TPU_BUILT_MAXDIM=${arg_MAXDIM} TPU_BUILT_SPAD=${arg_SPAD}
        TPU_BUILT_NVR=${arg_NVR} TPU_BUILT_NAR=${arg_NAR} TPU_BUILT_IMEM=${arg_IMEM}
        TPU_BUILT_QD=${arg_QD} TPU_BUILT_DMA=${arg_DMA_WORDS})
    string(CONCAT name "tpu_engine_${arg_KIND}_T${arg_T}_MD${arg_MAXDIM}_SP${arg_SPAD}"
        "_VR${arg_NVR}_AR${arg_NAR}_IM${arg_IMEM}_QD${arg_QD}_DW${arg_DMA_WORDS}")
    # Hidden: two points in one process hold classes of the same names.
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME "${name}" LIBRARY_OUTPUT_DIRECTORY "${arg_OUTPUT_DIR}"
        C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# Wide vectors are worth AVX2 from T=8 on (1.07x there, 1.13x at T=16; 0.97x at T=4), and an engine
# runs where it is built. Empty where the processor has not got it or does not say.
function(tpu_engine_march t out)
    set(${out} "" PARENT_SCOPE)
    if(t LESS 8 OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64 OR NOT EXISTS /proc/cpuinfo)
        return()
    endif()
    file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
    foreach(feature avx2 bmi1 bmi2 fma f16c movbe abm)
        if(NOT flags MATCHES " ${feature}( |$)")
            return()
        endif()
    endforeach()
    set(${out} -march=x86-64-v3 PARENT_SCOPE)
endfunction()

# tpu_add_rtl(<target> <kind> <T> <sources> <-G arguments...>): only verilate(), with what an engine
# needs of it. SYSTEM keeps Verilator's headers out of the shim's warnings. TPU_LEAN: no trace, one
# translation unit, little optimisation: a quarter of the build time for half of the speed.
function(tpu_add_rtl target kind t sources)
    tpu_engine_march(${t} march)
    set(home "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/..")
    set(simulator "")
    if(kind STREQUAL systemc)
        set(simulator SYSTEMC)
    endif()
    # Start-up, trace and Verilator's own code (its FST writer stores unaligned words) go without
    # the undefined-behaviour checks; the model itself has them.
    set(unchecked "")
    if(TPU_SANITIZE)
        set(unchecked -fno-sanitize=undefined)
    endif()
    set(common SOURCES ${sources} PREFIX Vtpu_engine TOP_MODULE tpu_engine)
    # Variables stay members: 2 % fewer instructions a cycle. Blocks stay whole where the array is
    # small: 5 % fewer at T=4, but 3 % more at T=8 and a quarter more at T=16.
    set(arguments ${ARGN} --assert -O3 -fno-localize --x-initial unique -Wno-fatal)
    if(t LESS 8)
        list(APPEND arguments -fno-split)
    endif()
    add_library(${target} STATIC)
    if(TPU_LEAN)
        # Files with options of their own would not be merged.
        verilate(${target} ${simulator} ${common} VERILATOR_ARGS ${arguments})
        get_target_property(generated ${target} SOURCES)
        list(FILTER generated INCLUDE REGEX "^/usr/.*\\.cpp$")
        set_source_files_properties(${generated} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
        target_compile_options(${target} PRIVATE -O1 ${unchecked})
    else()
        set(trace "")
        if(TPU_TRACE)
            # The memories and their written flags too: left alone, Verilator drops an array of more
            # than 32 rows and a vector of more than 256 bits without a word.
            set(trace TRACE_FST)
            list(APPEND arguments --trace-max-array 8192 --trace-max-width 8192)
        endif()
        verilate(${target} ${simulator} ${trace} ${common} VERILATOR_ARGS ${arguments}
            OPT_FAST -O2 ${march} OPT_SLOW -O0 ${unchecked} OPT_GLOBAL -O2 ${unchecked})
        # Trace code is half of the compile time and runs only while a file is open.
        get_target_property(generated ${target} SOURCES)
        list(FILTER generated INCLUDE REGEX "__Trace__[0-9]+\\.cpp$")
        if(generated)
            set_source_files_properties(${generated} PROPERTIES COMPILE_OPTIONS "-O1;${unchecked}")
        endif()
    endif()
    if(kind STREQUAL systemc)
        verilator_link_systemc(${target})
    endif()
    target_link_libraries(${target} PRIVATE tpu_flags PUBLIC ${CMAKE_DL_LIBS} z)
    # What the simulator prints goes to the shim; see the header.
    target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:CXX>:-include;${home}/harness/engine/engine_print.h;-w>)
    set_target_properties(${target} PROPERTIES
        SYSTEM ON POSITION_INDEPENDENT_CODE ON
        C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()
