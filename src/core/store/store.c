// SPDX-License-Identifier: Apache-2.0
#include "core/store/store.h"

#include "core/store/store_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

#define EVICTIONS_MAX   128U // for one write that finds no memory
#define SQUEEZES_MAX    16U  // for an entry's expiry
#define SLACK_SHIFT     3U   // a value that grows gets an eighth more
#define TIGHT_BYTES_MAX 256U // but not a record that is no larger

void fil_store_init(struct fil_store *store, struct fil_budget *budget,
                    const struct fil_store_options *options)
{
    fil_assert(options != NULL);
    *store = (struct fil_store){.options = options};
    fil_account_init_data(&store->account, budget);
    fil_slab_init(&store->slab);
    fil_table_init(&store->table);
    store->random = options->hash_seed; // the same run again gives the same victims
}

void fil_store_fini(struct fil_store *store)
{
    fil_snapshot__fini(store);
    fil_index__fini(store);
    fil_expiry__fini(store);
    fil_table_fini(&store->table, &store->account);
    fil_slab_fini(&store->slab, &store->account);
    fil_account_fini(&store->account);
}

uint64_t fil_store__hash_of(const void *context, uint32_t reference)
{
    const struct fil_store *store = context;
    return fil_store__hash(store, reference);
}

// Leaving.

void fil_store__begin_change(struct fil_store *store)
{
    if (store->doomed != FIL_SLAB_NONE) {
        fil_slab_release(&store->slab, &store->account, store->doomed);
        store->doomed = FIL_SLAB_NONE;
    }
}

void fil_store__release(struct fil_store *store, uint32_t reference)
{
    fil_slab_release(&store->slab, &store->account, reference);
}

/** The record is in no structure any more. */
static void dispose(struct fil_store *store, uint64_t hash, uint32_t reference, bool is_lent)
{
    if (fil_snapshot__keep(store, hash, reference)) {
        return;
    }
    if (is_lent) {
        fil_assert(store->doomed == FIL_SLAB_NONE);
        store->doomed = reference;
        return;
    }
    fil_store__release(store, reference);
}

void fil_store__take_out(struct fil_store *store, uint64_t hash, uint32_t reference, bool is_lent)
{
    const uint8_t *record = fil_store__record(store, reference);
    fil_index__remove(store, hash, reference);
    if (fil_record_has(record, FIL_RECORD_TIMER)) {
        fil_expiry__disarm(store, reference);
    }
    if (fil_record_has(record, FIL_RECORD_LINKS)) {
        fil_sieve__remove(store, reference);
    }
    fil_table_remove(&store->table, &store->slab, &store->account, hash, reference);
    dispose(store, hash, reference, is_lent);
}

void fil_store__drop(struct fil_store *store, uint32_t reference, enum fil_store_reason reason)
{
    const uint8_t *record = fil_store__record(store, reference);
    if (store->options->gone != NULL) {
        store->options->gone(store->options->context, store, reason, fil_record_key(record),
                             fil_record_value(record));
    }
    fil_store__take_out(store, fil_store__hash(store, reference), reference, false);
}

bool fil_store_remove(struct fil_store *store, uint64_t hash, struct fil_bytes key, uint64_t now_ms,
                      struct fil_bytes *out_old)
{
    fil_store__begin_change(store);
    uint32_t reference = fil_store__find(store, hash, key);
    if (reference == FIL_SLAB_NONE) {
        return false;
    }
    bool was_there = !fil_store__is_expired(fil_store__record(store, reference), now_ms);
    if (!was_there) {
        fil_store__drop(store, reference, FIL_STORE_EXPIRED);
    } else {
        bool is_lent = out_old != NULL;
        if (is_lent) {
            *out_old = fil_record_value(fil_store__record(store, reference));
        }
        fil_store__take_out(store, hash, reference, is_lent);
    }
    (void)fil_store__upkeep(store);
    return was_there;
}

// Writing.

/** When an entry is to end. */
struct lifetime {
    uint64_t expires_ms;
    uint64_t max_idle_ms;
};

static uint64_t never_beyond(uint64_t value)
{
    return value > FIL_STORE_TIME_MAX ? FIL_STORE_NEVER : value;
}

