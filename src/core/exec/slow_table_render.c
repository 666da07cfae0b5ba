// SPDX-License-Identifier: Apache-2.0
/** The table as a page for people and as JSON for programs. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "core/exec/slow_table.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/units.h"
#include "lib/base/writer.h"
#include "lib/log/text.h"
#include "lib/os/symbol.h"

#define NS_PER_SECOND    UINT64_C(1000000000)
#define NS_PER_MS        UINT64_C(1000000)
#define WALL_TEXT_MAX    32U // "2031-05-04T12:30:01.042Z"
#define PIECE_MAX        512U
#define NEWLINE          ((uint8_t)'\n')
#define TEXT_ESCAPED_MAX ((size_t)FIL_SYMBOL_TEXT_MAX * FIL_LOG_ESCAPE_FACTOR)

/** A rendering under way; after the sink's first refusal nothing more is sent. */
struct page {
    fil_slow_sink_fn sink;
    void *context;
    int error;
    uint32_t entry_count;
};

static void put_bytes(struct page *page, struct fil_bytes piece)
{
    if (page->error == FIL_OK && piece.size > 0) {
        page->error = page->sink(page->context, piece);
    }
}

static void put(struct page *page, const char *format, ...) FIL_PRINTF(2, 3);

static void put(struct page *page, const char *format, ...)
{
    char text[PIECE_MAX];
    struct fil_writer writer;
    fil_writer_init(&writer, text, sizeof(text));
    va_list arguments;
    va_start(arguments, format);
    bool is_whole = fil_writer_format_list(&writer, format, arguments);
    va_end(arguments);
    fil_assert(is_whole); // every text below is bounded
    put_bytes(page, fil_writer_written(&writer));
}

static const char *format_wall(uint64_t wall_ns, char text[WALL_TEXT_MAX])
{
    struct fil_writer writer;
    struct tm civil = {0};
    time_t seconds = (time_t)(wall_ns / NS_PER_SECOND);
    bool is_known = gmtime_r(&seconds, &civil) != NULL;
    fil_assert(is_known); // 64 bits of nanoseconds end in the year 2554
    fil_writer_init(&writer, text, WALL_TEXT_MAX);
    (void)fil_writer_format(&writer, "%04d-%02d-%02dT%02d:%02d:%02d.%03uZ", civil.tm_year + 1900,
                            civil.tm_mon + 1, civil.tm_mday, civil.tm_hour, civil.tm_min,
                            civil.tm_sec, (unsigned)(wall_ns % NS_PER_SECOND / NS_PER_MS));
    return fil_writer_terminate(&writer);
}

/** Takes the next line without its end off the text; false at the end. */
static bool take_line(struct fil_bytes *text, struct fil_bytes *out_line)
{
    if (text->size == 0) {
        return false;
    }
    size_t size = fil_bytes_find(*text, NEWLINE);
    *out_line = fil_bytes_make(text->data, size);
    size_t used = size < text->size ? size + 1 : size;
    *text = fil_bytes_make(text->data + used, text->size - used);
    return true;
}

/** What the whole table tells, read at once. */
struct totals {
    uint32_t distinct;
    uint64_t noted;
    uint64_t forgotten;
};

static struct totals read_totals(struct fil_slow_table *table)
{
    fil_mutex_lock(&table->mutex);
    struct totals totals = {
        .distinct = table->count, .noted = table->noted_count, .forgotten = table->forgotten_count};
    fil_mutex_unlock(&table->mutex);
    return totals;
}

#define PARTITION_TEXT_MAX 16U

/** The number, or the word for work that belongs to none. */
static const char *format_partition(fil_partition_id id, const char *none,
                                    char text[PARTITION_TEXT_MAX])
{
    struct fil_writer writer;
    fil_writer_init(&writer, text, PARTITION_TEXT_MAX);
    if (id == FIL_OP_NO_PARTITION) {
        fil_writer_text(&writer, none);
    } else {
        (void)fil_writer_format(&writer, "%" PRIu32, id);
    }
    return fil_writer_terminate(&writer);
}

static void put_text_state(struct page *page, const struct fil_slow_state *state)
{
    if (state->kind == FIL_SLOW_ASLEEP) {
        put(page, "         asleep%s%s%s%s\n", state->call[0] == '\0' ? "" : " in ", state->call,
            state->channel[0] == '\0' ? "" : ", ", state->channel);
    }
}

