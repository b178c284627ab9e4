// SPDX-License-Identifier: Apache-2.0
//
// The files of harness/page as they are put into the program when it is built
// (cmake/TpuEmbed.cmake): frame, style and script of the HTML pages.

#ifndef PAGE_ASSETS_H
#define PAGE_ASSETS_H

#include <stddef.h>

/** NUL-terminated; the sizes are without the NUL. All bytes are ASCII. */
extern const char page_assets_frame[];
extern const size_t page_assets_frame_bytes;
extern const char page_assets_style[];
extern const size_t page_assets_style_bytes;
extern const char page_assets_script[];
extern const size_t page_assets_script_bytes;

#endif