static struct lifetime lifetime_of(const uint8_t *record)
{
    if (fil_record_has(record, FIL_RECORD_IDLE)) {
        struct fil_record_idle idle = fil_record_idle(record);
        return (struct lifetime){.expires_ms = idle.expires_ms, .max_idle_ms = idle.max_idle_ms};
    }
    return (struct lifetime){.expires_ms = fil_store__deadline(record),
                             .max_idle_ms = FIL_STORE_NEVER};
}

static struct lifetime wanted_lifetime(const struct fil_store *store,
                                       const struct fil_store_write *how)
{
    const struct fil_store_options *options = store->options;
    uint64_t ttl = options->ttl_ms == 0 ? FIL_STORE_NEVER : never_beyond(options->ttl_ms);
    uint64_t default_end = ttl == FIL_STORE_NEVER ? FIL_STORE_NEVER : how->now_ms + ttl;
    uint64_t idle = options->max_idle_ms == 0 ? FIL_STORE_NEVER : options->max_idle_ms;
    return (struct lifetime){
        .expires_ms = never_beyond(how->expires_ms == 0 ? default_end : how->expires_ms),
        .max_idle_ms = never_beyond(how->max_idle_ms == 0 ? idle : how->max_idle_ms),
    };
}

static uint32_t groups_of(const struct fil_store *store, const struct lifetime *lifetime)
{
    const struct fil_store_options *options = store->options;
    bool is_counted = options->has_statistics || options->eviction == FIL_EVICTION_LRU ||
                      options->eviction == FIL_EVICTION_LFU;
    uint32_t groups = is_counted ? FIL_RECORD_ACCESS : 0;
    groups |= options->has_statistics ? FIL_RECORD_STATISTICS : 0;
    groups |= options->eviction == FIL_EVICTION_SIEVE ? FIL_RECORD_LINKS : 0;
    if (lifetime->max_idle_ms != FIL_STORE_NEVER) {
        return groups | FIL_RECORD_TIMER | FIL_RECORD_IDLE;
    }
    return lifetime->expires_ms != FIL_STORE_NEVER ? groups | FIL_RECORD_TIMER : groups;
}

/** Files the record, which is not filed, where its lifetime says. */
static void set_lifetime(struct fil_store *store, uint32_t reference,
                         const struct lifetime *lifetime, uint64_t now_ms)
{
    uint8_t *record = fil_store__record(store, reference);
    if (!fil_record_has(record, FIL_RECORD_TIMER)) {
        return;
    }
    uint64_t deadline_ms = lifetime->expires_ms;
    if (fil_record_has(record, FIL_RECORD_IDLE)) {
        struct fil_record_idle idle = {.expires_ms = lifetime->expires_ms,
                                       .max_idle_ms = lifetime->max_idle_ms,
                                       .access_ms = now_ms};
        fil_record_set_idle(record, &idle);
        deadline_ms = fil_store__deadline(record);
    }
    fil_expiry__arm(store, reference, deadline_ms);
}

static void stamp_new(uint8_t *record, uint64_t now_ms)
{
    if (fil_record_has(record, FIL_RECORD_ACCESS)) {
        struct fil_record_access access = {.tick = fil_store__tick(now_ms)};
        fil_record_set_access(record, &access);
    }
    if (fil_record_has(record, FIL_RECORD_STATISTICS)) {
        struct fil_record_statistics statistics = {.created_ms = now_ms};
        fil_record_set_statistics(record, &statistics);
    }
}

static void stamp_update(uint8_t *record, uint64_t now_ms)
{
    fil_store__note_use(record, now_ms);
    if (fil_record_has(record, FIL_RECORD_STATISTICS)) {
        struct fil_record_statistics statistics = fil_record_statistics(record);
        statistics.updated_ms = now_ms;
        statistics.version++;
        fil_record_set_statistics(record, &statistics);
    }
}

/** Memory for a record; evicts for it where the policy lets it. `kept` is no victim. */
static uint32_t alloc_record(struct fil_store *store, uint64_t bytes, uint64_t now_ms,
                             uint32_t kept)
{
    uint32_t reference = fil_slab_alloc(&store->slab, &store->account, bytes);
    for (uint32_t i = 0; reference == FIL_SLAB_NONE && i < EVICTIONS_MAX; i++) {
        if (!fil_eviction__evict(store, now_ms, kept)) {
            break;
        }
        // A record that is being written must stay where it is.
        if (kept == FIL_SLAB_NONE) {
            (void)fil_store__upkeep(store);
        }
        reference = fil_slab_alloc(&store->slab, &store->account, bytes);
    }
    return reference;
}

