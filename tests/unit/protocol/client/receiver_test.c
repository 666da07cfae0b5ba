// SPDX-License-Identifier: Apache-2.0
/**
 * Messages out of bytes, one test a promise: a stream gives the same messages in pieces of any
 * size; a frame shorter than its header, longer than the limit, or of two gigabytes is refused by
 * its header alone, with the figures; a message beyond the limit, structures without end or out of
 * order are refused; a stranger has 4096 bytes and no fragments; fragments become the message they
 * were, and only in their order; memory for them is bounded, accounted and given back.
 */
#include "protocol/client/receiver.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/prng.h"
#include "protocol/client/frame.h"
#include "tests/unit/harness.h"

#define STREAM_MAX ((size_t)64 * 1024)

static struct fil_wire_receiver receiver;
static struct fil_budget budget;
static uint8_t stream[STREAM_MAX];
static size_t stream_size;

static int set_up(void **state)
{
    (void)state;
    stream_size = 0;
    fil_budget_init(&budget, 1U << 20);
    fil_wire_receiver_init(&receiver, &budget);
    fil_wire_receiver_trust(&receiver, 10000, 20000);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_wire_receiver_fini(&receiver);
    assert_int_equal(fil_budget_drawn(&budget), 0);
    return 0;
}

static void add_frame(uint32_t flags, size_t content_size, uint8_t fill)
{
    uint8_t *to = stream + stream_size;
    assert_true(stream_size + FIL_WIRE_FRAME_HEADER + content_size <= STREAM_MAX);
    fil_store_u32_le(to, (uint32_t)(FIL_WIRE_FRAME_HEADER + content_size));
    fil_store_u16_le(to + 4, (uint16_t)flags);
    memset(to + FIL_WIRE_FRAME_HEADER, fill, content_size);
    stream_size += FIL_WIRE_FRAME_HEADER + content_size;
}

/** A header that announces a length; nothing behind it. */
static void add_header(uint32_t flags, uint32_t length)
{
    add_frame(flags, 0, 0);
    fil_store_u32_le(stream + stream_size - FIL_WIRE_FRAME_HEADER, length);
}

static void add_initial(uint32_t flags)
{
    add_frame(FIL_WIRE_UNFRAGMENTED | flags, FIL_WIRE_REQUEST_SIZE, 1);
}

static int receive(struct fil_bytes *out_message, size_t *out_size)
{
    return fil_wire_receive(&receiver, fil_bytes_make(stream, stream_size), out_message, out_size);
}

static void assert_refused(int error, const char *problem)
{
    struct fil_bytes message;
    size_t size = 0;
    assert_int_equal(receive(&message, &size), error);
    assert_string_equal(receiver.problem, problem);
    assert_int_equal(size, 0);
}

static void test_a_message_stays_where_it_was_received(void **state)
{
    (void)state;
    struct fil_bytes message;
    size_t size = 0;
    add_initial(0);
    add_frame(FIL_WIRE_FINAL, 5, 2);
    size_t first = stream_size;
    add_initial(FIL_WIRE_FINAL);
    assert_int_equal(receive(&message, &size), FIL_OK);
    assert_ptr_equal(message.data, stream);
    assert_int_equal(message.size, first);
    assert_int_equal(size, first);
    struct fil_bytes rest = fil_bytes_make(stream + first, stream_size - first);
    assert_int_equal(fil_wire_receive(&receiver, rest, &message, &size), FIL_OK);
    assert_int_equal(size, rest.size);
}

