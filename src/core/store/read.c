// SPDX-License-Identifier: Apache-2.0
/** Looking at entries: when they end, what is known of them, and noting that they were used. */
#include "core/store/store_internal.h"

uint64_t fil_store__deadline(const uint8_t *record)
{
    if (!fil_record_has(record, FIL_RECORD_TIMER)) {
        return FIL_STORE_NEVER;
    }
    if (!fil_record_has(record, FIL_RECORD_IDLE)) {
        uint64_t armed_ms = fil_record_timer(record).armed & FIL_STORE_DEADLINE_MASK;
        // One that was told to stay when there was no memory to do without the group.
        return armed_ms == FIL_STORE_DEADLINE_MASK ? FIL_STORE_NEVER : armed_ms;
    }
    struct fil_record_idle idle = fil_record_idle(record);
    uint64_t idle_end = idle.max_idle_ms > FIL_STORE_DEADLINE_MASK
                            ? FIL_STORE_NEVER
                            : idle.access_ms + idle.max_idle_ms;
    return idle.expires_ms < idle_end ? idle.expires_ms : idle_end;
}

bool fil_store__is_expired_timer(const uint8_t *record, uint64_t now_ms)
{
    return fil_store__deadline(record) <= now_ms;
}

void fil_store__postpone(uint8_t *record, uint64_t now_ms)
{
    struct fil_record_idle idle = fil_record_idle(record);
    idle.access_ms = now_ms;
    fil_record_set_idle(record, &idle);
}

uint32_t fil_store__search(const struct fil_store *store, uint64_t hash, struct fil_bytes key)
{
    if (FIL_UNLIKELY(store->table.bucket_count == 0)) {
        return FIL_SLAB_NONE;
    }
    struct fil_table_probe probe = fil_table_find(&store->table, hash);
    for (;;) {
        uint32_t reference = fil_table_next(&probe, &store->slab);
        if (reference == FIL_SLAB_NONE ||
            fil_store__has_key(fil_store__record(store, reference), key)) {
            return reference;
        }
    }
}

/** Notes a use of the entry, in whatever way its structure notes uses. */
static void touch(uint8_t *record, uint64_t now_ms)
{
    if (fil_record_has(record, FIL_RECORD_IDLE)) {
        fil_store__postpone(record, now_ms);
    }
    fil_store__note_use(record, now_ms);
}

bool fil_store_get(struct fil_store *store, uint64_t hash, struct fil_bytes key, uint64_t now_ms,
                   struct fil_bytes *out_value)
{
    uint32_t reference = fil_store__find_live(store, hash, key, now_ms);
    if (reference == FIL_SLAB_NONE) {
        return false;
    }
    uint8_t *record = fil_store__record(store, reference);
    if (FIL_UNLIKELY(fil_record_has(record, FIL_RECORD_GROUPS))) {
        touch(record, now_ms);
    }
    *out_value = fil_record_value(record);
    return true;
}

bool fil_store_peek(const struct fil_store *store, uint64_t hash, struct fil_bytes key,
                    uint64_t now_ms, struct fil_bytes *out_value)
{
    uint32_t reference = fil_store__find_live(store, hash, key, now_ms);
    if (reference == FIL_SLAB_NONE) {
        return false;
    }
    *out_value = fil_record_value(fil_store__record(store, reference));
    return true;
}

bool fil_store_find(const struct fil_store *store, uint64_t hash, struct fil_bytes key,
                    uint64_t now_ms, struct fil_store_spot *out_spot)
{
    uint32_t reference = fil_store__find_live(store, hash, key, now_ms);
    if (reference == FIL_SLAB_NONE) {
        return false;
    }
    *out_spot =
        (struct fil_store_spot){.value = fil_record_value(fil_store__record(store, reference)),
                                .hash = hash,
                                .now_ms = now_ms,
                                .reference = reference};
    return true;
}

void fil_store_prefetch_record(struct fil_store *store, uint64_t hash)
{
    fil_store_prefetch_guess(store, fil_store_guess(store, hash));
}

/** When the entry was used last: its tick has only the low bits, the others are those of now. */
static uint64_t accessed_ms(uint32_t tick, uint64_t now_ms)
{
    uint32_t age = fil_store__tick(now_ms) - tick;
    if (age > UINT32_MAX / 4 * 3) {
        age = 0; // used after that time, which may be a snapshot's
    }
    return ((now_ms >> FIL_STORE_TICK_SHIFT) - age) << FIL_STORE_TICK_SHIFT;
}

struct fil_store_view fil_store__view(const struct fil_store *store, uint32_t reference,
                                      uint64_t now_ms)
{
    const uint8_t *record = fil_store__record(store, reference);
    struct fil_store_view view = {
        .key = fil_record_key(record),
        .value = fil_record_value(record),
        .expires_ms = fil_store__deadline(record),
        .max_idle_ms = FIL_STORE_NEVER,
        .cost_bytes = fil_slab_capacity(&store->slab, reference),
    };
    if (fil_record_has(record, FIL_RECORD_ACCESS)) {
        struct fil_record_access access = fil_record_access(record);
        view.hits = access.hits;
        view.accessed_ms = accessed_ms(access.tick, now_ms);
    }
    if (fil_record_has(record, FIL_RECORD_IDLE)) {
        struct fil_record_idle idle = fil_record_idle(record);
        view.expires_ms = idle.expires_ms;
        view.max_idle_ms = idle.max_idle_ms;
        view.accessed_ms = idle.access_ms;
    }
    if (fil_record_has(record, FIL_RECORD_STATISTICS)) {
        struct fil_record_statistics statistics = fil_record_statistics(record);
        view.created_ms = statistics.created_ms;
        view.updated_ms = statistics.updated_ms;
        view.version = statistics.version;
    }
    return view;
}

bool fil_store_inspect(const struct fil_store *store, uint64_t hash, struct fil_bytes key,
                       uint64_t now_ms, struct fil_store_view *out_view)
{
    uint32_t reference = fil_store__find_live(store, hash, key, now_ms);
    if (reference == FIL_SLAB_NONE) {
        return false;
    }
    *out_view = fil_store__view(store, reference, now_ms);
    return true;
}