static inline void write_value(uint8_t *record, struct fil_bytes value)
{
    if (value.size > 0) {
        uint32_t offset = fil_record_key_offset(record) + fil_record_key_size(record);
        memcpy(record + offset, value.data, value.size);
    }
}

/** A record that is in no structure yet, with so many bytes behind it that are not used;
 * FIL_SLAB_NONE when there is no room. */
static uint32_t draft(struct fil_store *store, const struct fil_record_shape *shape, uint64_t slack,
                      struct fil_bytes key, uint64_t now_ms, uint32_t kept)
{
    if ((shape->flags & FIL_RECORD_TIMER) != 0 && fil_expiry__prepare(store, now_ms) != FIL_OK) {
        return FIL_SLAB_NONE;
    }
    uint32_t reference = alloc_record(store, fil_record_shape_bytes(shape) + slack, now_ms, kept);
    if (reference != FIL_SLAB_NONE) {
        fil_record_make(fil_store__record(store, reference), shape, key);
    }
    return reference;
}

/** Puts a draft with its value into the structures; FIL_E_NOMEM: the draft is freed. */
static int file(struct fil_store *store, uint64_t hash, uint32_t reference,
                const struct lifetime *lifetime, uint64_t now_ms)
{
    uint8_t *record = fil_store__record(store, reference);
    stamp_new(record, now_ms);
    int error = fil_table_add(&store->table, &store->slab, &store->account, hash, reference);
    if (error != FIL_OK && fil_eviction__evict_near(store, hash, now_ms)) {
        error = fil_table_add(&store->table, &store->slab, &store->account, hash, reference);
    }
    if (error != FIL_OK) {
        fil_store__release(store, reference);
        return error;
    }
    error = fil_index__add(store, hash, reference);
    if (error != FIL_OK) {
        fil_table_remove(&store->table, &store->slab, &store->account, hash, reference);
        fil_store__release(store, reference);
        return error;
    }
    fil_snapshot__mark(store, hash, record);
    if (fil_record_has(record, FIL_RECORD_LINKS)) {
        fil_sieve__push(store, reference);
    }
    set_lifetime(store, reference, lifetime, now_ms);
    return FIL_OK;
}

/** A draft for a new entry, whose value is to be written; FIL_SLAB_NONE: no room. */
static uint32_t draft_new(struct fil_store *store, struct fil_bytes key, size_t size,
                          const struct lifetime *lifetime, uint64_t now_ms)
{
    struct fil_record_shape shape = fil_record_shape_of(groups_of(store, lifetime), key.size, size);
    struct fil_store__need need = {.bytes = fil_slab_slot_bytes(fil_record_shape_bytes(&shape)),
                                   .is_entry = true,
                                   .kept = FIL_SLAB_NONE};
    fil_eviction__make_room(store, now_ms, &need);
    return draft(store, &shape, 0, key, now_ms, FIL_SLAB_NONE);
}

static int insert(struct fil_store *store, uint64_t hash, struct fil_bytes key,
                  struct fil_bytes value, const struct fil_store_write *how)
{
    struct lifetime lifetime = wanted_lifetime(store, how);
    uint32_t reference = draft_new(store, key, value.size, &lifetime, how->now_ms);
    if (reference == FIL_SLAB_NONE) {
        return FIL_E_NOMEM;
    }
    write_value(fil_store__record(store, reference), value);
    return file(store, hash, reference, &lifetime, how->now_ms);
}

/** Takes over what the structure keeps of an entry beside its lifetime. */
static void inherit(uint8_t *record, const uint8_t *old)
{
    if (fil_record_has(record, FIL_RECORD_ACCESS)) {
        struct fil_record_access access = fil_record_access(old);
        fil_record_set_access(record, &access);
    }
    if (fil_record_has(record, FIL_RECORD_STATISTICS)) {
        struct fil_record_statistics statistics = fil_record_statistics(old);
        fil_record_set_statistics(record, &statistics);
    }
    if (fil_record_has(record, FIL_RECORD_LINKS)) {
        struct fil_record_links links = fil_record_links(old);
        fil_record_set_links(record, &links);
        record[0] |= (uint8_t)(fil_record_flags(old) & FIL_RECORD_VISITED);
    }
}