/** What a stream of random messages in random pieces came to. */
static void check_pieces(struct fil_prng *prng, size_t piece_max, uint32_t wanted)
{
    struct fil_bytes message;
    size_t begin = 0;
    size_t end = 0;
    uint32_t count = 0;
    while (count < wanted) {
        size_t size = 0;
        struct fil_bytes bytes = fil_bytes_make(stream + begin, end - begin);
        int error = fil_wire_receive(&receiver, bytes, &message, &size);
        begin += size;
        if (error == FIL_OK) {
            assert_int_equal(fil_load_u32_le(message.data + 6), count);
            count++;
            continue;
        }
        assert_int_equal(error, FIL_E_AGAIN);
        size_t expected = fil_wire_receiver_expected(&receiver);
        assert_true(expected == 0 || expected > end - begin);
        size_t step = 1 + fil_prng_below(prng, piece_max);
        end = step < stream_size - end ? end + step : stream_size;
    }
    assert_int_equal(begin, stream_size);
}

static void add_numbered(struct fil_prng *prng, uint32_t number)
{
    size_t frames = fil_prng_below(prng, 4);
    size_t start = stream_size;
    add_initial(frames == 0 ? FIL_WIRE_FINAL : 0);
    fil_store_u32_le(stream + start + FIL_WIRE_FRAME_HEADER, number);
    for (size_t i = 0; i < frames; i++) {
        add_frame(i + 1 == frames ? FIL_WIRE_FINAL : 0, fil_prng_below(prng, 50), 3);
    }
}

static void test_pieces_of_any_size_give_the_same_messages(void **state)
{
    (void)state;
    struct fil_prng prng;
    fil_prng_init(&prng, 11);
    for (uint32_t i = 0; i < 100; i++) {
        add_numbered(&prng, i);
    }
    check_pieces(&prng, 1, 100);
    check_pieces(&prng, 20, 100);
    check_pieces(&prng, 5000, 100);
}

static void test_a_frame_shorter_than_its_header_is_refused(void **state)
{
    (void)state;
    add_initial(0);
    add_header(0, 5);
    assert_refused(FIL_E_MALFORMED, "a frame of 5 bytes, its header has 6");
}

static void test_a_negative_length_is_refused(void **state)
{
    (void)state;
    add_header(FIL_WIRE_UNFRAGMENTED, UINT32_MAX);
    assert_refused(FIL_E_MALFORMED, "a frame of -1 bytes, its header has 6");
}

static void test_two_gigabytes_are_refused_when_they_are_announced(void **state)
{
    (void)state;
    add_initial(0);
    add_header(0, INT32_MAX);
    assert_refused(FIL_E_LIMIT, "a frame of 2147483647 bytes, at most 10000 are taken");
}

static void test_a_message_beyond_the_limit_is_refused_before_it_is_there(void **state)
{
    (void)state;
    add_initial(0);
    add_frame(0, 9000, 0);
    add_frame(0, 9000, 0);
    add_header(FIL_WIRE_FINAL, 9000);
    assert_refused(FIL_E_LIMIT, "a message of more than 20000 bytes");
}

static void test_structures_without_end_are_refused(void **state)
{
    (void)state;
    add_initial(0);
    for (uint32_t i = 0; i <= FIL_WIRE_DEPTH_MAX; i++) {
        add_frame(FIL_WIRE_BEGIN, 0, 0);
    }
    assert_refused(FIL_E_LIMIT, "structures are nested deeper than 32");
}

static void test_structures_that_do_not_match_are_refused(void **state)
{
    (void)state;
    add_initial(0);
    add_frame(FIL_WIRE_END, 0, 0);
    assert_refused(FIL_E_MALFORMED, "a structure ends that has not begun");
    (void)tear_down(NULL);
    (void)set_up(NULL);
    add_initial(0);
    add_frame(FIL_WIRE_BEGIN | FIL_WIRE_FINAL, 0, 0);
    assert_refused(FIL_E_MALFORMED, "a message ends within a structure");
    (void)tear_down(NULL);
    (void)set_up(NULL);
    add_initial(0);
    add_frame(FIL_WIRE_BEGIN | FIL_WIRE_END, 0, 0);
    assert_refused(FIL_E_MALFORMED, "a frame is more than one of begin, end and null");
    (void)tear_down(NULL);
    (void)set_up(NULL);
    add_initial(0);
    add_frame(FIL_WIRE_BEGIN, 1, 0);
    add_frame(FIL_WIRE_END, 1, 0);
    assert_refused(FIL_E_MALFORMED, "an end or null frame with content");
}

