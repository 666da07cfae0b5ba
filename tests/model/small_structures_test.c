// SPDX-License-Identifier: Apache-2.0
/**
 * Replicated maps, topics, PN counters, ids and estimators against plain models, over random
 * scripts: entries that expire, memory that fails now and then, listeners that come and go in the
 * middle, replicas that hear of each other late, twice and in any order. They say what the model
 * says; a listener hears what was published while it listened, in order.
 *
 * `model_small_structures STEPS [SEED]` runs longer.
 */
#include <stdlib.h>

#include "core/container/listen.h"
#include "grid/cardinality/cardinality.h"
#include "grid/counter/counter.h"
#include "grid/flake/flake.h"
#include "grid/replicated/replicated.h"
#include "grid/topic/topic.h"
#include "lib/base/hash.h"
#include "lib/base/prng.h"
#include "tests/unit/core/container/container_fixture.h"

#define KEYS      200U
#define LISTENERS 8U
#define REPLICAS  4U
#define DRAWN     100000U

static uint64_t step_count = 1000000;
static uint64_t first_seed = 1;
static struct fil_prng prng;

static struct fil_bytes bytes_of(const uint64_t *number)
{
    return fil_bytes_make(number, sizeof(*number));
}

static uint64_t number_of(struct fil_bytes item)
{
    uint64_t number = 0;
    assert_int_equal(item.size, sizeof(number));
    memcpy(&number, item.data, sizeof(number));
    return number;
}

// Replicated maps.

struct slot {
    bool is_there;
    uint64_t value;
    uint64_t until_ms; // 0: for ever
};

static struct slot slots[KEYS];

static bool is_live(const struct slot *slot)
{
    return slot->is_there && (slot->until_ms == 0 || now_ms() < slot->until_ms);
}

static void assert_old(const struct slot *slot, struct fil_bytes old)
{
    assert_int_equal(old.data != NULL, is_live(slot));
    if (old.data != NULL) {
        assert_int_equal(number_of(old), slot->value);
    }
}

static void put_entry(struct fil_replicated *map, uint64_t key, uint64_t value)
{
    uint64_t ttl_ms = fil_prng_below(&prng, 3) == 0 ? 1 + fil_prng_below(&prng, 50) : 0;
    struct fil_bytes old = {0};
    bool fails = fil_prng_below(&prng, 50) == 0;
    fil_alloc_fail_after(fails ? 0 : -1);
    int error =
        fil_replicated_put_here(map, bytes_of(&key), bytes_of(&value), ttl_ms, now_ms(), &old);
    fil_alloc_fail_after(-1);
    if (error != FIL_OK) {
        assert_true(fails && error == FIL_E_NOMEM);
        return;
    }
    assert_old(&slots[key], old);
    slots[key] = (struct slot){
        .is_there = true, .value = value, .until_ms = ttl_ms == 0 ? 0 : now_ms() + ttl_ms};
}

static void remove_entry(struct fil_replicated *map, uint64_t key)
{
    struct fil_bytes old = {0};
    bool was_there = fil_replicated_remove_here(map, bytes_of(&key), now_ms(), &old);
    assert_int_equal(was_there, is_live(&slots[key]));
    if (was_there) {
        assert_old(&slots[key], old);
    }
    slots[key].is_there = false;
}

static void read_entry(struct fil_replicated *map, uint64_t key)
{
    struct fil_bytes value;
    bool is_there = fil_replicated_get_here(map, bytes_of(&key), now_ms(), &value);
    assert_int_equal(is_there, is_live(&slots[key]));
    if (is_there) {
        assert_int_equal(number_of(value), slots[key].value);
    }
}

static void count_entry(void *context, const struct fil_store_view *view)
{
    assert_true(is_live(&slots[number_of(view->key)]));
    (*(uint64_t *)context)++;
}

static void count_entries(struct fil_replicated *map)
{
    uint64_t visited = 0;
    uint64_t expected = 0;
    for (uint32_t i = 0; i < KEYS; i++) {
        expected += is_live(&slots[i]);
    }
    fil_replicated_visit_here(map, now_ms(), count_entry, &visited);
    assert_int_equal(visited, expected);
}

