// SPDX-License-Identifier: Apache-2.0
/**
 * Watermarks: for every sequence of five events at three inputs, what is passed on is what the
 * definition says, never goes back, and does not depend on who went idle first; a source's
 * watermark is the time of its latest record less its lag, in whole frames; a silent source becomes
 * idle once and wakes up again; times are rounded down on both sides of zero.
 */
#include "core/stream/watermark.h"

#include "filbert/error.h"
#include "tests/unit/harness.h"

#define INPUTS 3U
#define EVENTS 5U
#define KINDS  5U // two watermarks, idle, ended, a record

struct model {
    int64_t times[INPUTS];
    bool is_idle[INPUTS];
    bool is_ended[INPUTS];
};

static void apply(struct model *model, struct fil_watermarks *watermarks, uint32_t event,
                  uint32_t step)
{
    uint32_t input = event / KINDS;
    if (model->is_ended[input]) {
        return; // nothing comes after the end
    }
    int64_t time = (int64_t)step * 10 + (event % KINDS == 0 ? 5 : 25);
    switch (event % KINDS) {
    case 0:
    case 1:
        model->times[input] = time > model->times[input] ? time : model->times[input];
        model->is_idle[input] = false;
        fil_watermarks_set(watermarks, input, time);
        break;
    case 2:
        model->is_idle[input] = true;
        fil_watermarks_set_idle(watermarks, input);
        break;
    case 3:
        model->is_ended[input] = true;
        fil_watermarks_set_ended(watermarks, input);
        break;
    default:
        model->is_idle[input] = false;
        fil_watermarks_touch(watermarks, input);
        break;
    }
}

/** The definition: the least of those that count, or the highest of all when none does. */
static int64_t allowed(const struct model *model)
{
    int64_t least = INT64_MAX;
    int64_t top = FIL_TIME_NONE;
    for (uint32_t i = 0; i < INPUTS; i++) {
        top = model->times[i] > top ? model->times[i] : top;
        if (!model->is_idle[i] && !model->is_ended[i] && model->times[i] < least) {
            least = model->times[i];
        }
    }
    return least == INT64_MAX ? top : least;
}

static void check_sequence(uint32_t sequence)
{
    struct model model = {.times = {FIL_TIME_NONE, FIL_TIME_NONE, FIL_TIME_NONE}};
    struct fil_watermarks watermarks;
    assert_int_equal(fil_watermarks_init(&watermarks, INPUTS), FIL_OK);
    int64_t told = FIL_TIME_NONE;
    for (uint32_t step = 0; step < EVENTS; step++) {
        apply(&model, &watermarks, sequence % (INPUTS * KINDS), step);
        sequence /= INPUTS * KINDS;
        int64_t wanted = allowed(&model) > told ? allowed(&model) : told;
        int64_t time = 0;
        enum fil_batch_kind kind = fil_watermarks_next(&watermarks, &time);
        if (kind == FIL_BATCH_WATERMARK) {
            assert_true(time > told);
            told = time;
            kind = fil_watermarks_next(&watermarks, &time);
        }
        assert_int_equal(told, wanted);
        if (kind == FIL_BATCH_IDLE) {
            assert_int_equal(fil_watermarks_laggard(&watermarks), INPUTS);
            kind = fil_watermarks_next(&watermarks, &time);
        }
        assert_int_equal(kind, FIL_BATCH_DATA);
    }
    fil_watermarks_fini(&watermarks);
}

static void test_every_sequence_follows_the_definition(void **state)
{
    (void)state;
    uint32_t count = 1;
    for (uint32_t i = 0; i < EVENTS; i++) {
        count *= INPUTS * KINDS;
    }
    for (uint32_t sequence = 0; sequence < count; sequence++) {
        check_sequence(sequence);
    }
}

static void test_laggard_is_named(void **state)
{
    (void)state;
    struct fil_watermarks watermarks;
    assert_int_equal(fil_watermarks_init(&watermarks, 2), FIL_OK);
    fil_watermarks_set(&watermarks, 0, 50);
    fil_watermarks_set(&watermarks, 1, 20);
    assert_int_equal(fil_watermarks_laggard(&watermarks), 1);
    fil_watermarks_set_idle(&watermarks, 1);
    assert_int_equal(fil_watermarks_laggard(&watermarks), 0);
    fil_watermarks_fini(&watermarks);
}

static void test_source_follows_its_latest_record(void **state)
{
    (void)state;
    struct fil_event_time source;
    fil_event_time_init(&source, 5, 10, 100);
    int64_t time = 0;
    assert_int_equal(fil_event_time_next(&source, 1, &time), FIL_BATCH_DATA);
    fil_event_time_observe(&source, 37, 2);
    assert_int_equal(fil_event_time_next(&source, 2, &time), FIL_BATCH_WATERMARK);
    assert_int_equal(time, 30);
    fil_event_time_observe(&source, 12, 3);
    fil_event_time_observe(&source, 44, 3);
    assert_int_equal(fil_event_time_next(&source, 3, &time), FIL_BATCH_DATA);
    assert_int_equal(fil_event_time_next(&source, 103, &time), FIL_BATCH_IDLE);
    assert_int_equal(fil_event_time_next(&source, 300, &time), FIL_BATCH_DATA);
    fil_event_time_observe(&source, 45, 301);
    assert_int_equal(fil_event_time_next(&source, 301, &time), FIL_BATCH_WATERMARK);
    assert_int_equal(time, 40);
    assert_int_equal(fil_event_time_next(&source, 401, &time), FIL_BATCH_IDLE);
}

static void test_times_are_rounded_down(void **state)
{
    (void)state;
    assert_int_equal(fil_time_floor(19, 10), 10);
    assert_int_equal(fil_time_floor(-1, 10), -10);
    assert_int_equal(fil_time_floor(-10, 10), -10);
    assert_int_equal(fil_time_floor(INT64_MIN, 10), INT64_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_sequence_follows_the_definition),
        cmocka_unit_test(test_laggard_is_named),
        cmocka_unit_test(test_source_follows_its_latest_record),
        cmocka_unit_test(test_times_are_rounded_down),
    };
    return cmocka_run_group_tests_name("watermark", tests, NULL, NULL);
}
