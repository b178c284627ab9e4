// SPDX-License-Identifier: Apache-2.0
//
// Matrix files: headers as NumPy writes them (typed here by hand from its format description),
// every kind of damage with its sentence, and what writing leaves behind.

#define _XOPEN_SOURCE 700

#include "harness/io/npy.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX 512

static tpu_message why;
static npy_matrix matrix;
static char directory[64];
static char path[96];

static void open_directory(void) {
    snprintf(directory, sizeof directory, "%s/npy_test_XXXXXX", P_tmpdir);
    cr_assert_not_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/m.npy", directory);
}

static void close_directory(void) {
    npy_clear(&matrix);
    (void)unlink(path);
    (void)rmdir(directory);
}

TestSuite(npy, .init = open_directory, .fini = close_directory);

// Builds a version `major`.0 file around a dictionary and its elements.
static size_t build(uint8_t *file, unsigned major, const char *text, const void *elements,
                    size_t count) {
    size_t length = strlen(text);
    size_t at = 0;
    memcpy(file, "\x93NUMPY", 6);
    at = 6;
    file[at++] = (uint8_t)major;
    file[at++] = 0;
    file[at++] = (uint8_t)(length & 0xff);
    file[at++] = (uint8_t)(length >> 8);
    if (major == 2) {
        file[at++] = 0;
        file[at++] = 0;
    }
    memcpy(file + at, text, length);
    memcpy(file + at + length, elements, count);
    return at + length + count;
}

static tpu_status parse(unsigned major, const char *text, const void *elements, size_t count) {
    uint8_t file[FILE_MAX];
    size_t size = build(file, major, text, elements, count);
    npy_clear(&matrix);
    return npy_parse("x.npy", file, size, &matrix, &why);
}

static void expect_refused(unsigned major, const char *text, size_t count, const char *sentence) {
    static const int8_t elements[64] = {0};
    tpu_status status = parse(major, text, elements, count);
    cr_expect_eq(status, TPU_REFUSED, "%s", text);
    cr_expect_str_eq(why.text, sentence);
    cr_expect_null(matrix.data);
}

#define PLAIN "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }          \n"
#define FORTRAN "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }           \n"

static const int8_t six[6] = {1, -2, 3, 4, -128, 127};

Test(npy, a_matrix_in_c_order_is_read_row_by_row) {
    cr_assert_eq(parse(1, PLAIN, six, 6), TPU_OK, "%s", why.text);
    cr_expect_eq(matrix.rows, 2);
    cr_expect_eq(matrix.columns, 3);
    cr_expect_arr_eq(matrix.data, six, 6);
}

Test(npy, a_matrix_in_fortran_order_is_turned) {
    cr_assert_eq(parse(1, FORTRAN, six, 6), TPU_OK, "%s", why.text);
    const int8_t turned[6] = {1, 3, -128, -2, 4, 127}; // columns (1 -2) (3 4) (-128 127)
    cr_expect_arr_eq(matrix.data, turned, 6);
}

Test(npy, version_two_and_other_spellings_are_read) {
    static const char *const texts[] = {
        "{'shape': (2, 3), 'fortran_order': False, 'descr': 'i1'}\n",
        "{\"descr\":\"<i1\",\"fortran_order\":False,\"shape\":(2,3)}",
        "  { 'descr' : '>i1' , 'fortran_order' : False , 'shape' : ( 2 , 3 , ) , }  ",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        cr_expect_eq(parse(2, texts[i], six, 6), TPU_OK, "%s", why.text);
        cr_expect_arr_eq(matrix.data, six, 6);
    }
}

Test(npy, a_file_without_the_magic_is_refused) {
    const uint8_t text[] = "1,2,3\n4,5,6\n";
    cr_expect_eq(npy_parse("x.npy", text, sizeof text, &matrix, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, "x.npy: not a .npy file: it does not start with \\x93NUMPY and a "
                               "version");
    cr_expect_eq(npy_parse("x.npy", text, 0, &matrix, &why), TPU_REFUSED);
}

Test(npy, another_version_is_refused) {
    expect_refused(3, PLAIN, 6, "x.npy: .npy version 3.0 was found, 1.0 or 2.0 is needed");
}

Test(npy, another_dtype_is_refused_by_name) {
    expect_refused(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24,
                   "x.npy: dtype '<f4' was found, int8 ('|i1') is needed");
    expect_refused(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }", 6,
                   "x.npy: dtype '|u1' was found, int8 ('|i1') is needed");
    expect_refused(1, "{'descr': [('a', '|i1')], 'fortran_order': False, 'shape': (6,), }", 6,
                   "x.npy: a structured dtype was found, int8 ('|i1') is needed");
}

