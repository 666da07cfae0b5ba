// SPDX-License-Identifier: Apache-2.0
/**
 * Queries with indexes, one test a promise: each comparison, beginning and OR of them looks into an
 * index that is of use, and an equality before a range; whatever is asked and whatever has changed,
 * the entries are those that are found without an index; an index of a map with entries is used
 * when it is filled; what always matches is found once while everything changes; entries that
 * cannot be read put the index out of use; without memory the query looks at all entries.
 */
#include "protocol/client/query/plan.h"

#include <string.h>

#include "filbert/error.h"
#include "grid/map/walk.h"
#include "lib/base/endian.h"
#include "lib/base/prng.h"
#include "protocol/client/query/attribute.h"
#include "tests/unit/grid/map/map_fixture.h"

#define KEYS        400U
#define QUERY_BYTES 300U

static struct fil_map_walk walk;
static uint32_t finished_count;
static struct fil_query_predicate predicate;
static uint32_t seen[KEYS];
static struct fil_prng prng;

static int set_up(void **state)
{
    (void)state;
    open_map_with(&(struct fil_map_config){0});
    fil_prng_init(&prng, 7);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close_map();
    return 0;
}

static void finish(struct fil_map_walk *finished, struct fil_runner *runner)
{
    (void)runner;
    assert_ptr_equal(finished, &walk);
    finished_count++;
}

static void run_walk(void) FIL_BEFORE_SHARING
{
    finished_count = 0;
    fil_map_walk_start(&walk, finish, NULL, &kernel.runner);
    (void)settle();
    assert_int_equal(finished_count, 1);
}

static struct fil_map_index *add_index(const char *path, enum fil_index_kind kind)
{
    struct fil_map_index_setup setup;
    struct fil_map_index *index = NULL;
    assert_int_equal(fil_query_attribute_index(text(path), kind, NULL, &setup), FIL_OK);
    assert_int_equal(fil_map_index_add(map, &setup, &index), FIL_OK);
    return index;
}

static struct fil_map_index *fill_index(const char *path,
                                        enum fil_index_kind kind) FIL_BEFORE_SHARING
{
    struct fil_map_index *index = add_index(path, kind);
    fil_map_walk_index(&walk, map, index);
    run_walk();
    assert_int_equal(walk.error, FIL_OK);
    assert_true(fil_map_index_is_ready(index));
    return index;
}

/** A predicate in text, as clients send it; the bytes are static. */
static void open_predicate(const char *words)
{
    static uint8_t data[QUERY_BYTES + 32];
    static const uint8_t head[] = "\0\0\0\0\xff\xff\xff\xfe\1\xff\xff\xff\xec\0\0\0\0";
    struct fil_wire_fault fault = {0};
    size_t size = strlen(words);
    assert_true(size <= QUERY_BYTES);
    memcpy(data, head, sizeof(head) - 1);
    fil_store_u32_be(data + sizeof(head) - 1, (uint32_t)size);
    memcpy(data + sizeof(head) + 3, words, size);
    int error =
        fil_query_predicate_init(&predicate, fil_bytes_make(data, sizeof(head) + 3 + size), &fault);
    if (error != FIL_OK) {
        fail_msg("%s: %s", words, fault.reason);
    }
}

static void visit(void *context, const struct fil_store_view *view)
{
    struct fil_query_entry entry = {.key = view->key, .value = view->value};
    (void)context;
    if (fil_query_predicate_test(&predicate, &entry)) {
        uint32_t number = 0;
        for (size_t i = 1; i < view->key.size; i++) {
            number = number * 10 + (uint32_t)(view->key.data[i] - '0');
        }
        assert_true(number < KEYS);
        seen[number]++;
    }
}

static uint64_t slice(struct fil_map_walk *running, struct fil_partition *partition)
{
    return fil_map_walk_scan(running, partition->id, 16, visit, NULL);
}

static void query(struct fil_map_search *search) FIL_BEFORE_SHARING
{
    memset(seen, 0, sizeof(seen));
    fil_map_walk_init(&walk, map, "query", slice);
    walk.search = search;
    run_walk();
    assert_int_equal(walk.error, FIL_OK);
}

/** Which index the query looks into; NULL: none. */
static struct fil_map_index *index_of(const char *words)
{
    open_predicate(words);
    struct fil_map_search *search = fil_query_plan(&predicate, map);
    struct fil_map_index *index = search == NULL ? NULL : search->parts[0].index;
    fil_query_predicate_fini(&predicate);
    return index;
}

static void put_number(uint32_t number, const char *value)
{
    char key[16];
    (void)snprintf(key, sizeof(key), "k%u", number);
    put(key, value);
}

