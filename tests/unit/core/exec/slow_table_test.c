// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of the table of slow operations: repeats are counted in one entry, by name and
 * callers; a full table forgets what was quiet the longest and says so; readers get copies, the
 * longest first, while the watchdog writes; the pages tell all of it and cannot be broken by names.
 */
#include "core/exec/slow_table.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define MS        UINT64_C(1000000)
#define WALL_NS   UINT64_C(1935664201042000000) // 2031-05-04T12:30:01.042Z
#define PAGE_SIZE 65536U

static struct fil_slow_table table;

static int set_up(void **state)
{
    (void)state;
    return fil_slow_table_init(&table, 10 * MS);
}

static int tear_down(void **state)
{
    (void)state;
    fil_slow_table_fini(&table);
    return 0;
}

static const struct fil_stack_sample no_stack = {.count = 0};

static uint64_t note(const char *op, uint64_t took_ns, uint64_t wall_ns)
{
    return fil_slow_table_note(&table, &(struct fil_slow_sighting){.op = op,
                                                                   .thread = "partition/0",
                                                                   .partition_id = 7,
                                                                   .took_ns = took_ns,
                                                                   .wall_ns = wall_ns,
                                                                   .stack = &no_stack});
}

static uint64_t note_stack(const char *op, const struct fil_stack_sample *stack)
{
    return fil_slow_table_note(
        &table, &(struct fil_slow_sighting){
                    .op = op, .thread = "io/1", .took_ns = MS, .wall_ns = WALL_NS, .stack = stack});
}

struct gathered {
    uint32_t count;
    struct fil_slow_entry entries[FIL_SLOW_TABLE_MAX];
};

static void gather(void *context, const struct fil_slow_entry *entry)
{
    struct gathered *all = context;
    assert_true(all->count < FIL_SLOW_TABLE_MAX);
    all->entries[all->count] = *entry;
    all->count++;
}

static struct gathered seen;

static const struct fil_slow_entry *read_all(void)
{
    seen.count = 0;
    fil_slow_table_each(&table, gather, &seen);
    return seen.entries;
}

static void test_repeats_are_counted_in_one_entry(void **state)
{
    (void)state;
    uint64_t first = note("map.put", 12 * MS, WALL_NS);
    fil_slow_table_finish(&table, first, WALL_NS + MS);
    uint64_t second =
        fil_slow_table_note(&table, &(struct fil_slow_sighting){.op = "map.put",
                                                                .thread = "partition/3",
                                                                .partition_id = 11,
                                                                .took_ns = 10 * MS,
                                                                .wall_ns = WALL_NS + 5 * MS,
                                                                .stack = &no_stack});
    assert_int_equal(second, first);
    const struct fil_slow_entry *entry = read_all();
    assert_int_equal(seen.count, 1);
    assert_int_equal(entry->count, 2);
    assert_int_equal(entry->running_count, 1);
    assert_int_equal(entry->partition_id, 11);
    assert_string_equal(entry->thread, "partition/3");
    assert_int_equal(entry->max_ns, 12 * MS);
    assert_int_equal(entry->last_ns, 10 * MS);
    assert_int_equal(entry->total_ns, 22 * MS);
    assert_int_equal(entry->first_wall_ns, WALL_NS);
    assert_int_equal(entry->last_wall_ns, WALL_NS + 5 * MS);
}

static void test_one_that_runs_on_grows_until_it_is_over(void **state)
{
    (void)state;
    uint64_t serial = note("map.clear", 10 * MS, WALL_NS);
    fil_slow_table_extend(&table, serial, 10 * MS, 15 * MS);
    fil_slow_table_extend(&table, serial, 15 * MS, 40 * MS);
    fil_slow_table_extend(&table, serial, 40 * MS, 39 * MS); // by another clock
    const struct fil_slow_entry *entry = read_all();
    assert_int_equal(entry->running_count, 1);
    assert_int_equal(entry->max_ns, 40 * MS);
    assert_int_equal(entry->total_ns, 40 * MS);
    fil_slow_table_finish(&table, serial, WALL_NS + 41 * MS);
    entry = read_all();
    assert_int_equal(entry->running_count, 0);
    assert_int_equal(entry->last_ns, 40 * MS);
    assert_int_equal(entry->last_wall_ns, WALL_NS + 41 * MS);
}

