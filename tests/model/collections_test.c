// SPDX-License-Identifier: Apache-2.0
/**
 * A list and a set against plain arrays, over random scripts: additions anywhere, replacements,
 * removals, many items named at once, while memory fails now and then. They hold the same, and a
 * listener that heard everything can tell what is in them.
 *
 * `model_collections STEPS [SEED]` runs longer.
 */
#include <stdlib.h>

#include "core/container/listen.h"
#include "grid/list/list.h"
#include "grid/set/set.h"
#include "lib/base/prng.h"
#include "tests/unit/core/container/container_fixture.h"

#define BOUND   300U
#define NUMBERS 400U
#define MANY    8U

static uint64_t step_count = 100000;
static uint64_t first_seed = 1;

static struct fil_prng prng;
static uint64_t array[BOUND + MANY];
static uint64_t array_size;
static int64_t heard[NUMBERS]; // how often each is in it, as a listener knows

static uint64_t number_of(struct fil_bytes item)
{
    uint64_t number = 0;
    assert_int_equal(item.size, sizeof(number));
    memcpy(&number, item.data, sizeof(number));
    return number;
}

static struct fil_bytes bytes_of(const uint64_t *number)
{
    return fil_bytes_make(number, sizeof(*number));
}

static void hear(void *context, const struct fil_container_event *event)
{
    (void)context;
    heard[number_of(event->item)] += event->kind == FIL_CONTAINER_ADDED ? 1 : -1;
}

static struct fil_container *open_listened(const struct fil_container_type *type,
                                           const void *config)
{
    struct fil_container_listener_options options = {
        .kinds = 3, .has_items = true, .deliver = hear};
    struct fil_container_listener *listener = NULL;
    fil_prng_init(&prng, first_seed);
    array_size = 0;
    memset(heard, 0, sizeof(heard));
    open_world(type, config);
    struct fil_container *container = get_container(type, "numbers");
    assert_int_equal(fil_container_listen_here(container, &options, &listener), FIL_OK);
    return container;
}

static void insert_number(uint64_t index, uint64_t number)
{
    memmove(&array[index + 1], &array[index], (array_size - index) * sizeof(array[0]));
    array[index] = number;
    array_size++;
}

static void remove_number(uint64_t index)
{
    array_size--;
    memmove(&array[index], &array[index + 1], (array_size - index) * sizeof(array[0]));
}

static uint64_t find_number(uint64_t number)
{
    uint64_t index = 0;
    while (index < array_size && array[index] != number) {
        index++;
    }
    return index;
}

/** A listener that has lost events looks at what is there, and goes on from that. */
static void assert_heard(const struct fil_container *container)
{
    static uint64_t lost_before;
    int64_t truth[NUMBERS] = {0};
    deliver_events();
    for (uint64_t i = 0; i < array_size; i++) {
        truth[array[i]]++;
    }
    uint64_t lost = fil_counter_read(&container->counters.events_lost);
    if (lost != lost_before) {
        memcpy(heard, truth, sizeof(truth));
    }
    lost_before = lost;
    assert_memory_equal(truth, heard, sizeof(truth));
}

static uint64_t some_numbers(uint64_t *numbers, struct fil_bytes *items)
{
    uint64_t count = 1 + fil_prng_below(&prng, MANY);
    for (uint64_t i = 0; i < count; i++) {
        numbers[i] = fil_prng_below(&prng, NUMBERS);
        items[i] = bytes_of(&numbers[i]);
    }
    return count;
}

static bool is_named(const uint64_t *numbers, uint64_t count, uint64_t number)
{
    bool is_there = false;
    for (uint64_t i = 0; i < count; i++) {
        is_there = is_there || numbers[i] == number;
    }
    return is_there;
}

static bool sift_array(const uint64_t *numbers, uint64_t count, bool retains)
{
    uint64_t before = array_size;
    for (uint64_t i = array_size; i > 0; i--) {
        if (is_named(numbers, count, array[i - 1]) != retains) {
            remove_number(i - 1);
        }
    }
    return array_size != before;
}

/** Retaining a few leaves next to nothing, so it is rare. */
static bool retains_this_time(void)
{
    return fil_prng_below(&prng, 40) == 0;
}

static struct fil_list_container *list;

static void list_add(void)
{
    uint64_t numbers[MANY];
    struct fil_bytes items[MANY];
    uint64_t count = some_numbers(numbers, items);
    uint64_t index = fil_prng_below(&prng, array_size + 1);
    if (fil_prng_below(&prng, 10) == 0) {
        fil_alloc_fail_after((int64_t)fil_prng_below(&prng, 3));
    }
    int error = fil_list_add_here(list, index, items, count, now_ms());
    fil_alloc_fail_after(-1);
    if (array_size + count > BOUND) {
        assert_int_equal(error, FIL_E_FULL);
    } else if (error == FIL_OK) {
        for (uint64_t i = 0; i < count; i++) {
            insert_number(index + i, numbers[i]);
        }
    } else {
        assert_int_equal(error, FIL_E_NOMEM);
    }
}