Test(npy, a_shape_that_is_not_a_matrix_is_refused) {
    expect_refused(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (6,), }", 6,
                   "x.npy: the shape has 1 dimension(s), 2 are needed (rows, columns)");
    expect_refused(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (), }", 1,
                   "x.npy: the shape has 0 dimension(s), 2 are needed (rows, columns)");
    expect_refused(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (1, 2, 3), }", 6,
                   "x.npy: the shape has 3 dimension(s), 2 are needed (rows, columns)");
    expect_refused(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (0, 3), }", 0,
                   "x.npy: the shape (0, 3) is empty");
    expect_refused(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (-2, 3), }", 6,
                   "x.npy: the .npy header has '-' where a number of the shape should follow");
    expect_refused(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (99999, 99999), }", 6,
                   "x.npy: the shape (99999, 99999) is above the 268435456 bytes that are read");
    expect_refused(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (9999999999999, 1), }", 6,
                   "x.npy: an extent of the shape is above the 268435456 that is read");
}

Test(npy, missing_and_surplus_elements_are_counted) {
    expect_refused(1, PLAIN, 5,
                   "x.npy: the data is truncated: 5 bytes were found, the shape (2, 3) needs 6");
    expect_refused(
        1, PLAIN, 8,
        "x.npy: 2 byte(s) follow the data: the shape (2, 3) needs 6 bytes, 8 were found");
}

Test(npy, a_malformed_header_is_refused_at_its_place) {
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"", "x.npy: the .npy header ends where '{' should follow"},
        {"['descr']", "x.npy: the .npy header has '[' where '{' should follow"},
        {"{", "x.npy: the .npy header ends where a key should follow"},
        {"{descr", "x.npy: the .npy header has 'd' where a key should follow"},
        {"{'descr", "x.npy: the .npy header ends where a closing quote should follow"},
        {"{'descr' '|i1'}", "x.npy: the .npy header has ''' where ':' should follow"},
        {"{'descr': 5}", "x.npy: the .npy header has '5' where a dtype should follow"},
        {"{'fortran_order': no}",
         "x.npy: the .npy header has 'n' where True or False should follow"},
        {"{'shape': 6}", "x.npy: the .npy header has '6' where '(' of the shape should follow"},
        {"{'shape': (2 3)}",
         "x.npy: the .npy header has '3' where ',' or ')' of the shape should follow"},
        {"{'shape': (2,", "x.npy: the .npy header ends where a number of the shape should follow"},
        {"{'shape': (2, 3) 'descr'",
         "x.npy: the .npy header has ''' where ',' or '}' should follow"},
        {"{'colour': 'red'}", "x.npy: the .npy header has the key 'colour'; descr, fortran_order "
                              "and shape are allowed"},
        {"{'shape': (2, 3), 'shape': (2, 3)}", "x.npy: the .npy header has 'shape' twice"},
        {"{'descr': '|i1', 'shape': (2, 3)}", "x.npy: the .npy header lacks 'fortran_order'"},
        {"{}", "x.npy: the .npy header lacks 'descr'"},
        {"{} x", "x.npy: the .npy header has 'x' where nothing but spaces should follow"},
        {"{}\x01", "x.npy: the .npy header has byte 0x01 where nothing but spaces should follow"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect_refused(1, cases[i].text, 6, cases[i].sentence);
    }
}

Test(npy, every_truncation_of_a_good_file_is_refused) {
    uint8_t file[FILE_MAX];
    for (unsigned major = 1; major <= 2; major++) {
        size_t size = build(file, major, PLAIN, six, 6);
        for (size_t keep = 0; keep < size; keep++) {
            uint8_t *exact = malloc(keep + 1); // a read past the end shows under ASan
            memcpy(exact, file, keep);
            exact = realloc(exact, keep > 0 ? keep : 1);
            cr_expect_eq(npy_parse("x.npy", exact, keep, &matrix, &why), TPU_REFUSED, "%zu", keep);
            free(exact);
        }
    }
}