static void test_name_and_callers_tell_entries_apart(void **state)
{
    (void)state;
    struct fil_stack_sample stack = {.count = 3, .frames = {1, 2, 3}};
    struct fil_stack_sample elsewhere = {.count = 3, .frames = {9, 2, 3}};
    struct fil_stack_sample other_caller = {.count = 3, .frames = {1, 4, 3}};
    uint64_t serial = note_stack("map.get", &stack);
    assert_int_equal(note_stack("map.get", &elsewhere), serial);
    assert_int_not_equal(note_stack("map.get", &other_caller), serial);
    assert_int_not_equal(note_stack("map.put", &stack), serial);
    assert_int_equal(fil_slow_table_count(&table), 3);
    assert_ptr_equal(fil_slow_table_peek(&table, serial), &table.entries[0]);
}

static void fill_table(void)
{
    for (uint32_t i = 0; i < FIL_SLOW_TABLE_MAX; i++) {
        char op[FIL_SLOW_OP_MAX];
        (void)snprintf(op, sizeof(op), "op.%u", i);
        uint64_t serial = note(op, MS * (i + 1), WALL_NS + i);
        if (i != 3) { // the fourth goes on running
            fil_slow_table_finish(&table, serial, WALL_NS + i);
        }
    }
}

static bool has_op(const char *op)
{
    const struct fil_slow_entry *entries = read_all();
    for (uint32_t i = 0; i < seen.count; i++) {
        if (strcmp(entries[i].op, op) == 0) {
            return true;
        }
    }
    return false;
}

static void test_a_full_table_forgets_the_quietest_that_is_over(void **state)
{
    (void)state;
    fill_table();
    assert_int_equal(table.forgotten_count, 0);
    uint64_t first = read_all()[FIL_SLOW_TABLE_MAX - 1].serial;
    assert_int_equal(note("op.1", MS, WALL_NS + 1000), first + 1); // makes it louder
    fil_slow_table_finish(&table, first + 1, WALL_NS + 1000);
    (void)note("new.1", MS, WALL_NS + 2000);
    (void)note("new.2", MS, WALL_NS + 2000);
    (void)note("new.3", MS, WALL_NS + 2000);
    assert_int_equal(table.forgotten_count, 3);
    assert_int_equal(fil_slow_table_count(&table), FIL_SLOW_TABLE_MAX);
    assert_false(has_op("op.0"));
    assert_true(has_op("op.1"));
    assert_false(has_op("op.2"));
    assert_true(has_op("op.3"));
    assert_false(has_op("op.4"));
    assert_true(has_op("new.3"));
}

static void test_a_table_of_running_ones_still_takes_new_ones(void **state)
{
    (void)state;
    uint64_t first = note("op", MS, WALL_NS);
    for (uint32_t i = 0; i < FIL_SLOW_TABLE_MAX; i++) {
        char op[FIL_SLOW_OP_MAX];
        (void)snprintf(op, sizeof(op), "op.%u", i);
        (void)note(op, MS, WALL_NS + 1 + i);
    }
    assert_int_equal(table.forgotten_count, 1);
    assert_null(fil_slow_table_peek(&table, first));
    // It is still followed by the watchdog; nobody is hurt.
    fil_slow_table_extend(&table, first, MS, 2 * MS);
    fil_slow_table_finish(&table, first, WALL_NS);
    assert_int_equal(table.noted_count, FIL_SLOW_TABLE_MAX + 1);
}

static void test_readers_get_the_longest_first(void **state)
{
    (void)state;
    (void)note("short", 11 * MS, WALL_NS);
    (void)note("long", 99 * MS, WALL_NS);
    (void)note("middle", 50 * MS, WALL_NS);
    (void)note("also.middle", 50 * MS, WALL_NS);
    const struct fil_slow_entry *entries = read_all();
    assert_int_equal(seen.count, 4);
    assert_string_equal(entries[0].op, "long");
    assert_string_equal(entries[1].op, "middle");
    assert_string_equal(entries[2].op, "also.middle");
    assert_string_equal(entries[3].op, "short");
}

static __attribute__((noinline)) void
a_function_with_a_name_so_long_that_few_of_it_fill_a_stack(void)
{
    (void)note("called", MS, WALL_NS);
}

