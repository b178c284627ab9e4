// SPDX-License-Identifier: Apache-2.0
//
// Instruction <-> two 64-bit words. Positions and widths come from the generated header
// (spec/isa_spec.json#instruction_word, #agu, #encoding_rule). What an instruction means is not
// known here.

#ifndef CODEC_H
#define CODEC_H

#include "csim/isa/isa.h"

#include <stdint.h>

/**
 * Encodes one instruction under the spare-bit rule: a field of N bits takes 0 .. 2^(N-1) - 1.
 * @param[out] word  borrowed, TPU_IWORDS words; untouched on failure.
 * @return TPU_OK, or TPU_REFUSED naming the field, its value and what it may hold.
 */
tpu_status codec_encode(const isa_insn *insn, uint64_t word[TPU_IWORDS],
                        tpu_message *why) TPU_NODISCARD;

/**
 * Encodes without the spare-bit rule: values are cut to their width. For programs that are meant
 * to be bad and for the words the sequencer itself rewrites.
 */
void codec_encode_unchecked(const isa_insn *insn, uint64_t word[TPU_IWORDS]);

/**
 * Reads two words back, losing nothing: an unknown opcode, a value over the spare-bit limit or a
 * bad AGU target is decoded as it stands (`check` refuses it).
 * @return TPU_OK, or TPU_REFUSED when a bit outside every field is set; `out` is untouched then.
 */
tpu_status codec_decode(const uint64_t word[TPU_IWORDS], isa_insn *out,
                        tpu_message *why) TPU_NODISCARD;

/** Word 0 of these values, each cut to its width; `nr` may use all of its bits. */
uint64_t codec_word0(uint32_t op, const uint32_t f[TPU_FIELDS], uint32_t nr);

#endif