/** Puts a draft in the place of an entry. FIL_E_NOMEM: the draft is freed, nothing has changed. */
static int install(struct fil_store *store, uint64_t hash, uint32_t old, uint32_t reference,
                   bool is_lent)
{
    uint8_t *record = fil_store__record(store, reference);
    inherit(record, fil_store__record(store, old));
    int error = fil_index__replace(store, hash, old, reference);
    if (error != FIL_OK) {
        fil_store__release(store, reference);
        return error;
    }
    fil_snapshot__mark(store, hash, record);
    if (fil_record_has(fil_store__record(store, old), FIL_RECORD_TIMER)) {
        fil_expiry__disarm(store, old);
    }
    if (fil_record_has(record, FIL_RECORD_LINKS)) {
        fil_sieve__moved(store, old, reference);
    }
    fil_table_replace(&store->table, &store->slab, hash, old, reference);
    dispose(store, hash, old, is_lent);
    return FIL_OK;
}

/** Whether neither an index nor a snapshot needs a record's bytes as they are. */
static inline bool is_unbound(const struct fil_store *store, uint64_t hash, const uint8_t *record)
{
    return store->index_count == 0 &&
           (FIL_LIKELY(store->snapshot == NULL) || !fil_snapshot__holds(store, hash, record));
}

/** Writes a value of the same size to a record that is nothing but key and value; false: it may be
 * more. */
static inline bool rewrite(const struct fil_store *store, uint64_t hash, uint8_t *record,
                           struct fil_bytes value)
{
    if (fil_record_has(record, FIL_RECORD_GROUPS) || fil_record_value_size(record) != value.size ||
        !is_unbound(store, hash, record)) {
        return false;
    }
    write_value(record, value);
    return true;
}

bool fil_store_rewrite(struct fil_store *store, const struct fil_store_spot *spot,
                       struct fil_bytes value)
{
    uint8_t *record = fil_store__record(store, spot->reference);
    fil_assert(fil_record_value_size(record) == spot->value.size);
    return rewrite(store, spot->hash, record, value);
}

/** Whether a record may be changed where it lies, its layout staying. */
static bool is_loose(const struct fil_store *store, uint64_t hash, const uint8_t *record,
                     const struct fil_record_shape *shape)
{
    return (fil_record_flags(record) & FIL_RECORD_LAYOUT) == shape->flags &&
           is_unbound(store, hash, record);
}

/** Evicts others where an entry that grows to so many bytes needs it. */
static void make_room_for(struct fil_store *store, uint32_t reference, uint64_t bytes,
                          uint64_t now_ms)
{
    uint64_t old = fil_slab_capacity(&store->slab, reference);
    if (bytes > old) {
        struct fil_store__need need = {.bytes = fil_slab_slot_bytes(bytes) - old,
                                       .kept = reference};
        fil_eviction__make_room(store, now_ms, &need);
    }
}

static int overwrite(struct fil_store *store, uint64_t hash, uint32_t reference,
                     struct fil_bytes value, const struct fil_store_write *how)
{
    uint8_t *record = fil_store__record(store, reference);
    struct fil_bytes key = fil_record_key(record);
    struct lifetime lifetime =
        how->keeps_expiry ? lifetime_of(record) : wanted_lifetime(store, how);
    struct fil_record_shape shape =
        fil_record_shape_of(groups_of(store, &lifetime), key.size, value.size);
    make_room_for(store, reference, fil_record_shape_bytes(&shape), how->now_ms);
    bool is_in_place =
        !how->wants_old && is_loose(store, hash, record, &shape) &&
        fil_slab_resize(&store->slab, &store->account, reference, fil_record_shape_bytes(&shape));
    uint32_t target = reference;
    if (is_in_place) {
        record = fil_store__record(store, reference);
        fil_record_set_value_size(record, (uint32_t)value.size);
        if (fil_record_has(record, FIL_RECORD_TIMER)) {
            fil_expiry__disarm(store, reference);
        }
    } else {
        target = draft(store, &shape, 0, key, how->now_ms, reference);
        if (target == FIL_SLAB_NONE) {
            return FIL_E_NOMEM;
        }
    }
    write_value(fil_store__record(store, target), value);
    if (!is_in_place) {
        int error = install(store, hash, reference, target, how->wants_old);
        if (error != FIL_OK) {
            return error;
        }
    }
    stamp_update(fil_store__record(store, target), how->now_ms);
    set_lifetime(store, target, &lifetime, how->now_ms);
    return FIL_OK;
}