static void test_replicated_map_holds_what_a_table_holds(void **state)
{
    (void)state;
    struct fil_replicated *map = fil_replicated_of(open_inside(&fil_replicated_type, NULL));
    fil_prng_init(&prng, first_seed);
    memset(slots, 0, sizeof(slots));
    for (uint64_t i = 0; i < step_count; i++) {
        uint64_t key = fil_prng_below(&prng, KEYS);
        uint64_t dice = fil_prng_below(&prng, 100);
        if (dice < 40) {
            put_entry(map, key, i);
        } else if (dice < 55) {
            remove_entry(map, key);
        } else if (dice < 98) {
            read_entry(map, key);
        } else {
            pass_ms(fil_prng_below(&prng, 10));
        }
        if (i % 1000 == 0) {
            count_entries(map);
        }
    }
    (void)leave_world(NULL);
}

// Topics.

struct ear {
    struct fil_container_listener *listener; // NULL: nobody listens
    uint64_t expected;                       // the next message
    uint64_t heard;
};

static struct ear ears[LISTENERS];

static void hear(void *context, const struct fil_container_event *event)
{
    struct ear *ear = context;
    assert_int_equal(number_of(event->item), ear->expected);
    ear->expected++;
    ear->heard++;
}

static void forget(void *context)
{
    (void)context;
}

/** Whoever listens stops, after it has heard everything; whoever does not begins. */
static void turn_ear(struct fil_topic *topic, struct ear *ear, uint64_t next)
{
    struct fil_container_listener_options options = {
        .kinds = UINT32_MAX, .has_items = true, .deliver = hear, .closed = forget, .context = ear};
    deliver_events();
    if (ear->listener != NULL) {
        assert_int_equal(ear->expected, next);
        fil_container_unlisten_here(ear->listener);
        ear->listener = NULL;
        return;
    }
    ear->expected = next;
    assert_int_equal(fil_container_listen_here(&topic->container, &options, &ear->listener),
                     FIL_OK);
}

static void test_listeners_hear_what_is_published_in_order(void **state)
{
    (void)state;
    struct fil_topic *topic = fil_topic_of(open_inside(&fil_topic_type, NULL));
    uint64_t next = 0;
    fil_prng_init(&prng, first_seed);
    memset(ears, 0, sizeof(ears));
    for (uint64_t i = 0; i < step_count; i++) {
        if (fil_prng_below(&prng, 50) == 0) {
            turn_ear(topic, &ears[fil_prng_below(&prng, LISTENERS)], next);
        }
        (void)fil_topic_publish_here(topic, bytes_of(&next), 0, now_ms());
        next++;
        if (i % 16 == 0) {
            deliver_events();
        }
    }
    deliver_events();
    for (uint32_t i = 0; i < LISTENERS; i++) {
        if (ears[i].listener != NULL) {
            turn_ear(topic, &ears[i], next);
        }
    }
    assert_int_equal(fil_counter_read(&topic->container.counters.events_lost), 0);
    (void)leave_world(NULL);
}

// PN counters: several in one world, each a replica.

static const char *const replica_names[REPLICAS] = {"a", "b", "c", "d"};

static void tell_replica(struct fil_pn_counter *to, const struct fil_pn_counter *from)
{
    for (uint32_t i = 0; i < from->replica_count; i++) {
        assert_int_equal(fil_pn_counter_merge_here(to, &from->replicas[i]), FIL_OK);
    }
}

static void change_replica(struct fil_pn_counter *counter, uint32_t which, int64_t *sums)
{
    int64_t delta = (int64_t)fil_prng_below(&prng, 2001) - 1000;
    struct fil_pn_change change = {.self = {.high = which + 1, .low = 1}, .delta = delta};
    assert_int_equal(fil_pn_counter_add_here(counter, (struct fil_pn_seen){0}, &change, now_ms()),
                     FIL_OK);
    assert_int_equal(change.after - change.before, delta);
    sums[which] += delta;
}