/** Values of all kinds under one name. */
static void put_random(uint32_t number)
{
    static const char *const ages[] = {"null",
                                       "true",
                                       "false",
                                       "\"7\"",
                                       "\"x\"",
                                       "1e300",
                                       "-0.0",
                                       "7.00001",
                                       "7",
                                       "\"007\"",
                                       "\"true\"",
                                       "9007199254740993",
                                       "9007199254740992"};
    char value[120];
    char age[24];
    uint32_t choice = (uint32_t)fil_prng_below(&prng, 2 * FIL_COUNT_OF(ages));
    (void)snprintf(age, sizeof(age), "%d", (int)fil_prng_below(&prng, 60) - 10);
    (void)snprintf(value, sizeof(value), "{\"age\":%s,\"name\":\"customer-%u\"}",
                   choice < FIL_COUNT_OF(ages) ? ages[choice] : age,
                   (uint32_t)fil_prng_below(&prng, 50));
    put_number(number, fil_prng_below(&prng, 20) == 0 ? "{}" : value);
}

static void change(uint32_t count)
{
    char key[16];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = (uint32_t)fil_prng_below(&prng, KEYS);
        (void)snprintf(key, sizeof(key), "k%u", number);
        if (fil_prng_below(&prng, 4) == 0) {
            (void)remove_key(key);
        } else {
            put_random(number);
        }
    }
}

static const char *const operands[] = {
    "7", "'7'", "-3", "12.5", "true", "'true'", "'x'", "0", "9007199254740992", "'007'", "1e300",
};

static const char *operand(void)
{
    return operands[fil_prng_below(&prng, FIL_COUNT_OF(operands))];
}

static void random_part(char *out, size_t size)
{
    static const char *const signs[] = {"=", "<", "<=", ">", ">=", "!="};
    static const char *const patterns[] = {"customer-1%", "cust%4", "customer-2_", "c\\_%",
                                           "customer-33", "%",      "_ustomer%",   "d%"};
    switch (fil_prng_below(&prng, 6)) {
    case 3:
        (void)snprintf(out, size, "name %s '%s'", fil_prng_below(&prng, 4) == 0 ? "ilike" : "like",
                       patterns[fil_prng_below(&prng, FIL_COUNT_OF(patterns))]);
        return;
    case 0:
        (void)snprintf(out, size, "age between %s and %s", operand(), operand());
        return;
    case 1:
        (void)snprintf(out, size, "age in (%s, %s, %s)", operand(), operand(), operand());
        return;
    case 2:
        (void)snprintf(out, size, "name %s 'customer-%u'",
                       signs[fil_prng_below(&prng, FIL_COUNT_OF(signs))],
                       (uint32_t)fil_prng_below(&prng, 50));
        return;
    default:
        (void)snprintf(out, size, "age %s %s", signs[fil_prng_below(&prng, FIL_COUNT_OF(signs))],
                       operand());
        return;
    }
}

static void random_query(char out[QUERY_BYTES])
{
    static const char *const words[] = {"and", "and", "or"};
    char parts[3][90];
    for (uint32_t i = 0; i < FIL_COUNT_OF(parts); i++) {
        random_part(parts[i], sizeof(parts[i]));
    }
    switch (fil_prng_below(&prng, 5)) {
    case 0:
        (void)snprintf(out, QUERY_BYTES, "%s", parts[0]);
        return;
    case 2:
        (void)snprintf(out, QUERY_BYTES, "%s or %s or %s", parts[0], parts[1], parts[2]);
        return;
    case 3:
        (void)snprintf(out, QUERY_BYTES, "(%s or %s) and %s", parts[0], parts[1], parts[2]);
        return;
    case 1:
        (void)snprintf(out, QUERY_BYTES, "%s %s %s", parts[0],
                       words[fil_prng_below(&prng, FIL_COUNT_OF(words))], parts[1]);
        return;
    default:
        (void)snprintf(out, QUERY_BYTES, "%s and %s and %s", parts[0], parts[1], parts[2]);
        return;
    }
}

static void test_queries_find_the_same_with_and_without_indexes(void **state)
{
    (void)state;
    uint32_t indexed = 0;
    char words[QUERY_BYTES];
    uint32_t wanted[KEYS];
    change(2 * KEYS);
    (void)fill_index("age", FIL_INDEX_SORTED);
    (void)fill_index("name", FIL_INDEX_HASH);
    for (uint32_t round = 0; round < 600; round++) {
        if (round == 300) {
            (void)fill_index("name", FIL_INDEX_SORTED);
        }
        change(10);
        random_query(words);
        open_predicate(words);
        query(NULL);
        memcpy(wanted, seen, sizeof(wanted));
        struct fil_map_search *search = fil_query_plan(&predicate, map);
        if (search != NULL) {
            indexed++;
            query(search);
            fil_map_search_fini(search);
            if (memcmp(wanted, seen, sizeof(wanted)) != 0) {
                fail_msg("'%s' finds other entries with an index", words);
            }
        }
        fil_query_predicate_fini(&predicate);
    }
    assert_true(indexed > 200);
}

