// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/protocol/client/wire_sample.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/client/generated/services.h"
#include "tests/unit/harness.h"

#define ARENA_CHUNK ((size_t)64 * 1024)
#define ITEMS_MAX   3U

void wire_sample_init(struct wire_sample *sample, uint64_t seed)
{
    fil_arena_init(&sample->arena, ARENA_CHUNK, SIZE_MAX);
    fil_prng_init(&sample->prng, seed);
    fil_budget_init(&sample->budget, UINT64_C(1) << 32);
    fil_chunk_pool_init(&sample->pool, &sample->budget, 4);
    fil_chunk_queue_init(&sample->queue);
    fil_wire_writer_init(&sample->writer, &sample->queue, &sample->pool, SIZE_MAX);
}

void wire_sample_fini(struct wire_sample *sample)
{
    fil_chunk_queue_clear(&sample->queue);
    fil_pool_fini(&sample->pool);
    fil_arena_fini(&sample->arena);
}

void wire_sample_reset(struct wire_sample *sample)
{
    fil_arena_reset(&sample->arena);
}

static void *take_memory(struct wire_sample *sample, size_t size)
{
    void *memory = fil_arena_alloc_zero(&sample->arena, 1, size == 0 ? 1 : size);
    fil_assert(memory != NULL);
    return memory;
}

static struct fil_bytes random_bytes(struct wire_sample *sample, size_t size)
{
    uint8_t *bytes = take_memory(sample, size);
    fil_prng_fill(&sample->prng, bytes, size);
    return fil_bytes_make(bytes, size);
}

struct fil_bytes wire_sample_data(struct wire_sample *sample)
{
    size_t size = FIL_WIRE_DATA_SIZE_MIN + fil_prng_below(&sample->prng, 20);
    uint8_t *data = take_memory(sample, size);
    fil_prng_fill(&sample->prng, data, size);
    data[7] |= 1; // any type but that of null
    return fil_bytes_make(data, size);
}

static void fill_fixed(struct wire_sample *sample, const struct fil_wire_type *type, uint8_t *slot)
{
    if (type->kind == FIL_WIRE_BOOL) {
        bool value = fil_prng_chance(&sample->prng, 0.5);
        memcpy(slot, &value, sizeof(value));
    } else if (type->kind == FIL_WIRE_UUID) {
        struct fil_wire_uuid uuid = {.is_null = fil_prng_chance(&sample->prng, 0.2)};
        uuid.high = fil_prng_next(&sample->prng);
        uuid.low = fil_prng_next(&sample->prng);
        memcpy(slot, &uuid, sizeof(uuid));
    } else {
        fil_prng_fill(&sample->prng, slot, type->item_size);
    }
}

static void fill_item(struct wire_sample *sample, const struct fil_wire_type *type, uint8_t *slot);

static void fill_frame(struct wire_sample *sample, const struct fil_wire_type *type,
                       struct fil_bytes *slot)
{
    if (type->kind == FIL_WIRE_DATA) {
        *slot = wire_sample_data(sample);
    } else {
        size_t item_size = type->kind == FIL_WIRE_PACKED ? type->item_size : 1;
        *slot = random_bytes(sample, item_size * fil_prng_below(&sample->prng, 6));
    }
}

static void fill_fields(struct wire_sample *sample, const struct fil_wire_layout *layout,
                        uint8_t *fields);

static void fill_structure(struct wire_sample *sample, const struct fil_wire_type *type,
                           struct fil_wire_part *part)
{
    static const uint8_t page[] = {6, 0, 0, 0, 0, 0x10, 7, 0, 0, 0, 0, 0, 1, 6, 0, 0, 0, 0, 8};
    if (type->kind == FIL_WIRE_OPAQUE) {
        *part = (struct fil_wire_part){.kind = FIL_WIRE_PART_FRAMES, .count = 1};
        part->frames = fil_bytes_make(page, sizeof(page));
        return;
    }
    if (type->kind == FIL_WIRE_CUSTOM) {
        *part = fil_wire_part_items(wire_sample_fields(sample, type->custom), 1);
        return;
    }
    uint32_t count = (uint32_t)fil_prng_below(&sample->prng, ITEMS_MAX + 1);
    size_t key_size = type->kind == FIL_WIRE_MAP ? fil_wire_slot_size(type->key) : 0;
    size_t stride = key_size + fil_wire_slot_size(type->item);
    uint8_t *items = take_memory(sample, stride * count);
    for (uint32_t i = 0; i < count; i++) {
        if (key_size > 0) {
            fill_item(sample, type->key, items + i * stride);
        }
        fill_item(sample, type->item, items + i * stride + key_size);
    }
    *part = fil_wire_part_items(items, count);
    if (type->kind == FIL_WIRE_KEYED) {
        part->keys = random_bytes(sample, (size_t)count * type->item_size);
    }
}