static void test_long_names_and_stacks_are_cut(void **state)
{
    (void)state;
    a_function_with_a_name_so_long_that_few_of_it_fill_a_stack();
    char name[FIL_SLOW_OP_MAX * 2];
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    struct fil_stack_sample deep = {.count = FIL_STACK_FRAMES_MAX};
    for (uint32_t i = 0; i < deep.count; i++) {
        deep.frames[i] = (uintptr_t)a_function_with_a_name_so_long_that_few_of_it_fill_a_stack + 1;
    }
    uint64_t serial = note_stack(name, &deep);
    assert_int_equal(note_stack(name, &deep), serial);
    const struct fil_slow_entry *entry = fil_slow_table_peek(&table, serial);
    assert_int_equal(strlen(entry->op), FIL_SLOW_OP_MAX - 1);
    static const char frames[] = "a_function_with_a_name_so_long_that_few_of_it_fill_a_stack+0x1\n"
                                 "a_function_with_a_name_so_long_that_few_of_it_fill_a_stack+0x0\n";
    assert_int_equal(strncmp(entry->stack, frames, sizeof(frames) - 1), 0);
    size_t size = strlen(entry->stack);
    assert_true(size < FIL_SLOW_STACK_MAX);
    assert_string_equal(entry->stack + size - 9, "+0x0\n...\n");
}

struct page {
    size_t size;
    uint32_t pieces_left;
    char text[PAGE_SIZE];
};

static struct page page;

static int add_piece(void *context, struct fil_bytes piece)
{
    struct page *here = context;
    if (here->pieces_left == 0) {
        return FIL_E_FULL;
    }
    here->pieces_left--;
    assert_true(here->size + piece.size < sizeof(here->text));
    memcpy(here->text + here->size, piece.data, piece.size);
    here->size += piece.size;
    here->text[here->size] = '\0';
    return FIL_OK;
}

static void clear_page(uint32_t pieces)
{
    page.size = 0;
    page.pieces_left = pieces;
    page.text[0] = '\0';
}

static void note_two(void)
{
    uint64_t serial = note("map.put", 12 * MS, WALL_NS);
    fil_slow_table_finish(&table, serial, WALL_NS);
    (void)note("odd \"name\"\n", 1500 * MS, WALL_NS);
    memcpy(table.entries[0].stack, "inner+0x1\nouter+0x2\n", sizeof("inner+0x1\nouter+0x2\n"));
}

static void test_the_text_page_tells_all(void **state)
{
    (void)state;
    clear_page(UINT32_MAX);
    assert_int_equal(fil_slow_table_render_text(&table, add_piece, &page), FIL_OK);
    assert_string_equal(page.text, "Operations that ran for 10ms or longer: 0, of 0 kinds; "
                                   "0 kinds forgotten.\n");
    note_two();
    clear_page(UINT32_MAX);
    assert_int_equal(fil_slow_table_render_text(&table, add_piece, &page), FIL_OK);
    assert_non_null(strstr(page.text, ": 2, of 2 kinds; 0 kinds forgotten.\n\n"));
    assert_non_null(strstr(page.text, "PARTITION  THREAD"));
    assert_non_null(strstr(page.text, "1.5 s"));
    assert_non_null(strstr(page.text, "12.0 ms"));
    assert_non_null(strstr(page.text, "7  partition/0"));
    assert_non_null(strstr(page.text, "2031-05-04T12:30:01.042Z  map.put\n"));
    assert_non_null(strstr(page.text, "  (still running)\n"));
    assert_non_null(strstr(page.text, "\n         inner+0x1\n         outer+0x2\n"));
}

#define STATE_TEXT "\"state\":\"unknown\",\"call\":\"\",\"waits_in\":\"\","

