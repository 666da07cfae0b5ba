// SPDX-License-Identifier: Apache-2.0
#include "lib/log/record.h"

#include <assert.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"

#define ALIGNMENT 8U

static_assert(sizeof(struct fil_log_record) % ALIGNMENT == 0, "fields stay aligned");
static_assert(sizeof(struct fil_log_field) % ALIGNMENT == 0, "fields stay aligned");
static_assert(FIL_LOG_TEXT_MAX % ALIGNMENT == 0, "the largest record is what it says");

/** How much of a text is kept: never half a character. */
static uint32_t kept_size(struct fil_bytes text)
{
    if (text.size <= FIL_LOG_TEXT_MAX) {
        return (uint32_t)text.size;
    }
    uint32_t size = FIL_LOG_TEXT_MAX;
    // A byte 10xxxxxx continues a character; at most three of them follow its first.
    for (uint32_t steps = 0; steps < 3 && (text.data[size] & 0xC0U) == 0x80U; steps++) {
        size--;
    }
    return size;
}

static uint32_t text_room(const struct fil_log_field *field)
{
    return field->type == FIL_LOG_TEXT
               ? (uint32_t)fil_align_up(kept_size(field->value.text), ALIGNMENT)
               : 0;
}

static uint32_t count_fields(const struct fil_log_field *fields)
{
    uint32_t count = 0;
    while (count < FIL_LOG_FIELDS_MAX && fields[count].type != FIL_LOG_END) {
        count++;
    }
    return count;
}

uint32_t fil_log_record_measure(const struct fil_log_field *fields)
{
    uint32_t count = count_fields(fields);
    uint32_t size = (uint32_t)(sizeof(struct fil_log_record) + count * sizeof(*fields));
    for (uint32_t i = 0; i < count; i++) {
        size += text_room(&fields[i]);
    }
    fil_assert(size <= FIL_LOG_RECORD_BYTES_MAX);
    return size;
}

/** Copies a field and its text; returns the bytes taken. */
static uint32_t encode_field(uint8_t *memory, const struct fil_log_field *field)
{
    struct fil_log_field kept = *field;
    if (field->type == FIL_LOG_TEXT) {
        uint32_t size = kept_size(field->value.text);
        kept.is_cut = field->is_cut || size < field->value.text.size;
        kept.value.text = fil_bytes_make(NULL, size); // the data is right behind
        if (size > 0) {
            memcpy(memory + sizeof(kept), field->value.text.data, size);
        }
    }
    memcpy(memory, &kept, sizeof(kept));
    return (uint32_t)sizeof(kept) + text_room(field);
}

struct fil_log_record *fil_log_record_encode(void *memory, const struct fil_log_record *head,
                                             const struct fil_log_field *fields)
{
    fil_assert((uintptr_t)memory % ALIGNMENT == 0);
    fil_assert(head->site.event != NULL);
    fil_assert(head->role != NULL);

    struct fil_log_record *record = memory;
    *record = *head;
    record->error = FIL_OK;
    record->field_count = count_fields(fields);
    record->size = sizeof(*record);
    for (uint32_t i = 0; i < record->field_count; i++) {
        if (fields[i].type == FIL_LOG_CODE && record->error == FIL_OK) {
            record->error = fields[i].value.code;
        }
        record->size += encode_field((uint8_t *)memory + record->size, &fields[i]);
    }
    return record;
}

bool fil_log_record_next(const struct fil_log_record *record, uint32_t *position,
                         struct fil_log_field *out_field)
{
    uint32_t offset = (uint32_t)sizeof(*record) + *position;
    if (offset >= record->size) {
        return false;
    }
    const uint8_t *memory = (const uint8_t *)record + offset;
    memcpy(out_field, memory, sizeof(*out_field));
    if (out_field->type == FIL_LOG_TEXT) {
        out_field->value.text.data = memory + sizeof(*out_field);
        fil_assert(out_field->value.text.size <= FIL_LOG_TEXT_MAX);
    }
    *position += (uint32_t)sizeof(*out_field) + text_room(out_field);
    return true;
}

struct fil_log_record *fil_log_record_copy(void *memory, uint32_t size,
                                           const struct fil_log_record *record)
{
    fil_assert((uintptr_t)memory % ALIGNMENT == 0);
    fil_assert(size >= sizeof(*record));
    uint32_t room = size - (uint32_t)sizeof(*record);
    uint32_t kept = 0;
    uint32_t count = 0;
    uint32_t position = 0;
    struct fil_log_field field;
    while (fil_log_record_next(record, &position, &field) && position <= room) {
        kept = position;
        count++;
    }
    memcpy(memory, record, sizeof(*record) + kept);
    struct fil_log_record *copy = memory;
    copy->size = (uint32_t)sizeof(*record) + kept;
    copy->field_count = count;
    return copy;
}