static void fill_slot(struct wire_sample *sample, const struct fil_wire_type *type, uint8_t *slot)
{
    if (type->is_nullable && fil_prng_chance(&sample->prng, 0.25)) {
        return;
    }
    if (type->kind >= FIL_WIRE_LIST) {
        fill_structure(sample, type, (struct fil_wire_part *)(void *)slot);
    } else {
        fill_frame(sample, type, (struct fil_bytes *)(void *)slot);
    }
}

/** In an array a custom type stands itself. */
static void fill_item(struct wire_sample *sample, const struct fil_wire_type *type, uint8_t *slot)
{
    if (type->kind == FIL_WIRE_CUSTOM) {
        fill_fields(sample, type->custom, slot);
    } else {
        fill_slot(sample, type, slot);
    }
}

static void fill_fields(struct wire_sample *sample, const struct fil_wire_layout *layout,
                        uint8_t *fields)
{
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const struct fil_wire_field *field = &layout->fields[i];
        if (i < layout->fixed_count) {
            fill_fixed(sample, field->type, fields + field->offset);
        } else {
            fill_slot(sample, field->type, fields + field->offset);
        }
    }
}

void *wire_sample_fields(struct wire_sample *sample, const struct fil_wire_layout *layout)
{
    uint8_t *fields = take_memory(sample, layout->struct_size);
    fill_fields(sample, layout, fields);
    return fields;
}

struct fil_bytes wire_sample_take(struct wire_sample *sample)
{
    size_t size = sample->queue.size_bytes;
    uint8_t *all = take_memory(sample, size);
    size_t done = 0;
    struct fil_bytes slice;
    while (fil_chunk_queue_slices(&sample->queue, &slice, 1) > 0) {
        memcpy(all + done, slice.data, slice.size);
        done += slice.size;
        fil_chunk_queue_consume(&sample->queue, slice.size);
    }
    assert_int_equal(done, size);
    return fil_bytes_make(all, size);
}

struct fil_bytes wire_sample_encode(struct wire_sample *sample,
                                    const struct fil_wire_layout *layout, const void *fields)
{
    struct fil_wire_header header = {.correlation = 7, .partition = 3, .backup_acks = 2};
    assert_int_equal(fil_wire_encode(layout, &sample->writer, &header, fields), FIL_OK);
    return wire_sample_take(sample);
}

// Comparing.

static void compare_fields(struct wire_sample *sample, const struct fil_wire_layout *layout,
                           const uint8_t *expected, const uint8_t *decoded);

static void compare_fixed(const struct fil_wire_type *type, const uint8_t *expected,
                          const uint8_t *decoded)
{
    if (type->kind != FIL_WIRE_UUID) {
        assert_memory_equal(expected, decoded, type->item_size);
        return;
    }
    struct fil_wire_uuid a;
    struct fil_wire_uuid b;
    memcpy(&a, expected, sizeof(a));
    memcpy(&b, decoded, sizeof(b));
    assert_int_equal(a.is_null, b.is_null);
    if (!a.is_null) {
        assert_true(a.high == b.high && a.low == b.low);
    }
}

static void compare_item(struct wire_sample *sample, const struct fil_wire_type *type,
                         const uint8_t *expected, struct fil_wire_cursor *cursor);

static void compare_structure(struct wire_sample *sample, const struct fil_wire_type *type,
                              const struct fil_wire_part *expected, struct fil_wire_cursor *cursor)
{
    if (type->kind == FIL_WIRE_CUSTOM) {
        compare_item(sample, type, expected->items, cursor);
        return;
    }
    assert_true(fil_wire_cursor_skip(cursor, FIL_WIRE_BEGIN));
    if (type->kind == FIL_WIRE_OPAQUE) {
        assert_true(fil_wire_cursor_leave(cursor));
        return;
    }
    const uint8_t *at = expected->items;
    for (uint32_t i = 0; i < expected->count; i++) {
        if (type->kind == FIL_WIRE_MAP) {
            compare_item(sample, type->key, at, cursor);
            at += fil_wire_slot_size(type->key);
        }
        compare_item(sample, type->item, at, cursor);
        at += fil_wire_slot_size(type->item);
    }
    assert_true(fil_wire_cursor_skip(cursor, FIL_WIRE_END));
}