static void test_json_is_one_object_that_names_cannot_break(void **state)
{
    (void)state;
    clear_page(UINT32_MAX);
    assert_int_equal(fil_slow_table_render_json(&table, add_piece, &page), FIL_OK);
    assert_string_equal(page.text, "{\"threshold_ns\":10000000,\"noted\":0,\"forgotten\":0,"
                                   "\"slow_operations\":[]}\n");
    note_two();
    clear_page(UINT32_MAX);
    assert_int_equal(fil_slow_table_render_json(&table, add_piece, &page), FIL_OK);
    assert_string_equal(
        page.text,
        "{\"threshold_ns\":10000000,\"noted\":2,\"forgotten\":0,\"slow_operations\":["
        "{\"op\":\"odd \\\"name\\\"\\n\",\"thread\":\"partition/0\",\"partition\":7,\"count\":1,"
        "\"running\":1,\"max_ns\":1500000000,\"last_ns\":1500000000,\"total_ns\":1500000000,"
        "\"first\":\"2031-05-04T12:30:01.042Z\",\"last\":\"2031-05-04T12:30:01.042Z\"," STATE_TEXT
        "\"stack\":[]}"
        ",{\"op\":\"map.put\",\"thread\":\"partition/0\",\"partition\":7,\"count\":1,"
        "\"running\":0,\"max_ns\":12000000,\"last_ns\":12000000,\"total_ns\":12000000,"
        "\"first\":\"2031-05-04T12:30:01.042Z\",\"last\":\"2031-05-04T12:30:01.042Z\"," STATE_TEXT
        "\"stack\":[\"inner+0x1\",\"outer+0x2\"]}]}\n");
}

static void test_a_sink_that_refuses_ends_the_page(void **state)
{
    (void)state;
    note_two();
    for (uint32_t pieces = 0; pieces < 5; pieces++) {
        clear_page(pieces);
        assert_int_equal(fil_slow_table_render_text(&table, add_piece, &page), FIL_E_FULL);
        clear_page(pieces);
        assert_int_equal(fil_slow_table_render_json(&table, add_piece, &page), FIL_E_FULL);
        assert_int_equal(page.pieces_left, 0);
    }
}

static void write_for_a_while(void *context)
{
    (void)context;
    for (uint32_t round = 0; round < 2000; round++) {
        char op[FIL_SLOW_OP_MAX];
        (void)snprintf(op, sizeof(op), "op.%u", round % (FIL_SLOW_TABLE_MAX + 20));
        uint64_t serial = note(op, MS, WALL_NS + round);
        fil_slow_table_extend(&table, serial, MS, 2 * MS);
        fil_slow_table_finish(&table, serial, WALL_NS + round);
    }
}

static void check_entry(void *context, const struct fil_slow_entry *entry)
{
    uint64_t *entry_count = context;
    *entry_count += 1;
    assert_true(entry->count > 0);
    assert_string_equal(entry->thread, "partition/0");
    assert_int_equal(strncmp(entry->op, "op.", 3), 0);
    assert_true(entry->total_ns <= entry->count * 2 * MS);
}

static void test_readers_see_whole_entries_while_the_watchdog_writes(void **state)
{
    (void)state;
    struct fil_thread writer;
    assert_int_equal(fil_thread_start(&writer, "writer", write_for_a_while, NULL), FIL_OK);
    uint64_t entry_count = 0;
    while (entry_count < 5 * FIL_SLOW_TABLE_MAX) {
        fil_slow_table_each(&table, check_entry, &entry_count);
        clear_page(UINT32_MAX);
        assert_int_equal(fil_slow_table_render_json(&table, add_piece, &page), FIL_OK);
    }
    fil_thread_join(&writer);
    assert_int_equal(table.noted_count, 2000);
    assert_int_equal(table.forgotten_count, 2000 - FIL_SLOW_TABLE_MAX);
}

static void test_init_survives_failing_memory(void **state)
{
    (void)state;
    struct fil_slow_table other;
    fil_alloc_fail_after(0);
    assert_int_equal(fil_slow_table_init(&other, MS), FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    fil_slow_table_fini(&other);
}

int main(void)
{
#define WITH_TABLE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WITH_TABLE(test_repeats_are_counted_in_one_entry),
        WITH_TABLE(test_one_that_runs_on_grows_until_it_is_over),
        WITH_TABLE(test_name_and_callers_tell_entries_apart),
        WITH_TABLE(test_a_full_table_forgets_the_quietest_that_is_over),
        WITH_TABLE(test_a_table_of_running_ones_still_takes_new_ones),
        WITH_TABLE(test_readers_get_the_longest_first),
        WITH_TABLE(test_long_names_and_stacks_are_cut),
        WITH_TABLE(test_the_text_page_tells_all),
        WITH_TABLE(test_json_is_one_object_that_names_cannot_break),
        WITH_TABLE(test_a_sink_that_refuses_ends_the_page),
        WITH_TABLE(test_readers_see_whole_entries_while_the_watchdog_writes),
        cmocka_unit_test(test_init_survives_failing_memory),
    };
    return cmocka_run_group_tests_name("slow_table", tests, NULL, NULL);
}