static void list_change(uint64_t dice)
{
    uint64_t number = fil_prng_below(&prng, NUMBERS);
    uint64_t index = fil_prng_below(&prng, array_size + 1);
    uint64_t found = find_number(number);
    if (dice < 30) {
        bool is_there = index < array_size;
        assert_int_equal(fil_list_set_here(list, index, bytes_of(&number), now_ms()),
                         is_there ? FIL_OK : FIL_E_INVALID);
        array[index] = number;
    } else if (dice < 60) {
        assert_int_equal(fil_list_remove_at_here(list, index, now_ms()), index < array_size);
        if (index < array_size) {
            remove_number(index);
        }
    } else {
        assert_int_equal(fil_list_remove_here(list, bytes_of(&number), now_ms()),
                         found < array_size);
        if (found < array_size) {
            remove_number(found);
        }
    }
}

static void list_sift(void)
{
    uint64_t numbers[MANY];
    struct fil_bytes items[MANY];
    uint64_t count = some_numbers(numbers, items);
    bool retains = retains_this_time();
    bool has_changed = false;
    enum fil_sift which = retains ? FIL_SIFT_RETAIN_NAMED : FIL_SIFT_REMOVE_NAMED;
    assert_int_equal(fil_list_sift_here(list, which, items, count, now_ms(), &has_changed), FIL_OK);
    assert_int_equal(has_changed, sift_array(numbers, count, retains));
}

static bool compare_next(void *context, struct fil_bytes item)
{
    uint64_t *index = context;
    assert_int_equal(number_of(item), array[*index]);
    (*index)++;
    return true;
}

static void test_list_holds_what_an_array_holds(void **state)
{
    (void)state;
    static const struct fil_list_config config = {.size_max = BOUND};
    list = fil_list_of(open_listened(&fil_list_type, &config));
    for (uint64_t i = 0; i < step_count; i++) {
        uint64_t dice = fil_prng_below(&prng, 100);
        if (dice < 22) {
            list_add();
        } else if (dice < 90) {
            list_change(fil_prng_below(&prng, 90));
        } else {
            list_sift();
        }
        if (i % 4 == 0) {
            deliver_events();
        }
        if (i % 40 == 0) {
            uint64_t index = 0;
            fil_list_visit_here(list, 0, UINT64_MAX, compare_next, &index);
            assert_int_equal(index, array_size);
            assert_heard(&list->container);
        }
    }
    close_world();
}

static struct fil_set *set;

static void set_add(void)
{
    uint64_t numbers[MANY];
    struct fil_bytes items[MANY];
    uint64_t count = some_numbers(numbers, items);
    bool has_changed = false;
    if (fil_prng_below(&prng, 10) == 0) {
        fil_alloc_fail_after((int64_t)fil_prng_below(&prng, 3));
    }
    int error = fil_set_add_all_here(set, items, count, now_ms(), &has_changed);
    fil_alloc_fail_after(-1);
    uint64_t before = array_size;
    for (uint64_t i = 0; i < count && error == FIL_OK; i++) {
        if (find_number(numbers[i]) == array_size) {
            insert_number(array_size, numbers[i]);
        }
    }
    assert_true(error == FIL_OK || error == FIL_E_NOMEM);
    assert_true(error != FIL_OK || has_changed == (array_size != before));
}

static void set_change(void)
{
    uint64_t number = fil_prng_below(&prng, NUMBERS);
    uint64_t found = find_number(number);
    bool is_there = found < array_size;
    assert_int_equal(fil_set_contains_here(set, bytes_of(&number), now_ms()), is_there);
    assert_int_equal(fil_set_remove_here(set, bytes_of(&number), now_ms()), is_there);
    if (is_there) {
        remove_number(found);
    }
}

static void set_sift(void)
{
    uint64_t numbers[MANY];
    struct fil_bytes items[MANY];
    uint64_t count = some_numbers(numbers, items);
    bool retains = retains_this_time();
    bool has_changed = false;
    enum fil_sift which = retains ? FIL_SIFT_RETAIN_NAMED : FIL_SIFT_REMOVE_NAMED;
    assert_int_equal(fil_set_sift_here(set, which, items, count, now_ms(), &has_changed), FIL_OK);
    assert_int_equal(has_changed, sift_array(numbers, count, retains));
}

static void find_visited(void *context, struct fil_bytes item)
{
    assert_true(find_number(number_of(item)) < array_size);
    (*(uint64_t *)context)++;
}

static void test_set_holds_what_an_array_holds(void **state)
{
    (void)state;
    static const struct fil_set_config config = {.size_max = BOUND};
    set = fil_set_of(open_listened(&fil_set_type, &config));
    for (uint64_t i = 0; i < step_count; i++) {
        uint64_t dice = fil_prng_below(&prng, 100);
        if (dice < 20 && array_size + MANY <= BOUND) {
            set_add();
        } else if (dice < 97) {
            set_change();
        } else {
            set_sift();
        }
        if (i % 4 == 0) {
            deliver_events();
        }
        if (i % 40 == 0) {
            uint64_t visited = 0;
            fil_set_visit_here(set, find_visited, &visited);
            assert_int_equal(visited, array_size);
            assert_heard(&set->container);
        }
    }
    close_world();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_holds_what_an_array_holds),
        cmocka_unit_test(test_set_holds_what_an_array_holds),
    };
    step_count = argc > 1 ? strtoull(argv[1], NULL, 10) : step_count;
    first_seed = argc > 2 ? strtoull(argv[2], NULL, 10) : first_seed;
    return cmocka_run_group_tests_name("collections", tests, NULL, NULL);
}