static void compare_slot(struct wire_sample *sample, const struct fil_wire_type *type,
                         const uint8_t *expected, struct fil_wire_cursor *cursor)
{
    if (type->kind < FIL_WIRE_LIST) {
        struct fil_bytes value;
        struct fil_bytes wanted = *(const struct fil_bytes *)(const void *)expected;
        assert_true(fil_wire_cursor_bytes_or_null(cursor, &value));
        assert_int_equal(value.data == NULL, wanted.data == NULL);
        assert_true(fil_bytes_equal(value, wanted));
        return;
    }
    const struct fil_wire_part *part = (const struct fil_wire_part *)(const void *)expected;
    if (part->kind == FIL_WIRE_PART_NONE) {
        assert_true(fil_wire_cursor_skip(cursor, FIL_WIRE_NULL));
    } else {
        compare_structure(sample, type, part, cursor);
    }
}

static void compare_item(struct wire_sample *sample, const struct fil_wire_type *type,
                         const uint8_t *expected, struct fil_wire_cursor *cursor)
{
    if (type->kind != FIL_WIRE_CUSTOM) {
        compare_slot(sample, type, expected, cursor);
        return;
    }
    uint8_t *decoded = take_memory(sample, type->custom->struct_size);
    assert_true(fil_wire_decode_item(type->custom, cursor, decoded));
    compare_fields(sample, type->custom, expected, decoded);
}

static void compare_part(struct wire_sample *sample, const struct fil_wire_type *type,
                         const struct fil_wire_part *expected, const struct fil_wire_part *decoded)
{
    struct fil_wire_cursor cursor;
    assert_int_equal(decoded->kind == FIL_WIRE_PART_NONE, expected->kind == FIL_WIRE_PART_NONE);
    if (expected->kind == FIL_WIRE_PART_NONE) {
        return;
    }
    assert_int_equal(decoded->kind, FIL_WIRE_PART_FRAMES);
    assert_int_equal(decoded->count, expected->count);
    assert_true(fil_bytes_equal(decoded->keys, expected->keys));
    fil_wire_cursor_init(&cursor, decoded->frames);
    compare_structure(sample, type, expected, &cursor);
    assert_int_equal(fil_wire_cursor_remaining(&cursor), 0);
}

static void compare_fields(struct wire_sample *sample, const struct fil_wire_layout *layout,
                           const uint8_t *expected, const uint8_t *decoded)
{
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const struct fil_wire_field *field = &layout->fields[i];
        const uint8_t *a = expected + field->offset;
        const uint8_t *b = decoded + field->offset;
        if (i < layout->fixed_count) {
            compare_fixed(field->type, a, b);
        } else if (field->type->kind < FIL_WIRE_LIST) {
            struct fil_bytes wanted = *(const struct fil_bytes *)(const void *)a;
            struct fil_bytes found = *(const struct fil_bytes *)(const void *)b;
            assert_int_equal(wanted.data == NULL, found.data == NULL);
            assert_true(fil_bytes_equal(wanted, found));
        } else {
            compare_part(sample, field->type, (const struct fil_wire_part *)(const void *)a,
                         (const struct fil_wire_part *)(const void *)b);
        }
        if (field->has_offset != 0) {
            assert_true(decoded[field->has_offset]);
        }
    }
}

void wire_sample_assert_equal(struct wire_sample *sample, const struct fil_wire_layout *layout,
                              const void *expected, const void *decoded)
{
    compare_fields(sample, layout, expected, decoded);
}

uint32_t wire_sample_each_layout(struct wire_sample *sample, wire_layout_fn function)
{
    uint32_t count = 1;
    function(sample, FIL_WIRE_LAYOUT(exception_response));
    for (uint32_t s = 0; s < FIL_WIRE_SERVICE_COUNT; s++) {
        for (uint32_t m = 0; m < fil_wire_services[s].message_count; m++) {
            const struct fil_wire_message *message = &fil_wire_services[s].messages[m];
            function(sample, message->request);
            function(sample, message->response);
            for (uint32_t e = 0; e < message->event_count; e++) {
                function(sample, message->events[e]);
            }
            count += 2U + message->event_count;
        }
    }
    return count;
}