static void test_the_best_index_is_chosen(void **state)
{
    (void)state;
    struct fil_map_index *age = fill_index("age", FIL_INDEX_SORTED);
    struct fil_map_index *city = fill_index("city", FIL_INDEX_HASH);
    struct fil_map_index *nested = fill_index("a.b[1]", FIL_INDEX_SORTED);
    assert_ptr_equal(index_of("age = 3"), age);
    assert_ptr_equal(index_of("age > 3"), age);
    assert_ptr_equal(index_of("age between 3 and 4"), age);
    assert_ptr_equal(index_of("age > 3 and city = 'x'"), city);
    assert_ptr_equal(index_of("other = 1 and age <= 3"), age);
    assert_ptr_equal(index_of("a.b[1] in (1, 2)"), nested);
    assert_null(index_of("city > 'x'"));
    assert_null(index_of("age = null"));
    assert_null(index_of("age != 3"));
    assert_ptr_equal(index_of("age = 3 or city = 'x'"), age);
    assert_ptr_equal(index_of("city = 'x' or age > 3 or age < 1"), city);
    assert_ptr_equal(index_of("other = 1 and (age = 3 or age = 4)"), age);
    assert_ptr_equal(index_of("a.b[1] like 'x%'"), nested);
    assert_ptr_equal(index_of("a.b[1] like 'x' and age > 3"), nested);
    assert_null(index_of("age = 3 or other = 1"));
    assert_null(index_of("age = 3 or not age = 4"));
    assert_null(index_of("other = 1 and (age = 3 or other = 2)"));
    assert_null(index_of("a.b[1] like '%x'"));
    assert_null(index_of("a.b[1] ilike 'x%'"));
    assert_null(index_of("city like 'x%'"));
    assert_null(index_of("other = 3"));
    assert_null(index_of("a.b[2] = 3"));
    assert_null(index_of("age = 'nan'"));
}

static void test_an_index_is_used_when_it_is_filled(void **state)
{
    (void)state;
    change(KEYS);
    struct fil_map_index *index = add_index("age", FIL_INDEX_SORTED);
    assert_null(index_of("age = 3"));
    assert_ptr_equal(fill_index("age", FIL_INDEX_SORTED), index);
    assert_ptr_equal(index_of("age = 3"), index);
    assert_int_equal(fil_map_index_count(map), 1);
}

static void test_filling_without_memory_is_told_and_may_be_tried_again(void **state)
{
    (void)state;
    change(KEYS);
    struct fil_map_index *index = add_index("age", FIL_INDEX_SORTED);
    for (int64_t position = 0; !fil_map_index_is_ready(index); position++) {
        fil_map_walk_index(&walk, map, index);
        fil_alloc_fail_after(position);
        run_walk();
        fil_alloc_fail_after(-1);
        assert_int_equal(walk.error, fil_map_index_is_ready(index) ? FIL_OK : FIL_E_NOMEM);
    }
    assert_ptr_equal(index_of("age = 3"), index);
}

/** Between two slices of a walk, when its partition is not free to be entered. */
static void put_between(uint32_t number, const char *value)
{
    char key[16];
    (void)snprintf(key, sizeof(key), "k%u", number);
    struct fil_map_key where = place(key);
    struct fil_store_write how = {.now_ms = now_ms()};
    assert_int_equal(fil_map_put_here(map, &where, text(value), &how, NULL), FIL_OK);
}

static void test_what_always_matches_is_found_once_while_all_changes(void **state)
{
    (void)state;
    char value[40];
    for (uint32_t i = 0; i < KEYS; i++) {
        (void)snprintf(value, sizeof(value), "{\"age\":%u}", i);
        put_number(i, value);
    }
    (void)fill_index("age", FIL_INDEX_SORTED);
    open_predicate("age >= 100 and age < 100000");
    struct fil_map_search *search = fil_query_plan(&predicate, map);
    assert_non_null(search);
    memset(seen, 0, sizeof(seen));
    finished_count = 0;
    fil_map_walk_init(&walk, map, "query", slice);
    walk.search = search;
    fil_map_walk_start(&walk, finish, NULL, &kernel.runner);
    for (uint32_t round = 0; finished_count == 0; round++) {
        (void)kernel_cycle(0);
        for (uint32_t i = 100; i < KEYS; i += 3) {
            (void)snprintf(value, sizeof(value), "{\"age\":%u}", 100 + (i * 7919 + round) % 5000);
            put_between(i, value);
        }
    }
    for (uint32_t i = 0; i < KEYS; i++) {
        assert_int_equal(seen[i], i >= 100);
    }
    fil_map_search_fini(search);
    fil_query_predicate_fini(&predicate);
}