static void test_a_message_begins_with_a_header(void **state)
{
    (void)state;
    add_frame(FIL_WIRE_UNFRAGMENTED | FIL_WIRE_FINAL, FIL_WIRE_RESPONSE_SIZE - 1, 0);
    assert_refused(FIL_E_MALFORMED, "a message begins with a frame of 18 bytes");
    (void)tear_down(NULL);
    (void)set_up(NULL);
    add_frame(0, FIL_WIRE_REQUEST_SIZE, 0);
    assert_refused(FIL_E_MALFORMED, "a fragment does not begin with its number");
}

static void test_a_stranger_has_4096_bytes_and_no_fragments(void **state)
{
    (void)state;
    fil_wire_receiver_init(&receiver, &budget);
    add_initial(0);
    add_frame(FIL_WIRE_FINAL, 4096 - stream_size - FIL_WIRE_FRAME_HEADER, 0);
    struct fil_bytes message;
    size_t size = 0;
    assert_int_equal(receive(&message, &size), FIL_OK);
    assert_int_equal(size, 4096);
    stream_size = 0;
    add_initial(0);
    add_header(FIL_WIRE_FINAL, 4097 - 22);
    assert_refused(FIL_E_LIMIT, "a message of more than 4096 bytes");
    fil_wire_receiver_init(&receiver, &budget);
    stream_size = 0;
    add_frame(FIL_WIRE_BEGIN_FRAGMENT, 8, 1);
    assert_refused(FIL_E_MALFORMED, "a fragment, but only whole messages are taken");
}

// Fragments.

/** Three fragments of a message of five frames with a structure across them. */
static void add_fragments(uint8_t id)
{
    add_frame(FIL_WIRE_BEGIN_FRAGMENT, 8, id);
    add_initial(0);
    add_frame(FIL_WIRE_BEGIN | FIL_WIRE_FINAL, 0, 0);
    add_frame(0, 8, id);
    add_frame(FIL_WIRE_FINAL, 3000, 7);
    add_frame(FIL_WIRE_END_FRAGMENT, 8, id);
    add_frame(FIL_WIRE_END, 0, 0);
    add_frame(FIL_WIRE_FINAL, 10, 9);
}

/** The same message in one piece. */
static void add_whole(void)
{
    add_initial(0);
    add_frame(FIL_WIRE_BEGIN, 0, 0);
    add_frame(0, 3000, 7);
    add_frame(FIL_WIRE_END, 0, 0);
    add_frame(FIL_WIRE_FINAL, 10, 9);
}

