// SPDX-License-Identifier: Apache-2.0
#include "core/exec/slow_table.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/writer.h"
#include "lib/os/symbol.h"

const char *fil_slow_state_name(enum fil_slow_kind kind)
{
    static const char *const names[] = {
        [FIL_SLOW_UNKNOWN] = "unknown",
        [FIL_SLOW_RUNNING] = "running",
        [FIL_SLOW_ASLEEP] = "asleep",
    };
    fil_assert((size_t)kind < FIL_COUNT_OF(names));
    return names[kind];
}

int fil_slow_table_init(struct fil_slow_table *table, uint64_t threshold_ns)
{
    *table = (struct fil_slow_table){.threshold_ns = threshold_ns};
    fil_mutex_init(&table->mutex);
    table->entries = fil_alloc_zero(FIL_SLOW_TABLE_MAX, sizeof(table->entries[0]));
    if (table->entries == NULL) {
        fil_mutex_fini(&table->mutex);
        return FIL_E_NOMEM;
    }
    return FIL_OK;
}

void fil_slow_table_fini(struct fil_slow_table *table)
{
    if (table->entries == NULL) {
        return;
    }
    fil_free(table->entries);
    table->entries = NULL;
    fil_mutex_fini(&table->mutex);
}

static void copy_text(char *text, size_t capacity, const char *source)
{
    (void)snprintf(text, capacity, "%s", source == NULL ? "(none)" : source); // may cut
}

/** Whether the entry is of the same operation; names that are cut alike count as the same. */
static bool is_same(const struct fil_slow_entry *entry, const char *op, uint64_t stack_hash)
{
    return entry->stack_hash == stack_hash && strcmp(entry->op, op) == 0;
}

/** The watchdog may read without the mutex, because nobody else writes. */
static struct fil_slow_entry *find_same(struct fil_slow_table *table, const char *op,
                                        uint64_t stack_hash)
{
    for (uint32_t i = 0; i < table->count; i++) {
        if (is_same(&table->entries[i], op, stack_hash)) {
            return &table->entries[i];
        }
    }
    return NULL;
}

static struct fil_slow_entry *find_serial(struct fil_slow_table *table, uint64_t serial)
{
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->entries[i].serial == serial) {
            return &table->entries[i];
        }
    }
    return NULL;
}

/** Whether a makes room rather than b. */
static bool is_quieter(const struct fil_slow_entry *a, const struct fil_slow_entry *b)
{
    bool is_a_over = a->running_count == 0;
    bool is_b_over = b->running_count == 0;
    return is_a_over != is_b_over ? is_a_over : a->last_wall_ns < b->last_wall_ns;
}

/** Under the mutex: a place for a new entry, the quietest one's when there is no free one. */
static struct fil_slow_entry *make_room(struct fil_slow_table *table)
{
    if (table->count < FIL_SLOW_TABLE_MAX) {
        table->count++;
        return &table->entries[table->count - 1];
    }
    struct fil_slow_entry *quietest = &table->entries[0];
    for (uint32_t i = 1; i < table->count; i++) {
        if (is_quieter(&table->entries[i], quietest)) {
            quietest = &table->entries[i];
        }
    }
    table->forgotten_count++;
    return quietest;
}

/** One line a frame; as many as fit whole, then dots. */
static void describe_stack(const struct fil_stack_sample *stack, char text[FIL_SLOW_STACK_MAX])
{
    static const char more[] = "...\n";
    struct fil_writer writer;
    fil_writer_init(&writer, text, FIL_SLOW_STACK_MAX - sizeof(more));
    for (uint32_t i = 0; i < stack->count && !writer.is_full; i++) {
        char line[FIL_SYMBOL_TEXT_MAX];
        // A caller's frame is where it goes on; the call itself is just before.
        (void)fil_symbol_describe(stack->frames[i] - (i > 0), line);
        (void)fil_writer_format(&writer, "%s\n", line);
    }
    fil_assert(writer.size <= FIL_SLOW_STACK_MAX - sizeof(more));
    if (writer.is_full) {
        memcpy(text + writer.size, more, sizeof(more));
    } else {
        text[writer.size] = '\0';
    }
}

/** Under the mutex: an entry for what scratch describes, with nothing counted yet. */
static struct fil_slow_entry *add_entry(struct fil_slow_table *table, const char *op,
                                        const struct fil_slow_sighting *sighting)
{
    struct fil_slow_entry *entry = make_room(table);
    table->serial++;
    *entry = (struct fil_slow_entry){
        .serial = table->serial,
        .stack_hash = fil_stack_sample_hash(sighting->stack),
        .first_wall_ns = sighting->wall_ns,
        .state = {.call = ""},
    };
    copy_text(entry->op, sizeof(entry->op), op);
    memcpy(entry->stack, table->scratch, sizeof(entry->stack));
    return entry;
}