static void put_text_entry(void *context, const struct fil_slow_entry *entry)
{
    struct page *page = context;
    char max[FIL_UNITS_TEXT_MAX];
    char last[FIL_UNITS_TEXT_MAX];
    char total[FIL_UNITS_TEXT_MAX];
    char wall[WALL_TEXT_MAX];
    char partition[PARTITION_TEXT_MAX];
    put(page, "%7" PRIu64 "  %9s  %9s  %9s  %9s  %-*s  %s  %s%s\n", entry->count,
        fil_units_human_duration(entry->max_ns, max),
        fil_units_human_duration(entry->last_ns, last),
        fil_units_human_duration(entry->total_ns, total),
        format_partition(entry->partition_id, "-", partition), (int)FIL_SLOW_THREAD_MAX - 1,
        entry->thread, format_wall(entry->last_wall_ns, wall), entry->op,
        entry->running_count > 0 ? "  (still running)" : "");
    put_text_state(page, &entry->state);
    struct fil_bytes rest = fil_bytes_of(entry->stack);
    struct fil_bytes line;
    while (take_line(&rest, &line)) {
        put(page, "         ");
        put_bytes(page, line);
        put(page, "\n");
    }
}

int fil_slow_table_render_text(struct fil_slow_table *table, fil_slow_sink_fn sink, void *context)
{
    struct page page = {.sink = sink, .context = context};
    struct totals totals = read_totals(table);
    char threshold[FIL_UNITS_TEXT_MAX];
    put(&page,
        "Operations that ran for %s or longer: %" PRIu64 ", of %" PRIu32 " kinds; %" PRIu64
        " kinds forgotten.\n",
        fil_units_format_duration(table->threshold_ns, threshold), totals.noted, totals.distinct,
        totals.forgotten);
    if (totals.distinct > 0) {
        put(&page, "\n%7s  %9s  %9s  %9s  %9s  %-*s  %-24s  %s\n", "COUNT", "MAX", "LAST", "TOTAL",
            "PARTITION", (int)FIL_SLOW_THREAD_MAX - 1, "THREAD", "LAST SEEN", "OPERATION");
    }
    fil_slow_table_each(table, put_text_entry, &page);
    return page.error;
}

static void put_json_text(struct page *page, struct fil_bytes text)
{
    char escaped[TEXT_ESCAPED_MAX];
    struct fil_writer writer;
    fil_writer_init(&writer, escaped, sizeof(escaped));
    fil_log_text_escape(&writer, text);
    put(page, "\"");
    put_bytes(page, fil_writer_written(&writer));
    put(page, "\"");
}

static void put_json_stack(struct page *page, const char *stack)
{
    struct fil_bytes rest = fil_bytes_of(stack);
    struct fil_bytes line;
    const char *separator = "";
    put(page, ",\"stack\":[");
    while (take_line(&rest, &line)) {
        put(page, "%s", separator);
        put_json_text(page, line);
        separator = ",";
    }
    put(page, "]}");
}

static void put_json_entry(void *context, const struct fil_slow_entry *entry)
{
    struct page *page = context;
    char first[WALL_TEXT_MAX];
    char last[WALL_TEXT_MAX];
    put(page, "%s{\"op\":", page->entry_count == 0 ? "" : ",");
    page->entry_count++;
    put_json_text(page, fil_bytes_of(entry->op));
    put(page, ",\"thread\":");
    put_json_text(page, fil_bytes_of(entry->thread));
    char partition[PARTITION_TEXT_MAX];
    put(page,
        ",\"partition\":%s,\"count\":%" PRIu64 ",\"running\":%" PRIu32 ",\"max_ns\":%" PRIu64
        ",\"last_ns\":%" PRIu64 ",\"total_ns\":%" PRIu64,
        format_partition(entry->partition_id, "null", partition), entry->count,
        entry->running_count, entry->max_ns, entry->last_ns, entry->total_ns);
    put(page, ",\"first\":\"%s\",\"last\":\"%s\"", format_wall(entry->first_wall_ns, first),
        format_wall(entry->last_wall_ns, last));
    put(page,
        ",\"state\":\"%s\",\"call\":\"%s\",\"waits_in\":", fil_slow_state_name(entry->state.kind),
        entry->state.call);
    put_json_text(page, fil_bytes_of(entry->state.channel));
    put_json_stack(page, entry->stack);
}

int fil_slow_table_render_json(struct fil_slow_table *table, fil_slow_sink_fn sink, void *context)
{
    struct page page = {.sink = sink, .context = context};
    struct totals totals = read_totals(table);
    put(&page,
        "{\"threshold_ns\":%" PRIu64 ",\"noted\":%" PRIu64 ",\"forgotten\":%" PRIu64
        ",\"slow_operations\":[",
        table->threshold_ns, totals.noted, totals.forgotten);
    fil_slow_table_each(table, put_json_entry, &page);
    put(&page, "]}\n");
    return page.error;
}