static void test_replicas_agree_whatever_they_heard_when(void **state)
{
    (void)state;
    struct fil_pn_counter *counters[REPLICAS];
    int64_t sums[REPLICAS] = {0};
    int64_t total = 0;
    open_world(&fil_pn_counter_type, NULL);
    fil_prng_init(&prng, first_seed);
    for (uint32_t i = 0; i < REPLICAS; i++) {
        counters[i] = fil_pn_counter_of(get_container(&fil_pn_counter_type, replica_names[i]));
    }
    for (uint64_t i = 0; i < step_count; i++) {
        uint32_t which = (uint32_t)fil_prng_below(&prng, REPLICAS);
        if (fil_prng_below(&prng, 10) > 0) {
            change_replica(counters[which], which, sums);
        } else {
            tell_replica(counters[which], counters[fil_prng_below(&prng, REPLICAS)]);
        }
    }
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < REPLICAS; i++) {
            tell_replica(counters[(i + 1) % REPLICAS], counters[i]);
        }
    }
    for (uint32_t i = 0; i < REPLICAS; i++) {
        total += sums[i];
    }
    for (uint32_t i = 0; i < REPLICAS; i++) {
        int64_t value = 0;
        assert_int_equal(
            fil_pn_counter_get_here(counters[i], (struct fil_pn_seen){0}, now_ms(), &value),
            FIL_OK);
        assert_int_equal(value, total);
    }
    close_world();
}

// Ids.

static void test_ids_only_grow_and_are_never_given_twice(void **state)
{
    (void)state;
    struct fil_flake *flake = fil_flake_of(open_inside(&fil_flake_type, NULL));
    uint64_t last = 0;
    fil_prng_init(&prng, first_seed);
    for (uint64_t i = 0; i < step_count; i++) {
        uint32_t count = 1 + (uint32_t)fil_prng_below(&prng, 100);
        uint64_t base = 0;
        uint64_t wait_ms = 0;
        uint64_t time_ms = FIL_FLAKE_EPOCH_MS + 1000 + now_ms();
        int error = fil_flake_take(flake, time_ms, 3, count, &base, &wait_ms);
        if (error == FIL_E_FULL) {
            pass_ms(wait_ms);
            continue;
        }
        assert_int_equal(error, FIL_OK);
        assert_true(base > last);
        assert_int_equal(base % FIL_FLAKE_STEP, 3);
        last = base + (count - 1) * FIL_FLAKE_STEP;
        pass_ms(fil_prng_below(&prng, 2));
    }
    (void)leave_world(NULL);
}

// Estimators.

static bool seen[DRAWN];

static void test_estimates_are_near_the_truth(void **state)
{
    (void)state;
    struct fil_cardinality *estimator =
        fil_cardinality_of(open_inside(&fil_cardinality_type, NULL));
    uint64_t truth = 0;
    fil_prng_init(&prng, first_seed);
    memset(seen, 0, sizeof(seen));
    for (uint64_t i = 0; i < step_count; i++) {
        uint64_t number = fil_prng_below(&prng, DRAWN);
        uint64_t hash = fil_hash(bytes_of(&number), first_seed);
        assert_int_equal(fil_cardinality_add_here(estimator, hash, now_ms()), FIL_OK);
        truth += !seen[number];
        seen[number] = true;
        if (i % 5000 == 0) {
            uint64_t estimate = fil_cardinality_estimate_here(estimator, now_ms());
            uint64_t error = estimate > truth ? estimate - truth : truth - estimate;
            assert_true(error <= 1 + truth * 5 / 100); // six times the promised error
        }
    }
    (void)leave_world(NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replicated_map_holds_what_a_table_holds),
        cmocka_unit_test(test_listeners_hear_what_is_published_in_order),
        cmocka_unit_test(test_replicas_agree_whatever_they_heard_when),
        cmocka_unit_test(test_ids_only_grow_and_are_never_given_twice),
        cmocka_unit_test(test_estimates_are_near_the_truth),
    };
    step_count = argc > 1 ? strtoull(argv[1], NULL, 10) : step_count;
    first_seed = argc > 2 ? strtoull(argv[2], NULL, 10) : first_seed;
    return cmocka_run_group_tests_name("small structures", tests, NULL, NULL);
}