/** Under the mutex. */
static void count_sighting(struct fil_slow_table *table, struct fil_slow_entry *entry,
                           const struct fil_slow_sighting *sighting)
{
    table->noted_count++;
    entry->count++;
    entry->running_count++;
    entry->partition_id = sighting->partition_id;
    entry->last_wall_ns = sighting->wall_ns;
    entry->last_ns = sighting->took_ns;
    entry->total_ns += sighting->took_ns;
    entry->max_ns = entry->max_ns > sighting->took_ns ? entry->max_ns : sighting->took_ns;
    copy_text(entry->thread, sizeof(entry->thread), sighting->thread);
    if (sighting->state.kind != FIL_SLOW_UNKNOWN) {
        entry->state = sighting->state;
    }
}

uint64_t fil_slow_table_note(struct fil_slow_table *table, const struct fil_slow_sighting *sighting)
{
    char op[FIL_SLOW_OP_MAX];
    copy_text(op, sizeof(op), sighting->op);
    struct fil_slow_entry *entry = find_same(table, op, fil_stack_sample_hash(sighting->stack));
    if (entry == NULL) {
        // The slow part, reading files for names, comes before the mutex.
        describe_stack(sighting->stack, table->scratch);
    }
    fil_mutex_lock(&table->mutex);
    if (entry == NULL) {
        entry = add_entry(table, op, sighting);
    }
    count_sighting(table, entry, sighting);
    fil_mutex_unlock(&table->mutex);
    return entry->serial;
}

void fil_slow_table_extend(struct fil_slow_table *table, uint64_t serial, uint64_t before_ns,
                           uint64_t took_ns)
{
    struct fil_slow_entry *entry = find_serial(table, serial);
    // Who watches and who runs measure each for itself: the end may be told shorter than it seemed.
    if (entry == NULL || took_ns <= before_ns) {
        return;
    }
    fil_mutex_lock(&table->mutex);
    entry->last_ns = took_ns;
    entry->total_ns += took_ns - before_ns;
    entry->max_ns = entry->max_ns > took_ns ? entry->max_ns : took_ns;
    fil_mutex_unlock(&table->mutex);
}

void fil_slow_table_finish(struct fil_slow_table *table, uint64_t serial, uint64_t wall_ns)
{
    struct fil_slow_entry *entry = find_serial(table, serial);
    if (entry == NULL) {
        return;
    }
    fil_mutex_lock(&table->mutex);
    fil_assert(entry->running_count > 0);
    entry->running_count--;
    entry->last_wall_ns = wall_ns;
    fil_mutex_unlock(&table->mutex);
}

const struct fil_slow_entry *fil_slow_table_peek(struct fil_slow_table *table, uint64_t serial)
{
    return find_serial(table, serial);
}

uint32_t fil_slow_table_count(struct fil_slow_table *table)
{
    fil_mutex_lock(&table->mutex);
    uint32_t count = table->count;
    fil_mutex_unlock(&table->mutex);
    return count;
}

/** The serials of all entries, the longest first; returns how many. */
static uint32_t list_serials(struct fil_slow_table *table, uint64_t serials[FIL_SLOW_TABLE_MAX])
{
    uint64_t longest[FIL_SLOW_TABLE_MAX];
    fil_mutex_lock(&table->mutex);
    uint32_t count = table->count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = i;
        for (; place > 0 && longest[place - 1] < table->entries[i].max_ns; place--) {
            longest[place] = longest[place - 1];
            serials[place] = serials[place - 1];
        }
        longest[place] = table->entries[i].max_ns;
        serials[place] = table->entries[i].serial;
    }
    fil_mutex_unlock(&table->mutex);
    return count;
}

static bool read_entry(struct fil_slow_table *table, uint64_t serial,
                       struct fil_slow_entry *out_entry)
{
    fil_mutex_lock(&table->mutex);
    const struct fil_slow_entry *entry = find_serial(table, serial);
    if (entry != NULL) {
        *out_entry = *entry;
    }
    fil_mutex_unlock(&table->mutex);
    return entry != NULL;
}

void fil_slow_table_each(struct fil_slow_table *table, fil_slow_entry_fn callback, void *context)
{
    uint64_t serials[FIL_SLOW_TABLE_MAX];
    uint32_t count = list_serials(table, serials);
    for (uint32_t i = 0; i < count; i++) {
        struct fil_slow_entry entry;
        if (read_entry(table, serials[i], &entry)) { // else it has made room meanwhile
            callback(context, &entry);
        }
    }
}