Test(npy, no_single_damaged_byte_reads_outside_the_file) {
    uint8_t good[FILE_MAX];
    size_t size = build(good, 1, PLAIN, six, 6);
    for (size_t i = 0; i < size; i++) {
        for (unsigned value = 0; value < 256; value += 5) {
            uint8_t *file = malloc(size);
            memcpy(file, good, size);
            file[i] = (uint8_t)value;
            npy_matrix found = {0};
            tpu_status status = npy_parse("x.npy", file, size, &found, &why);
            cr_expect(status == TPU_OK || (status == TPU_REFUSED && why.text[0] != '\0'));
            npy_clear(&found);
            free(file);
        }
    }
}

static size_t read_back(uint8_t *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file);
    size_t size = fread(bytes, 1, room, file);
    (void)fclose(file);
    return size;
}

Test(npy, a_written_file_is_byte_for_byte_what_numpy_writes) {
    const int8_t window[2 * 5] = {1, -2, 3, 99, 99, 4, -128, 127, 99, 99};
    uint8_t bytes[FILE_MAX];
    uint8_t expected[FILE_MAX];
    // 10 bytes in front, text padded with spaces and a line end to a multiple of 64: 118 of text.
    char text[128];
    snprintf(text, sizeof text, "%-117s\n",
             "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }");
    size_t size = build(expected, 1, text, six, 6);
    cr_assert_eq(size, 128 + 6);
    cr_assert_eq(npy_write(path, window, 2, 3, 5, NPY_ORDER_C, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(read_back(bytes, sizeof bytes), size);
    cr_expect_arr_eq(bytes, expected, size);
}

Test(npy, both_orders_come_back_as_they_were) {
    const npy_order orders[] = {NPY_ORDER_C, NPY_ORDER_FORTRAN};
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(npy_write(path, six, 2, 3, 3, orders[i], &why), TPU_OK, "%s", why.text);
        npy_clear(&matrix);
        cr_assert_eq(npy_read(path, &matrix, &why), TPU_OK, "%s", why.text);
        cr_expect_eq(matrix.rows, 2);
        cr_expect_eq(matrix.columns, 3);
        cr_expect_arr_eq(matrix.data, six, 6);
    }
}

Test(npy, raw_files_hold_the_elements_alone) {
    const int8_t window[2 * 4] = {1, -2, 3, 99, 4, -128, 127, 99};
    uint8_t bytes[16];
    cr_assert_eq(npy_write_raw(path, window, 2, 3, 4, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(read_back(bytes, sizeof bytes), 6);
    cr_expect_arr_eq(bytes, six, 6);
    cr_assert_eq(npy_read_raw(path, 2, 3, &matrix, &why), TPU_OK, "%s", why.text);
    cr_expect_arr_eq(matrix.data, six, 6);
    npy_clear(&matrix);
    cr_expect_eq(npy_read_raw(path, 2, 4, &matrix, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, "truncated: 6 bytes were found, the shape (2, 4) needs 8") != NULL);
    cr_expect_eq(npy_read_raw(path, 1, 3, &matrix, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, "3 byte(s) follow the data") != NULL);
}

Test(npy, a_file_that_cannot_be_read_is_named) {
    cr_expect_eq(npy_read("no/such.npy", &matrix, &why), TPU_ERR_IO);
    cr_expect_str_eq(why.text, "no/such.npy: cannot be opened: No such file or directory");
    cr_expect_eq(npy_read(directory, &matrix, &why), TPU_ERR_IO);
}

Test(npy, a_file_that_cannot_be_written_stays_as_it_was) {
    cr_expect_eq(npy_write("no/such.npy", six, 2, 3, 3, NPY_ORDER_C, &why), TPU_ERR_IO);
    cr_expect(strstr(why.text, "no/such.npy") == why.text);
    cr_assert_eq(mkdir(path, 0700), 0); // a directory cannot be replaced by a file
    cr_expect_eq(npy_write(path, six, 2, 3, 3, NPY_ORDER_C, &why), TPU_ERR_IO);
    cr_expect_eq(rmdir(path), 0);
    cr_expect_eq(rmdir(directory), 0, "a temporary file was left");
}

Test(npy, a_name_left_by_a_dead_run_is_stepped_over) {
    char left[128];
    snprintf(left, sizeof left, "%s.0.tmp", path);
    FILE *file = fopen(left, "wb");
    cr_assert_not_null(file);
    (void)fclose(file);
    cr_expect_eq(npy_write(path, six, 2, 3, 3, NPY_ORDER_C, &why), TPU_OK, "%s", why.text);
    cr_expect_eq(unlink(left), 0);
}
