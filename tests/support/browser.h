// SPDX-License-Identifier: Apache-2.0
//
// A page in headless Chromium: its elements as they stand after the scripts ran, and what it said
// on the console. Readers of the numbers that the page shows.

#ifndef BROWSER_H
#define BROWSER_H

#include <cjson/cJSON.h>

#include <stddef.h>

/** What a page became. Both are given; end with browser_clear. */
typedef struct browser {
    char *dom;     /**< HTML of the document */
    char *console; /**< lines of the console, "" = none */
} browser;

/**
 * Opens a file, with `hash` ("#selftest" or "") behind its address. Stops the test when there is no
 * Chromium or it gives nothing back.
 * @param directory  for the browser's own files.
 */
void browser_open(const char *path, const char *hash, const char *directory, browser *out);

void browser_clear(browser *self);

/** Text of the element with that id, unescaped; NULL = none. Given, free(). */
char *browser_text(const browser *self, const char *id);

/**
 * Compares every element that names a place of the JSON (data-json="a/b/0") with that place; one
 * with data-digits="2" may show it rounded.
 * Places outside of `prefix` are passed over; the prefix is cut off before the look-up.
 * @return how many were compared; each difference is a failed expectation.
 */
size_t browser_compare(const browser *self, const char *prefix, const cJSON *json);

#endif
