// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/form.h"

#include <string.h>

#include "grid/map/form.h"
#include "lib/base/assert.h"
#include "lib/base/utf8.h"
#include "protocol/client/serialization.h"

#define TEXT_HEAD (FIL_WIRE_DATA_SIZE_MIN + 4U) // hash, type, length

/** The text of a string or array whose length is right; without data for everything else. */
static struct fil_bytes text_of(struct fil_bytes data, int32_t type)
{
    bool has_text = type == FIL_WIRE_DATA_STRING || type == FIL_WIRE_DATA_BYTES;
    if (!has_text || data.size < TEXT_HEAD ||
        fil_load_u32_be(data.data + FIL_WIRE_DATA_SIZE_MIN) != data.size - TEXT_HEAD) {
        return (struct fil_bytes){0};
    }
    return fil_bytes_make(data.data + TEXT_HEAD, data.size - TEXT_HEAD);
}

int32_t fil_wire_form_type(struct fil_bytes form)
{
    if (FIL_UNLIKELY(fil_map_form_is_serialized(form))) {
        return fil_wire_data_type(form);
    }
    return fil_utf8_is_valid(form) ? FIL_WIRE_DATA_STRING : FIL_WIRE_DATA_BYTES;
}

/** Without its head, if the head can be made again from what is left; otherwise as it is. */
static struct fil_bytes strip(struct fil_bytes data)
{
    int32_t type = fil_wire_data_type(data);
    struct fil_bytes text = text_of(data, type);
    if (FIL_LIKELY(text.data != NULL) && FIL_LIKELY(fil_wire_form_type(text) == type) &&
        FIL_LIKELY(!fil_map_form_is_serialized(text))) {
        return text;
    }
    return data;
}

struct fil_bytes fil_wire_form_of_key(struct fil_bytes data)
{
    fil_assert(data.size >= FIL_WIRE_DATA_SIZE_MIN);
    // One that brings its hash lives where no other protocol would look for its text.
    return FIL_LIKELY(fil_load_u32_be(data.data) == 0) ? strip(data) : data;
}

bool fil_wire_form_of_value(struct fil_bytes data, struct fil_bytes *out_form)
{
    fil_assert(data.size >= FIL_WIRE_DATA_SIZE_MIN);
    *out_form = strip(data);
    return FIL_LIKELY(out_form->data != data.data) || fil_map_form_is_serialized(data);
}

static void write_text(struct fil_wire_writer *writer, struct fil_bytes text, int32_t type)
{
    uint8_t *content = fil_wire_writer_frame(writer, 0, TEXT_HEAD + text.size);
    if (FIL_UNLIKELY(content == NULL)) {
        return;
    }
    fil_store_u32_be(content, 0);
    fil_store_u32_be(content + 4, (uint32_t)type);
    fil_store_u32_be(content + FIL_WIRE_DATA_SIZE_MIN, (uint32_t)text.size);
    if (text.size > 0) {
        memcpy(content + TEXT_HEAD, text.data, text.size);
    }
}

void fil_wire_writer_form(struct fil_wire_writer *writer, struct fil_bytes form)
{
    if (FIL_UNLIKELY(fil_map_form_is_serialized(form))) {
        fil_wire_writer_bytes(writer, form);
    } else {
        write_text(writer, form, fil_wire_form_type(form));
    }
}

/** Text lives where its hash says; what lives elsewhere has brought a hash of its own. */
static bool brings_hash(struct fil_bytes form, struct fil_wire_form_place place)
{
    return fil_map_form_partition(form, place.partition_count) != place.partition_id &&
           fil_wire_is_data(form) &&
           fil_wire_partition_of_key(form, place.partition_count) == place.partition_id;
}

void fil_wire_writer_form_key(struct fil_wire_writer *writer, struct fil_bytes form,
                              struct fil_wire_form_place place)
{
    if (FIL_UNLIKELY(brings_hash(form, place))) {
        fil_wire_writer_bytes(writer, form);
    } else {
        fil_wire_writer_form(writer, form);
    }
}