static bool may_write(const struct fil_store_write *how, bool is_there)
{
    switch (how->condition) {
    case FIL_STORE_IF_ABSENT:
        return !is_there;
    case FIL_STORE_IF_PRESENT:
        return is_there;
    case FIL_STORE_ALWAYS:
        break;
    }
    return true;
}

static bool is_too_large(size_t key_size, size_t value_size)
{
    // A block of the slab has to hold both and the head.
    return key_size > FIL_STORE_KEY_MAX ||
           value_size > FIL_SLAB_BLOCK_MAX - FIL_STORE_KEY_MAX - 128U;
}

/** Whether a write asks for nothing but the value, which is to stay. */
static bool is_plain(const struct fil_store *store, const struct fil_store_write *how)
{
    return how->condition == FIL_STORE_ALWAYS && !how->wants_old && how->expires_ms == 0 &&
           how->max_idle_ms == 0 && store->options->ttl_ms == 0 && store->options->max_idle_ms == 0;
}

int fil_store_put(struct fil_store *store, uint64_t hash, struct fil_bytes key,
                  struct fil_bytes value, const struct fil_store_write *how,
                  struct fil_store_outcome *out_outcome)
{
    struct fil_store_outcome ignored;
    struct fil_store_outcome *outcome = out_outcome == NULL ? &ignored : out_outcome;
    *outcome = (struct fil_store_outcome){0};
    if (is_too_large(key.size, value.size)) {
        return FIL_E_LIMIT;
    }
    fil_debug_assert(hash == fil_store__hash_key(store, key));
    fil_store__begin_change(store);
    uint32_t reference = fil_store__find(store, hash, key);
    if (reference != FIL_SLAB_NONE && is_plain(store, how) &&
        rewrite(store, hash, fil_store__record(store, reference), value)) {
        *outcome = (struct fil_store_outcome){.was_there = true, .is_written = true};
        return FIL_OK; // the table and the slab are as they were: no upkeep
    }
    if (reference != FIL_SLAB_NONE &&
        fil_store__is_expired(fil_store__record(store, reference), how->now_ms)) {
        fil_store__drop(store, reference, FIL_STORE_EXPIRED);
        reference = FIL_SLAB_NONE;
    }
    outcome->was_there = reference != FIL_SLAB_NONE;
    bool is_allowed = may_write(how, outcome->was_there);
    if (outcome->was_there && (how->wants_old || !is_allowed)) {
        outcome->old_value = fil_record_value(fil_store__record(store, reference));
    }
    if (!is_allowed) {
        return FIL_OK;
    }
    store->account.may_borrow = how->is_move;
    int error = reference == FIL_SLAB_NONE ? insert(store, hash, key, value, how)
                                           : overwrite(store, hash, reference, value, how);
    store->account.may_borrow = false;
    outcome->is_written = error == FIL_OK;
    (void)fil_store__upkeep(store);
    return error;
}

int fil_store_insert(struct fil_store *store, uint64_t hash, struct fil_bytes key,
                     const struct fil_store_new_value *value, const struct fil_store_write *how)
{
    if (is_too_large(key.size, value->size)) {
        return FIL_E_LIMIT;
    }
    fil_store__begin_change(store);
    uint32_t old = fil_store__find(store, hash, key);
    if (old != FIL_SLAB_NONE) {
        fil_assert(fil_store__is_expired(fil_store__record(store, old), how->now_ms));
        fil_store__drop(store, old, FIL_STORE_EXPIRED);
    }
    struct lifetime lifetime = wanted_lifetime(store, how);
    uint32_t reference = draft_new(store, key, value->size, &lifetime, how->now_ms);
    int error = FIL_E_NOMEM;
    if (reference != FIL_SLAB_NONE) {
        uint8_t *record = fil_store__record(store, reference);
        uint8_t *bytes = record + fil_record_key_offset(record) + key.size;
        memset(bytes, 0, value->size);
        value->fill(value->context, bytes, value->size);
        error = file(store, hash, reference, &lifetime, how->now_ms);
    }
    (void)fil_store__upkeep(store);
    return error;
}

// Changing a value where it lies.

/** Enough room, and not more than a third too much: a value that grows by bits stays where it is.
 */
static bool fits_well(const struct fil_store *store, uint32_t reference, uint64_t bytes)
{
    uint64_t capacity = fil_slab_capacity(&store->slab, reference);
    return bytes <= capacity && bytes >= capacity - capacity / 4;
}

