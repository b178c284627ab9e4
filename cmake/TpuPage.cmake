# SPDX-License-Identifier: Apache-2.0
#
# The files of the HTML pages as C sources, so that tpucosim carries them. Sets TPU_PAGE_SOURCES.

set(page "${CMAKE_CURRENT_SOURCE_DIR}/show/page")
set(TPU_PAGE_SOURCES)

# tpu_embed(<symbol> <file>...)
function(tpu_embed symbol)
    set(out "${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c")
    add_custom_command(
        OUTPUT "${out}"
        COMMAND ${CMAKE_COMMAND} "-DOUT=${out}" "-DNAME=${symbol}" "-DFILES=${ARGN}" -P
                "${PROJECT_SOURCE_DIR}/cmake/TpuEmbed.cmake"
        DEPENDS ${ARGN} "${PROJECT_SOURCE_DIR}/cmake/TpuEmbed.cmake"
        VERBATIM)
    set(TPU_PAGE_SOURCES ${TPU_PAGE_SOURCES} "${out}" PARENT_SCOPE)
endfunction()

tpu_embed(page_assets_frame "${page}/page.html")
tpu_embed(page_assets_style "${page}/page.css")
tpu_embed(
    page_assets_script
    "${page}/page_base.js"
    "${page}/page_wave.js"
    "${page}/page_draw.js"
    "${page}/page_machine.js"
    "${page}/page_failure.js"
    "${page}/page_selftest.js"
    "${page}/page_facts.js"
    "${page}/page_summary.js"
    "${page}/page_parts.js"
    "${page}/page_start.js")
