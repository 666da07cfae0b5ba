// SPDX-License-Identifier: Apache-2.0
/**
 * Incremental decoder of RESP requests: arrays of bulk strings, and inline commands.
 *
 * It works on the received bytes without copying them: arguments are offsets into the bytes of the
 * call that completes the command. What it has understood of an incomplete command it keeps, so
 * that a command that comes in a million pieces costs no more than one that comes at once.
 *
 * Errors: FIL_E_AGAIN means "more bytes, please"; others come with Redis's text in `problem`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/mem/budget.h"

#define FIL_RESP_INLINE_BYTES_MAX   ((size_t)64 * 1024)
#define FIL_RESP_ARGUMENTS_MAX      (UINT32_C(1024) * 1024)
#define FIL_RESP_ARGUMENTS_USUAL    8U
#define FIL_RESP_INLINE_BYTES_USUAL 256U // longer lines need a block

struct fil_resp_argument {
    size_t offset;
    size_t size;
};

struct fil_resp_decoder {
    // Limits, set at init.
    size_t bulk_bytes_max;    // one argument
    size_t command_bytes_max; // all of a command

    // What is known of the command at the front of the bytes.
    bool is_started;
    bool is_kept; // and the command is whole: it comes again
    uint32_t argument_total;
    uint32_t argument_count;
    size_t position; // the first byte not yet understood
    size_t scanned;  // no line end between position and here
    bool has_bulk_size;
    size_t bulk_size;
    size_t kept_offset; // of a command that comes again: where its arguments count from,
    size_t kept_size;   // and its bytes with what was skipped before it

    struct fil_resp_argument usual[FIL_RESP_ARGUMENTS_USUAL];
    struct fil_budget *budget;           // for the larger block; NULL: not accounted
    struct fil_resp_argument *arguments; // `usual`, or a larger block
    uint32_t argument_capacity;

    uint8_t *text; // unquoted arguments of an inline command, or NULL
    uint8_t short_text[FIL_RESP_INLINE_BYTES_USUAL]; // where they usually are
    bool is_frame_limit; // the problem is command_bytes_max, net.frame_bytes_max
    char problem[96];
};

/** A complete command; valid until the decoder or its bytes change. */
struct fil_resp_command {
    const uint8_t *base;
    const struct fil_resp_argument *arguments;
    uint32_t count; // at least 1
};

static inline struct fil_bytes fil_resp_argument(const struct fil_resp_command *command,
                                                 uint32_t index)
{
    return fil_bytes_make(command->base + command->arguments[index].offset,
                          command->arguments[index].size);
}

void fil_resp_decoder_init(struct fil_resp_decoder *decoder, size_t bulk_bytes_max,
                           size_t command_bytes_max);
void fil_resp_decoder_fini(struct fil_resp_decoder *decoder);

/**
 * Decodes the command at the front of bytes. FIL_OK: out_size bytes make out_command. FIL_E_AGAIN:
 * incomplete; drop out_size bytes (empty commands), then call again with the rest and more behind
 * it. FIL_E_MALFORMED, FIL_E_LIMIT, FIL_E_NOMEM: of no use any more, `problem` says why.
 */
int fil_resp_decode(struct fil_resp_decoder *decoder, struct fil_bytes bytes,
                    struct fil_resp_command *out_command, size_t *out_size) FIL_NODISCARD;

/**
 * The command that was decoded last was not taken: the same bytes come again, maybe elsewhere and
 * with more behind them, and are not read again however many words it has.
 */
void fil_resp_decoder_keep(struct fil_resp_decoder *decoder, struct fil_bytes bytes,
                           const struct fil_resp_command *command, size_t size);

/** How many bytes the incomplete command needs at least, as far as is known; 0: not known. */
size_t fil_resp_decoder_expected(const struct fil_resp_decoder *decoder);
