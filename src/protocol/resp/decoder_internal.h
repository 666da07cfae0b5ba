// SPDX-License-Identifier: Apache-2.0
/** What the files of the decoder share. */
#pragma once

#include "lib/base/attr.h"
#include "protocol/resp/decoder.h"

/** Keeps the text as the problem; returns the error. */
FIL_PRINTF(3, 4)
int fil_resp_decoder__fail(struct fil_resp_decoder *decoder, int error, const char *format, ...);

/** One more argument of the command; FIL_E_NOMEM. */
int fil_resp_decoder__add(struct fil_resp_decoder *decoder, size_t offset, size_t size)
    FIL_NODISCARD;

/** Reads the line at the front; FIL_E_AGAIN without its end. */
int fil_resp_decoder__read_inline(struct fil_resp_decoder *decoder, struct fil_bytes bytes)
    FIL_NODISCARD;
