// SPDX-License-Identifier: Apache-2.0
#include "filbert/error.h"

#include <stddef.h>

#include "lib/base/attr.h"

struct error_row {
    int code;
    bool is_retryable;
    enum fil_fault fault;
    const char *name;
    const char *text;
};

static const struct error_row error_rows[] = {{FIL_OK, false, FIL_FAULT_NONE, "OK", "success"},
#define FIL_ERROR_ROW(name, number, is_retryable, who, text) \
    {(number), (is_retryable), FIL_FAULT_##who, #name, (text)},
                                              FIL_ERRORS(FIL_ERROR_ROW)
#undef FIL_ERROR_ROW
};

static const struct error_row *find_row(int error)
{
    for (size_t i = 0; i < FIL_COUNT_OF(error_rows); i++) {
        if (error_rows[i].code == error) {
            return &error_rows[i];
        }
    }
    return NULL;
}

const char *fil_error_text(int error)
{
    const struct error_row *row = find_row(error);
    return row == NULL ? "unknown error code: the library and the header differ" : row->text;
}

const char *fil_error_name(int error)
{
    const struct error_row *row = find_row(error);
    return row == NULL ? "UNKNOWN" : row->name;
}

bool fil_error_is_retryable(int error)
{
    const struct error_row *row = find_row(error);
    return row != NULL && row->is_retryable;
}

enum fil_fault fil_error_fault(int error)
{
    const struct error_row *row = find_row(error);
    return row == NULL ? FIL_FAULT_NONE : row->fault;
}
