// SPDX-License-Identifier: Apache-2.0
/**
 * A topic's contract, one test a promise: all who listen get all messages in order, with who sent
 * them and when; who came later gets none of before; without listeners a message costs nothing.
 */
#include "grid/topic/topic.h"

#include "core/container/listen.h"
#include "tests/unit/core/container/container_fixture.h"

static struct fil_topic *topic;

struct ear {
    char letters[16];
    uint64_t source;
    uint64_t time_ms;
};

static void hear(void *context, const struct fil_container_event *event)
{
    struct ear *ear = context;
    size_t size = strlen(ear->letters);
    assert_int_equal(event->kind, FIL_CONTAINER_MESSAGE);
    memcpy(ear->letters + size, event->item.data, event->item.size);
    ear->source = event->source;
    ear->time_ms = event->time_ms;
}

static int set_up(void **state)
{
    (void)state;
    topic = fil_topic_of(open_inside(&fil_topic_type, NULL));
    return 0;
}

static void listen(struct ear *ear)
{
    struct fil_container_listener *listener = NULL;
    struct fil_container_listener_options options = {
        .kinds = FIL_CONTAINER_MESSAGE, .has_items = true, .deliver = hear, .context = ear};
    assert_int_equal(fil_container_listen_here(&topic->container, &options, &listener), FIL_OK);
}

static void test_all_get_all_in_order(void **state)
{
    (void)state;
    struct ear first = {.source = 0};
    struct ear second = {.source = 0};
    listen(&first);
    listen(&second);
    assert_int_equal(fil_topic_publish_here(topic, text("a"), 7, 1000), 2);
    assert_int_equal(fil_topic_publish_here(topic, text("b"), 8, 1001), 2);
    deliver_events();
    assert_string_equal(first.letters, "ab");
    assert_string_equal(second.letters, "ab");
    assert_int_equal(first.source, 8);
    assert_int_equal(first.time_ms, 1001);
}

static void test_who_comes_later_gets_none_of_before(void **state)
{
    (void)state;
    struct ear late = {.source = 0};
    uint64_t before = fil_alloc_count();
    assert_int_equal(fil_topic_publish_here(topic, text("a"), 7, 1000), 0);
    assert_int_equal(fil_alloc_count(), before);
    listen(&late);
    (void)fil_topic_publish_here(topic, text("b"), 7, 1000);
    deliver_events();
    assert_string_equal(late.letters, "b");
    assert_int_equal(fil_counter_read(&topic->container.counters.adds), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all_get_all_in_order, set_up, leave_world),
        cmocka_unit_test_setup_teardown(test_who_comes_later_gets_none_of_before, set_up,
                                        leave_world),
    };
    return cmocka_run_group_tests_name("topic", tests, NULL, NULL);
}