static void test_fragments_become_the_message_they_were(void **state)
{
    (void)state;
    add_whole();
    size_t whole = stream_size;
    add_fragments(1);
    add_fragments(2);
    add_initial(FIL_WIRE_FINAL);
    size_t begin = whole;
    for (uint32_t i = 0; i < 2; i++) {
        struct fil_bytes message = {0};
        size_t size = 0;
        int error = FIL_E_AGAIN;
        for (size_t end = begin; error == FIL_E_AGAIN; end++) {
            assert_true(end <= stream_size);
            error = fil_wire_receive(&receiver, fil_bytes_make(stream + begin, end - begin),
                                     &message, &size);
            begin += size;
        }
        assert_int_equal(error, FIL_OK);
        assert_true(fil_bytes_equal(message, fil_bytes_make(stream, whole)));
        assert_true(fil_budget_drawn(&budget) >= whole);
    }
    struct fil_bytes message;
    size_t size = 0;
    struct fil_bytes last = fil_bytes_make(stream + begin, stream_size - begin);
    assert_int_equal(fil_wire_receive(&receiver, last, &message, &size), FIL_OK);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void test_fragments_out_of_turn_are_refused(void **state)
{
    (void)state;
    struct fil_bytes message;
    size_t size = 0;
    add_frame(FIL_WIRE_END_FRAGMENT, 8, 0);
    assert_refused(FIL_E_MALFORMED, "fragment 0 is out of turn");
    (void)tear_down(NULL);
    (void)set_up(NULL);
    add_frame(FIL_WIRE_BEGIN_FRAGMENT, 8, 0);
    add_initial(FIL_WIRE_FINAL);
    add_frame(0, 8, 1);
    assert_int_equal(receive(&message, &size), FIL_E_MALFORMED);
    assert_string_equal(receiver.problem, "fragment 72340172838076673 is out of turn");
    (void)tear_down(NULL);
    (void)set_up(NULL);
    add_frame(FIL_WIRE_BEGIN_FRAGMENT, 8, 0);
    add_initial(FIL_WIRE_FINAL);
    add_initial(FIL_WIRE_FINAL);
    assert_int_equal(receive(&message, &size), FIL_E_MALFORMED);
    assert_string_equal(receiver.problem, "a message between the fragments of another");
}

static void test_a_fragmented_message_has_an_initial_frame(void **state)
{
    (void)state;
    add_frame(FIL_WIRE_BEGIN_FRAGMENT, 8, 0);
    add_frame(FIL_WIRE_FINAL, 3, 0);
    assert_refused(FIL_E_MALFORMED, "a fragmented message has no initial frame");
}

static void test_fragments_share_the_limit_of_a_message(void **state)
{
    (void)state;
    struct fil_bytes message;
    size_t size = 0;
    add_frame(FIL_WIRE_BEGIN_FRAGMENT, 8, 0);
    add_initial(0);
    add_frame(FIL_WIRE_FINAL, 9000, 0);
    add_frame(0, 8, 0);
    add_frame(FIL_WIRE_FINAL, 9000, 0);
    add_frame(FIL_WIRE_END_FRAGMENT, 8, 0);
    add_header(FIL_WIRE_FINAL, 2000);
    assert_int_equal(receive(&message, &size), FIL_E_LIMIT);
    assert_string_equal(receiver.problem, "a message of more than 20000 bytes");
    assert_true(fil_budget_drawn(&budget) < 40000);
}

static void test_without_memory_a_fragment_is_refused_cleanly(void **state)
{
    (void)state;
    struct fil_bytes message;
    size_t size = 0;
    add_fragments(1);
    int error = FIL_E_NOMEM;
    for (int64_t after = 0; error != FIL_OK; after++) {
        fil_alloc_fail_after(after);
        error = receive(&message, &size);
        fil_alloc_fail_after(-1);
        assert_true(error == FIL_OK || error == FIL_E_NOMEM);
        assert_true(after < 10);
        fil_wire_receiver_fini(&receiver);
        assert_int_equal(fil_budget_drawn(&budget), 0);
        fil_wire_receiver_init(&receiver, &budget);
        fil_wire_receiver_trust(&receiver, 10000, 20000);
    }
    fil_budget_init(&budget, 100);
    assert_int_equal(receive(&message, &size), FIL_E_NOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_message_stays_where_it_was_received, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_pieces_of_any_size_give_the_same_messages, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_frame_shorter_than_its_header_is_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_negative_length_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_two_gigabytes_are_refused_when_they_are_announced,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            test_a_message_beyond_the_limit_is_refused_before_it_is_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_structures_without_end_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_structures_that_do_not_match_are_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_message_begins_with_a_header, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_stranger_has_4096_bytes_and_no_fragments, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_fragments_become_the_message_they_were, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_fragments_out_of_turn_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_fragmented_message_has_an_initial_frame, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_fragments_share_the_limit_of_a_message, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_without_memory_a_fragment_is_refused_cleanly, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("receiver", tests, NULL, NULL);
}