static bool grow_in_place(struct fil_store *store, uint32_t reference, uint64_t bytes)
{
    if (fits_well(store, reference, bytes)) {
        return true;
    }
    if (bytes > FIL_SLAB_SLOT_MAX) {
        uint64_t generous = bytes + (bytes >> SLACK_SHIFT);
        bool is_grown = generous <= FIL_SLAB_BLOCK_MAX &&
                        fil_slab_resize(&store->slab, &store->account, reference, generous);
        return is_grown || fil_slab_resize(&store->slab, &store->account, reference, bytes);
    }
    return fil_slab_resize(&store->slab, &store->account, reference, bytes);
}

/** What a record gets besides when its value grows: one that grows by bits is not copied each time.
 * Small ones have their size, for there are many. */
static uint64_t slack_of(const uint8_t *record, const struct fil_record_shape *shape)
{
    uint64_t bytes = fil_record_shape_bytes(shape);
    uint64_t slack = bytes >> SLACK_SHIFT;
    bool is_growing = shape->value_size > fil_record_value_size(record);
    return is_growing && bytes > TIGHT_BYTES_MAX && bytes + slack <= FIL_SLAB_SLOT_MAX ? slack : 0;
}

/** A copy of the entry with another value size, in no structure yet. */
static uint32_t draft_copy(struct fil_store *store, uint32_t reference,
                           const struct fil_record_shape *shape, uint64_t now_ms)
{
    const uint8_t *record = fil_store__record(store, reference);
    struct fil_bytes key = fil_record_key(record);
    uint64_t slack = slack_of(record, shape);
    uint32_t copy = draft(store, shape, slack, key, now_ms, reference);
    if (copy == FIL_SLAB_NONE && slack > 0) {
        copy = draft(store, shape, 0, key, now_ms, reference);
    }
    if (copy != FIL_SLAB_NONE) {
        struct fil_bytes value = fil_record_value(fil_store__record(store, reference));
        value.size = value.size < shape->value_size ? value.size : shape->value_size;
        write_value(fil_store__record(store, copy), value);
    }
    return copy;
}

/** The entry with a value of this size: its own record, or a draft; FIL_SLAB_NONE: no room. */
static uint32_t make_fit(struct fil_store *store, const struct fil_store_spot *spot, size_t size)
{
    uint8_t *record = fil_store__record(store, spot->reference);
    if (size == spot->value.size && is_unbound(store, spot->hash, record)) {
        return spot->reference;
    }
    struct fil_record_shape shape = fil_record_shape_of(
        fil_record_flags(record) & FIL_RECORD_GROUPS, fil_record_key_size(record), size);
    make_room_for(store, spot->reference, fil_record_shape_bytes(&shape), spot->now_ms);
    if (is_loose(store, spot->hash, record, &shape) &&
        grow_in_place(store, spot->reference, fil_record_shape_bytes(&shape))) {
        fil_record_set_value_size(fil_store__record(store, spot->reference), (uint32_t)size);
        return spot->reference;
    }
    return draft_copy(store, spot->reference, &shape, spot->now_ms);
}

int fil_store_edit_found(struct fil_store *store, const struct fil_store_spot *spot, size_t size,
                         struct fil_store_edit *out_edit)
{
    const uint8_t *old = fil_store__record(store, spot->reference);
    uint32_t key_size = fil_record_key_size(old);
    uint32_t old_size = fil_record_value_size(old);
    fil_assert(old_size == spot->value.size);
    if (is_too_large(key_size, size)) {
        return FIL_E_LIMIT;
    }
    fil_store__begin_change(store);
    uint32_t target = make_fit(store, spot, size);
    if (target == FIL_SLAB_NONE) {
        return FIL_E_NOMEM;
    }
    uint8_t *record = fil_store__record(store, target);
    uint8_t *value = record + fil_record_key_offset(record) + key_size;
    if (size > old_size) {
        memset(value + old_size, 0, size - old_size);
    }
    *out_edit = (struct fil_store_edit){.value = value,
                                        .size = (uint32_t)size,
                                        .old_size = old_size,
                                        .hash = spot->hash,
                                        .reference = spot->reference,
                                        .draft = target,
                                        .now_ms = spot->now_ms};
    return FIL_OK;
}