static void test_an_entry_that_cannot_be_read_puts_the_index_out_of_use(void **state)
{
    (void)state;
    static const char portable[] = "\0\0\0\0\xff\xff\xff\xff\1\2\3";
    struct fil_map_index *index = fill_index("age", FIL_INDEX_SORTED);
    assert_ptr_equal(index_of("age = 3"), index);
    struct fil_map_key where = place("k1");
    struct fil_partition *partition = go_in(&where);
    struct fil_store_write how = {.now_ms = now_ms()};
    struct fil_bytes value = fil_bytes_make(portable, sizeof(portable) - 1);
    assert_int_equal(fil_map_put_here(map, &where, value, &how, NULL), FIL_OK);
    fil_partition_leave(partition);
    assert_null(index_of("age = 3"));
    assert_true(remove_key("k1"));
}

static void test_without_memory_all_entries_are_looked_at(void **state)
{
    (void)state;
    change(KEYS);
    (void)fill_index("age", FIL_INDEX_SORTED);
    open_predicate("age >= 0");
    query(NULL);
    uint32_t wanted[KEYS];
    memcpy(wanted, seen, sizeof(wanted));
    struct fil_map_search *search = fil_query_plan(&predicate, map);
    assert_non_null(search);
    for (int64_t position = 0; position < PARTITIONS; position++) {
        fil_map_search_fini(search);
        fil_alloc_fail_after(position);
        query(search);
        fil_alloc_fail_after(-1);
        assert_memory_equal(wanted, seen, sizeof(wanted));
    }
    fil_map_search_fini(search);
    fil_query_predicate_fini(&predicate);
}

static void test_attributes_that_cannot_be_indexed_are_refused(void **state)
{
    (void)state;
    struct fil_map_index_setup setup;
    char path[300];
    memset(path, 'p', sizeof(path));
    assert_int_equal(fil_query_attribute_index(text("a[any]"), FIL_INDEX_HASH, NULL, &setup),
                     FIL_E_UNSUPPORTED);
    assert_int_equal(fil_query_attribute_index(text(""), FIL_INDEX_HASH, NULL, &setup),
                     FIL_E_LIMIT);
    assert_int_equal(
        fil_query_attribute_index(fil_bytes_make(path, 300), FIL_INDEX_HASH, NULL, &setup),
        FIL_E_LIMIT);
    fil_alloc_fail_after(0);
    assert_int_equal(fil_query_attribute_index(text("a"), FIL_INDEX_HASH, NULL, &setup),
                     FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
}

static void test_declared_indexes_are_ready_at_once(void **state)
{
    (void)state;
    assert_int_equal(fil_query_declare_indexes(text("age,hash:city,sorted:a.b"), NULL, map),
                     FIL_OK);
    assert_int_equal(fil_map_index_count(map), 3);
    assert_string_equal(fil_map_index_at(map, 0)->name, "sorted:age");
    assert_ptr_equal(index_of("age > 3"), fil_map_index_at(map, 0));
    assert_ptr_equal(index_of("city = 'x'"), fil_map_index_at(map, 1));
    assert_null(index_of("city > 'x'"));
    change(KEYS);
    assert_int_equal(fil_query_declare_indexes(text(""), NULL, NULL), FIL_OK);
    assert_int_equal(fil_query_declare_indexes(text("age,,b"), NULL, NULL), FIL_E_LIMIT);
    assert_int_equal(fil_query_declare_indexes(text("hash:x[any]"), NULL, NULL), FIL_E_UNSUPPORTED);
    assert_int_equal(fil_query_declare_indexes(text("a..b"), NULL, NULL), FIL_E_MALFORMED);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(queries_find_the_same_with_and_without_indexes),
        TEST(the_best_index_is_chosen),
        TEST(an_index_is_used_when_it_is_filled),
        TEST(filling_without_memory_is_told_and_may_be_tried_again),
        TEST(what_always_matches_is_found_once_while_all_changes),
        TEST(an_entry_that_cannot_be_read_puts_the_index_out_of_use),
        TEST(without_memory_all_entries_are_looked_at),
        TEST(attributes_that_cannot_be_indexed_are_refused),
        TEST(declared_indexes_are_ready_at_once),
    };
#undef TEST
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
