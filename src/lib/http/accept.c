// SPDX-License-Identifier: Apache-2.0
#include "lib/http/accept.h"

#include <stddef.h>

static struct fil_bytes skip(struct fil_bytes bytes, size_t size)
{
    return size == bytes.size ? fil_bytes_of("")
                              : fil_bytes_make(bytes.data + size, bytes.size - size);
}

/** Takes what stands before the separator; the rest begins behind it. */
static struct fil_bytes take(struct fil_bytes *rest, char separator)
{
    size_t size = fil_bytes_find(*rest, (uint8_t)separator);
    struct fil_bytes part = fil_bytes_trim(fil_bytes_make(rest->data, size));
    *rest = skip(*rest, size < rest->size ? size + 1 : size);
    return part;
}

/** Whether "0", "0.5", "1.000" is more than nothing. */
static bool is_positive(struct fil_bytes weight)
{
    bool is_more = false;
    if (weight.size == 0 || weight.size > 5 || (weight.size > 1 && weight.data[1] != '.') ||
        (weight.data[0] != '0' && weight.data[0] != '1')) {
        return false;
    }
    for (size_t i = 0; i < weight.size; i++) {
        bool is_digit = weight.data[i] >= '0' && weight.data[i] <= '9';
        if (i != 1 && !is_digit) {
            return false;
        }
        is_more |= is_digit && weight.data[i] != '0';
    }
    return is_more;
}

/** Whether the parameters behind a coding let it be used. */
static bool is_wanted(struct fil_bytes parameters)
{
    while (parameters.size > 0) {
        struct fil_bytes value = take(&parameters, ';');
        struct fil_bytes name = take(&value, '=');
        if (fil_bytes_equal_nocase(name, fil_bytes_of("q"))) {
            return is_positive(fil_bytes_trim(value));
        }
    }
    return true;
}

bool fil_http_accepts_coding(struct fil_bytes header, const char *coding)
{
    bool is_star_wanted = false;
    while (header.size > 0) {
        struct fil_bytes parameters = take(&header, ',');
        struct fil_bytes name = take(&parameters, ';');
        if (fil_bytes_equal_nocase(name, fil_bytes_of(coding))) {
            return is_wanted(parameters); // the name counts for more than a star
        }
        if (fil_bytes_equal_text(name, "*")) {
            is_star_wanted = is_wanted(parameters);
        }
    }
    return is_star_wanted;
}