int fil_store_edit(struct fil_store *store, uint64_t hash, struct fil_bytes key, size_t size,
                   uint64_t now_ms, struct fil_store_edit *out_edit)
{
    struct fil_store_spot spot;
    if (!fil_store_find(store, hash, key, now_ms, &spot)) {
        return FIL_E_NOT_FOUND;
    }
    return fil_store_edit_found(store, &spot, size, out_edit);
}

int fil_store_commit(struct fil_store *store, const struct fil_store_edit *edit)
{
    if (edit->draft != edit->reference) {
        const uint8_t *old = fil_store__record(store, edit->reference);
        struct lifetime lifetime = lifetime_of(old);
        int error = install(store, edit->hash, edit->reference, edit->draft, false);
        if (error != FIL_OK) {
            return error;
        }
        set_lifetime(store, edit->draft, &lifetime, edit->now_ms);
    }
    uint8_t *record = fil_store__record(store, edit->draft);
    stamp_update(record, edit->now_ms);
    if (fil_record_has(record, FIL_RECORD_IDLE)) {
        fil_store__postpone(record, edit->now_ms);
    }
    (void)fil_store__upkeep(store);
    return FIL_OK;
}

/** Puts a copy of that shape in the place of an entry; FIL_E_NOMEM. */
static int reshape(struct fil_store *store, uint64_t hash, const struct fil_record_shape *shape,
                   uint64_t now_ms, uint32_t *reference)
{
    // The old record goes, and the new one has 40 bytes more at most.
    store->account.may_borrow = true;
    uint32_t copy = draft_copy(store, *reference, shape, now_ms);
    store->account.may_borrow = false;
    // What the old records leave goes back soon, for the next ones that grow.
    store->is_pressed |= fil_budget_is_lending(store->account.budget);
    int error = copy == FIL_SLAB_NONE ? FIL_E_NOMEM : install(store, hash, *reference, copy, false);
    *reference = error == FIL_OK ? copy : *reference;
    return error;
}

/** Whether a record may stay as it is but for when it ends: it has the groups, or a timer more. */
static bool may_stay(const struct fil_store *store, uint64_t hash, const uint8_t *record,
                     uint32_t layout)
{
    return (fil_record_flags(record) & FIL_RECORD_LAYOUT) == layout &&
           !fil_snapshot__holds(store, hash, record);
}

static int set_expiry(struct fil_store *store, uint64_t hash, struct fil_bytes key,
                      const struct fil_store_write *how)
{
    uint32_t reference = fil_store__find_live(store, hash, key, how->now_ms);
    if (reference == FIL_SLAB_NONE) {
        return FIL_E_NOT_FOUND;
    }
    struct lifetime lifetime = wanted_lifetime(store, how);
    const uint8_t *record = fil_store__record(store, reference);
    struct fil_record_shape shape =
        fil_record_shape_of(groups_of(store, &lifetime), key.size, fil_record_value_size(record));
    bool stays = may_stay(store, hash, record, shape.flags);
    if (!stays && reshape(store, hash, &shape, how->now_ms, &reference) != FIL_OK) {
        // To end an entry's expiry needs no memory: it keeps a timer that never fires.
        record = fil_store__record(store, reference);
        stays = may_stay(store, hash, record, shape.flags | FIL_RECORD_TIMER);
        if (!stays) {
            return FIL_E_NOMEM;
        }
    }
    if (stays && fil_record_has(record, FIL_RECORD_TIMER)) {
        fil_expiry__disarm(store, reference);
    }
    set_lifetime(store, reference, &lifetime, how->now_ms);
    return FIL_OK;
}

int fil_store_set_expiry(struct fil_store *store, uint64_t hash, struct fil_bytes key,
                         const struct fil_store_write *how)
{
    fil_store__begin_change(store);
    int error = set_expiry(store, hash, key, how);
    for (uint32_t i = 0; error == FIL_E_NOMEM && i < SQUEEZES_MAX && fil_store__squeeze(store);
         i++) {
        error = set_expiry(store, hash, key, how);
    }
    (void)fil_store__upkeep(store);
    return error;
}

static bool is_listed(const struct fil_store *store)
{
    return store->table.count == 0 || store->options->eviction != FIL_EVICTION_SIEVE;
}

void fil_store_check(const struct fil_store *store)
{
    fil_slab_check(&store->slab);
    fil_table_check(&store->table, &store->slab, fil_store__hash_of, store);
    fil_expiry__check(store);
    fil_sieve__check(store);
    fil_index__check(store);
    fil_assert(is_listed(store) || store->newest != FIL_SLAB_NONE);
}
