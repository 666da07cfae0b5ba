// SPDX-License-Identifier: Apache-2.0
/** Filters as the configuration names them. */
#include <string.h>

#include "core/service/filter.h"
#include "filbert/error.h"

/** Takes what stands before the separator off the text; false when nothing is left. */
static bool take_until(struct fil_bytes *rest, uint8_t separator, struct fil_bytes *out_part)
{
    if (rest->size == 0) {
        return false;
    }
    size_t size = fil_bytes_find(*rest, separator);
    size_t used = size < rest->size ? size + 1 : size;
    *out_part = fil_bytes_trim(fil_bytes_make(rest->data, size));
    *rest = fil_bytes_make(rest->data + used, rest->size - used);
    return true;
}

int fil_filter_next_rule(struct fil_bytes *rest, struct fil_filter_rule *out_rule)
{
    struct fil_bytes text;
    do {
        if (!take_until(rest, ';', &text)) {
            return FIL_E_NOT_FOUND;
        }
    } while (text.size == 0);
    const uint8_t *colon = memmem(text.data, text.size, ": ", 2);
    out_rule->filters = text;
    if (colon == NULL) {
        return FIL_E_INVALID;
    }
    size_t size = (size_t)(colon - text.data);
    out_rule->route = fil_bytes_trim(fil_bytes_make(text.data, size));
    out_rule->filters = fil_bytes_trim(fil_bytes_make(colon + 1, text.size - size - 1));
    return FIL_OK;
}

bool fil_filter_next(struct fil_bytes *filters, struct fil_bytes *out_text)
{
    do {
        if (!take_until(filters, ',', out_text)) {
            return false;
        }
    } while (out_text->size == 0);
    return true;
}
