// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "filbert/error.h"
#include "grid/map/json_merge.h"
#include "grid/map/processors_internal.h"

#define NUMBER_TEXT_MAX 24U

static void give_number(struct fil_map_buffer *buffer, int64_t number)
{
    char text[NUMBER_TEXT_MAX];
    int size = snprintf(text, sizeof(text), "%lld", (long long)number);
    fil_map_buffer_add(buffer, fil_bytes_make(text, (size_t)size));
}

int fil_map__increment(struct fil_map_processing *processing, void *context)
{
    int64_t number = 0;
    int64_t by = 1;
    (void)context;
    if (processing->argument_count > 1 ||
        (processing->argument_count == 1 && !fil_bytes_to_i64(processing->arguments[0], &by))) {
        return FIL_E_INVALID;
    }
    if (processing->is_there && !fil_bytes_to_i64(processing->old_value, &number)) {
        return FIL_E_MALFORMED;
    }
    if (__builtin_add_overflow(number, by, &number)) {
        return FIL_E_LIMIT;
    }
    give_number(&processing->value, number);
    give_number(&processing->result, number);
    processing->has_result = true;
    processing->verdict = FIL_MAP_WRITE;
    return FIL_OK;
}

int fil_map__append(struct fil_map_processing *processing, void *context)
{
    (void)context;
    if (processing->argument_count != 1) {
        return FIL_E_INVALID;
    }
    if (processing->is_there) {
        fil_map_buffer_add(&processing->value, processing->old_value);
    }
    fil_map_buffer_add(&processing->value, processing->arguments[0]);
    give_number(&processing->result, (int64_t)processing->value.size);
    processing->has_result = true;
    processing->verdict = FIL_MAP_WRITE;
    return FIL_OK;
}

int fil_map__compare_and_set(struct fil_map_processing *processing, void *context)
{
    (void)context;
    if (processing->argument_count != 1 && processing->argument_count != 2) {
        return FIL_E_INVALID;
    }
    bool is_same =
        processing->is_there && fil_bytes_equal(processing->old_value, processing->arguments[0]);
    if (is_same && processing->argument_count == 2) {
        fil_map_buffer_add(&processing->value, processing->arguments[1]);
        processing->verdict = FIL_MAP_WRITE;
    } else if (is_same) {
        processing->verdict = FIL_MAP_REMOVE;
    }
    give_number(&processing->result, is_same);
    processing->has_result = true;
    return FIL_OK;
}

int fil_map__json_merge(struct fil_map_processing *processing, void *context)
{
    (void)context;
    if (processing->argument_count != 1) {
        return FIL_E_INVALID;
    }
    struct fil_bytes target =
        processing->is_there ? processing->old_value : fil_bytes_make(NULL, 0);
    int error = fil_json_merge(target, processing->arguments[0], &processing->value);
    if (error != FIL_OK) {
        return error;
    }
    fil_map_buffer_add(&processing->result, fil_map_buffer_bytes(&processing->value));
    processing->has_result = true;
    processing->verdict = FIL_MAP_WRITE;
    return FIL_OK;
}
