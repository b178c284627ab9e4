// SPDX-License-Identifier: Apache-2.0
//
// How every room says that something failed: a status code for the caller's branch and one
// sentence for the person. A divergence between machine and model is not a failure: see verdict.h.

#ifndef STATUS_H
#define STATUS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One name and one text per status. REFUSED is bad input (exit code 2); the rest is ours (3). */
#define TPU_STATUS_LIST(X)                                                                         \
    X(TPU_OK, "ok")                                                                                \
    X(TPU_REFUSED, "the input is refused")                                                         \
    X(TPU_ERR_IO, "a file or directory could not be used")                                         \
    X(TPU_ERR_MEMORY, "out of memory")                                                             \
    X(TPU_ERR_ENGINE, "the engine failed")                                                         \
    X(TPU_ERR_INTERNAL, "the harness broke its own contract")

typedef enum tpu_status {
#define TPU_STATUS_ENUM(name, text) name,
    TPU_STATUS_LIST(TPU_STATUS_ENUM)
#undef TPU_STATUS_ENUM
} tpu_status;

/** One clear sentence: where (file, line or key), what was found, what is allowed. */
typedef struct tpu_message {
    char text[512]; /**< NUL-terminated, cut with "..." when longer. */
} tpu_message;

#define TPU_NODISCARD __attribute__((warn_unused_result))
#define TPU_PRINTF(fmt_at, args_at) __attribute__((format(printf, fmt_at, args_at)))

/** Text of a status, static storage. Unknown values give "unknown status". */
const char *status_text(tpu_status status);

/**
 * Writes the sentence and returns `status`, so that a failing function can end with one line.
 * @param[out] why  borrowed; NULL drops the sentence.
 */
tpu_status status_fail(tpu_message *why, tpu_status status, const char *fmt, ...) TPU_PRINTF(3, 4);

/** Ends the process with the sentence and exit code 3; use through TPU_CHECK only. */
void status_broken_contract(const char *file, int line, const char *sentence)
    __attribute__((noreturn));

/** Internal contract, active in every build. Never for input from files or users. */
#define TPU_CHECK(condition, sentence)                                                             \
    ((condition) ? (void)0 : status_broken_contract(__FILE__, __LINE__, (sentence)))

#ifdef __cplusplus
}
#endif

#endif
