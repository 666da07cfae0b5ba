// SPDX-License-Identifier: Apache-2.0
#include "lib/log/distinct.h"

#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/hash.h"
#include "lib/base/writer.h"
#include "lib/log/format.h"

void fil_log_distinct_init(struct fil_log_distinct_table *table, uint64_t window_ns)
{
    memset(table, 0, sizeof(*table));
    table->window_ns = window_ns;
    fil_mutex_init(&table->mutex);
}

void fil_log_distinct_fini(struct fil_log_distinct_table *table)
{
    fil_mutex_fini(&table->mutex);
}

static uint64_t mix(uint64_t identity, const void *data, size_t size)
{
    return fil_hash(fil_bytes_make(data, size), identity);
}

static uint64_t mix_field(uint64_t identity, const struct fil_log_field *field)
{
    switch (field->type) {
    case FIL_LOG_TEXT:
        return fil_hash(field->value.text, identity);
    case FIL_LOG_ADDRESS:
        identity = mix(identity, field->value.address.ip, sizeof(field->value.address.ip));
        return mix(identity, &field->value.address.port, sizeof(field->value.address.port));
    case FIL_LOG_BOOL:
        return identity + field->value.boolean;
    case FIL_LOG_CODE:
        return mix(identity, &field->value.code, sizeof(field->value.code));
    case FIL_LOG_END:
    case FIL_LOG_U64:
    case FIL_LOG_I64:
    case FIL_LOG_HEX:
    case FIL_LOG_F64:
    case FIL_LOG_NS:
    case FIL_LOG_SIZE:
    default:
        return mix(identity, &field->value.u64, sizeof(field->value.u64));
    }
}

/** Equal for records that are the same event; 64 bits make a chance meeting irrelevant. */
static uint64_t identify(const struct fil_log_record *record)
{
    uint64_t identity = fil_hash(fil_bytes_of(record->site.event), record->site.line);
    identity = fil_hash(fil_bytes_of(record->site.file), identity);
    identity = mix(identity, &record->error, sizeof(record->error));

    struct fil_log_field field;
    uint32_t position = 0;
    while (fil_log_record_next(record, &position, &field)) {
        if (field.is_apart) {
            identity = mix_field(identity, &field);
        }
    }
    return identity;
}

static struct fil_log_distinct_entry *find(struct fil_log_distinct_table *table, uint64_t identity)
    FIL_TSA(requires_capability(table->mutex))
{
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->entries[i].identity == identity) {
            return &table->entries[i];
        }
    }
    return NULL;
}

static struct fil_log_distinct_entry *quietest(struct fil_log_distinct_table *table)
    FIL_TSA(requires_capability(table->mutex))
{
    struct fil_log_distinct_entry *found = &table->entries[0];
    for (uint32_t i = 1; i < table->count; i++) {
        if (table->entries[i].last_ns < found->last_ns) {
            found = &table->entries[i];
        }
    }
    return found;
}

/** A fresh entry, at the cost of the quietest one when the table is full. */
static struct fil_log_distinct_entry *make_room(struct fil_log_distinct_table *table,
                                                struct fil_log_distinct *out_evicted)
    FIL_TSA(requires_capability(table->mutex))
{
    struct fil_log_distinct_entry *entry = NULL;
    if (table->count < FIL_LOG_DISTINCT_MAX) {
        entry = &table->entries[table->count];
        table->count++;
    } else {
        entry = quietest(table);
        *out_evicted = entry->shown;
        table->untold_entries -= entry->shown.untold_count > 0;
    }
    memset(entry, 0, sizeof(*entry));
    return entry;
}

static void remember(struct fil_log_distinct *shown, const struct fil_log_record *record)
{
    if (shown->count == 0) {
        shown->site = record->site;
        shown->error = record->error;
        shown->first_wall_ns = record->wall_ns;
    }
    shown->count++;
    shown->level = record->level;
    shown->last_wall_ns = record->wall_ns;
    (void)fil_log_record_copy(shown->last, sizeof(shown->last), record);

    struct fil_writer role;
    fil_writer_init(&role, shown->role, sizeof(shown->role));
    fil_writer_text(&role, record->role);
    fil_writer_terminate(&role);

    // Each field comes with a blank before it, also the first.
    char text[1 + FIL_LOG_DETAIL_MAX] = "";
    struct fil_writer detail;
    fil_writer_init(&detail, text, sizeof(text));
    fil_log_format_fields(&detail, record);
    fil_writer_terminate(&detail);
    memcpy(shown->detail, text + (text[0] == ' '), sizeof(shown->detail));
}

enum fil_log_verdict fil_log_distinct_note(struct fil_log_distinct_table *table,
                                           const struct fil_log_record *record, uint64_t now_ns,
                                           struct fil_log_distinct *out_evicted)
{
    fil_assert(record->level >= FIL_LOG_WARN);
    out_evicted->untold_count = 0;
    uint64_t identity = identify(record);
    enum fil_log_verdict verdict = FIL_LOG_VERDICT_WRITE;

    fil_mutex_lock(&table->mutex);
    struct fil_log_distinct_entry *entry = find(table, identity);
    if (entry == NULL) {
        entry = make_room(table, out_evicted);
        entry->identity = identity;
    }
    if (now_ns < entry->window_end_ns) {
        table->untold_entries += entry->shown.untold_count == 0;
        entry->shown.untold_count++;
        verdict = FIL_LOG_VERDICT_COUNTED;
    } else if (entry->shown.untold_count == 0) {
        entry->window_end_ns = now_ns + table->window_ns;
    }
    entry->last_ns = now_ns;
    remember(&entry->shown, record);
    fil_mutex_unlock(&table->mutex);
    return verdict;
}

static bool is_due(const struct fil_log_distinct_entry *entry, uint64_t now_ns)
{
    return entry->shown.untold_count > 0 && now_ns >= entry->window_end_ns;
}

bool fil_log_distinct_take_due(struct fil_log_distinct_table *table, uint64_t now_ns,
                               struct fil_log_distinct *out_due)
{
    bool is_found = false;
    fil_mutex_lock(&table->mutex);
    for (uint32_t i = 0; table->untold_entries > 0 && i < table->count; i++) {
        struct fil_log_distinct_entry *entry = &table->entries[i];
        if (is_due(entry, now_ns)) {
            *out_due = entry->shown;
            entry->shown.untold_count = 0;
            // Saturates: at the end of the log everything is due.
            entry->window_end_ns =
                now_ns > UINT64_MAX - table->window_ns ? UINT64_MAX : now_ns + table->window_ns;
            table->untold_entries--;
            is_found = true;
            break;
        }
    }
    fil_mutex_unlock(&table->mutex);
    return is_found;
}

uint64_t fil_log_distinct_next_ns(struct fil_log_distinct_table *table)
{
    uint64_t next_ns = UINT64_MAX;
    fil_mutex_lock(&table->mutex);
    for (uint32_t i = 0; table->untold_entries > 0 && i < table->count; i++) {
        const struct fil_log_distinct_entry *entry = &table->entries[i];
        if (entry->shown.untold_count > 0 && entry->window_end_ns < next_ns) {
            next_ns = entry->window_end_ns;
        }
    }
    fil_mutex_unlock(&table->mutex);
    return next_ns;
}

bool fil_log_distinct_read(struct fil_log_distinct_table *table, uint32_t index,
                           struct fil_log_distinct *out_entry)
{
    fil_mutex_lock(&table->mutex);
    bool is_there = index < table->count;
    if (is_there) {
        *out_entry = table->entries[index].shown;
    }
    fil_mutex_unlock(&table->mutex);
    return is_there;
}
