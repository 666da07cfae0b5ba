// SPDX-License-Identifier: Apache-2.0
/**
 * WebSocket frames, one test a promise: the handshake's key is answered as RFC 6455 has it;
 * messages come out as they went in, however they and the bytes are cut; control frames come
 * between the parts of a message; what the protocol forbids is refused with its code, however it is
 * cut; sizes are refused before their content; heads are the shortest.
 */
#include <string.h>

#include "filbert/error.h"
#include "lib/http/websocket.h"
#include "tests/unit/harness.h"

#define LIMIT 100000U

static uint8_t wire[4 * LIMIT];
static size_t wire_size;
static uint8_t message[2 * LIMIT];
static size_t message_size;
static char told[512]; // what happened, a letter each

/** Adds a masked frame. */
static void put(unsigned first, const void *data, size_t size)
{
    static const uint8_t mask[4] = {0x11, 0x80, 0xfe, 0x07};
    uint8_t head[FIL_WEBSOCKET_OUT_HEAD_MAX];
    size_t head_size = fil_websocket_encode_head(FIL_WEBSOCKET_OP_BINARY, size, head);
    head[0] = (uint8_t)first;
    head[1] |= 0x80;
    memcpy(wire + wire_size, head, head_size);
    memcpy(wire + wire_size + head_size, mask, sizeof(mask));
    wire_size += head_size + sizeof(mask);
    for (size_t i = 0; i < size; i++) {
        wire[wire_size + i] = (uint8_t)(((const uint8_t *)data)[i] ^ mask[i % 4]);
    }
    wire_size += size;
}

static void tell(char letter)
{
    size_t size = strlen(told);
    assert_true(size + 1 < sizeof(told));
    told[size] = letter;
    told[size + 1] = '\0';
}

static void take(struct fil_websocket_decoder *decoder, const struct fil_websocket_event *event)
{
    static const char letters[] = {[FIL_WEBSOCKET_MESSAGE] = 'M',
                                   [FIL_WEBSOCKET_PING] = 'p',
                                   [FIL_WEBSOCKET_PONG] = 'o',
                                   [FIL_WEBSOCKET_CLOSE] = 'c'};
    if (event->kind != FIL_WEBSOCKET_CONTENT) {
        tell(letters[event->kind]);
        return;
    }
    memcpy(message + message_size, event->content.data, event->content.size);
    fil_websocket_unmask(decoder, message + message_size, event->content.size, event->mask_at);
    message_size += event->content.size;
}

/** Decodes the wire in pieces; returns the decoder's code. */
static int decode(size_t piece)
{
    struct fil_websocket_decoder decoder;
    fil_websocket_decoder_init(&decoder, LIMIT);
    size_t done = 0;
    size_t given = 0;
    message_size = 0;
    told[0] = '\0';
    while (given < wire_size) {
        given = wire_size - given < piece ? wire_size : given + piece;
        int error = FIL_OK;
        while (error == FIL_OK) {
            struct fil_websocket_event event = {0};
            size_t consumed = 0;
            error = fil_websocket_decode(&decoder, fil_bytes_make(wire + done, given - done),
                                         &event, &consumed);
            done += consumed;
            if (error == FIL_OK) {
                take(&decoder, &event);
            }
        }
        if (error != FIL_E_AGAIN) {
            assert_non_null(decoder.reason);
            return decoder.code;
        }
    }
    return 0;
}

static const size_t pieces[] = {1, 2, 3, 7, 64, sizeof(wire)};

#define FOR_PIECES(piece) \
    for (size_t at_ = 0, piece = pieces[0]; at_ < 6; at_++, piece = pieces[at_ % 6])

static int set_up(void **state)
{
    (void)state;
    wire_size = 0;
    return 0;
}

static void test_key_is_answered_as_the_standard_has_it(void **state)
{
    (void)state;
    char accept[FIL_WEBSOCKET_ACCEPT_SIZE];
    assert_int_equal(fil_websocket_accept_key(fil_bytes_of("dGhlIHNhbXBsZSBub25jZQ=="), accept),
                     FIL_OK);
    assert_memory_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", FIL_WEBSOCKET_ACCEPT_SIZE);
    static const char *const bad[] = {"", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ===",
                                      "dGhlIHNhbXBsZSBub25jZQAA", "dGhlIHNhbXBs ZSBub25jZ=="};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(fil_websocket_accept_key(fil_bytes_of(bad[i]), accept), FIL_E_INVALID);
    }
}

static void test_messages_come_out_as_they_went_in(void **state)
{
    (void)state;
    static uint8_t content[70000];
    for (size_t i = 0; i < sizeof(content); i++) {
        content[i] = (uint8_t)(i * 7);
    }
    static const size_t sizes[] = {0, 1, 125, 126, 127, 65535, 65536, 70000};
    for (size_t i = 0; i < 8; i++) {
        wire_size = 0;
        put(0x82, content, sizes[i]);
        FOR_PIECES(piece)
        {
            assert_int_equal(decode(piece), 0);
            assert_string_equal(told, "M");
            assert_int_equal(message_size, sizes[i]);
            assert_memory_equal(message, content, sizes[i]);
        }
    }
}

static void test_control_frames_come_between_the_parts(void **state)
{
    (void)state;
    put(0x01, "Hel", 3);
    put(0x89, "ping", 4);
    put(0x00, "", 0);
    put(0x8a, "", 0);
    put(0x80, "lo", 2);
    put(0x81, "!", 1);
    put(0x88, "\x03\xe8 bye", 6);
    FOR_PIECES(piece)
    {
        assert_int_equal(decode(piece), 0);
        assert_string_equal(told, "poMMc");
        assert_int_equal(message_size, 6);
        assert_memory_equal(message, "Hello!", 6);
    }
}

static void test_close_tells_its_code_and_reason(void **state)
{
    (void)state;
    struct fil_websocket_decoder decoder;
    struct fil_websocket_event event;
    size_t consumed = 0;
    fil_websocket_decoder_init(&decoder, LIMIT);
    put(0x88, "\x0f\xa1why", 5);
    assert_int_equal(
        fil_websocket_decode(&decoder, fil_bytes_make(wire, wire_size), &event, &consumed), FIL_OK);
    assert_int_equal(event.code, 4001);
    assert_true(fil_bytes_equal_text(event.content, "why"));
    wire_size = 0;
    put(0x88, "", 0);
    assert_int_equal(
        fil_websocket_decode(&decoder, fil_bytes_make(wire, wire_size), &event, &consumed), FIL_OK);
    assert_int_equal(event.code, 1005);
}

/** The last frame of the wire is refused, and those before it are not. */
static void check_refused(int code)
{
    FOR_PIECES(piece)
    {
        assert_int_equal(decode(piece), code);
    }
    wire_size = 0;
}

static void put_raw(const char *bytes, size_t size)
{
    memcpy(wire + wire_size, bytes, size);
    wire_size += size;
}

static void test_what_is_forbidden_is_refused(void **state)
{
    (void)state;
    static const unsigned reserved[] = {0xc2, 0xa2, 0x92, 0x83, 0x87, 0x8b, 0x8f};
    for (size_t i = 0; i < 7; i++) {
        put(reserved[i], "x", 1);
        check_refused(1002);
    }
    put_raw("\x82\x01x", 3); // no mask
    check_refused(1002);
    put(0x09, "", 0); // a ping that is cut
    check_refused(1002);
    put_raw("\x89\xfe\x00\x7e", 4);
    put_raw(told, 200); // one of 126 bytes
    check_refused(1002);
    put(0x80, "x", 1); // goes on with nothing
    check_refused(1002);
    put(0x01, "x", 1);
    put(0x81, "y", 1); // begins within another
    check_refused(1002);
    put_raw("\x82\xfe\x00\x7d"
            "mask",
            8); // 125 in two bytes
    check_refused(1002);
    put_raw("\x82\xff\x00\x00\x00\x00\x00\x00\xff\xff"
            "mask",
            14); // 65535 in eight
    check_refused(1002);
    put_raw("\x82\xff\x80\x00\x00\x00\x00\x00\x00\x00"
            "mask",
            14);
    check_refused(1002);
}

static void test_close_that_nobody_may_send_is_refused(void **state)
{
    (void)state;
    static const unsigned codes[] = {0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65535};
    for (size_t i = 0; i < 9; i++) {
        uint8_t content[2] = {(uint8_t)(codes[i] >> 8), (uint8_t)codes[i]};
        put(0x88, content, 2);
        check_refused(1002);
    }
    put(0x88, "\x03", 1);
    check_refused(1002);
    put(0x88, "\x03\xe8\xc3\x28", 4);
    check_refused(1007);
}

static void test_large_messages_are_refused_by_their_heads(void **state)
{
    (void)state;
    static uint8_t content[LIMIT];
    put_raw("\x82\xff\x00\x00\x00\x00\x00\x01\x86\xa1"
            "mask",
            14); // LIMIT + 1
    check_refused(1009);
    put_raw("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff"
            "mask",
            14);
    check_refused(1009);
    put(0x02, content, LIMIT);
    put(0x00, "", 0);
    put(0x80, "x", 1);
    check_refused(1009);
    put(0x02, content, LIMIT);
    put(0x80, "", 0);
    put(0x82, content, LIMIT);
    assert_int_equal(decode(sizeof(wire)), 0);
    assert_string_equal(told, "MM");
}

static void test_heads_are_the_shortest(void **state)
{
    (void)state;
    uint8_t head[FIL_WEBSOCKET_OUT_HEAD_MAX];
    assert_int_equal(fil_websocket_encode_head(FIL_WEBSOCKET_OP_TEXT, 125, head), 2);
    assert_memory_equal(head, "\x81\x7d", 2);
    assert_int_equal(fil_websocket_encode_head(FIL_WEBSOCKET_OP_BINARY, 126, head), 4);
    assert_memory_equal(head, "\x82\x7e\x00\x7e", 4);
    assert_int_equal(fil_websocket_encode_head(FIL_WEBSOCKET_OP_BINARY, 65536, head), 10);
    assert_memory_equal(head, "\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00", 10);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(test_##name, set_up)
    const struct CMUnitTest tests[] = {
        TEST(key_is_answered_as_the_standard_has_it),
        TEST(messages_come_out_as_they_went_in),
        TEST(control_frames_come_between_the_parts),
        TEST(close_tells_its_code_and_reason),
        TEST(what_is_forbidden_is_refused),
        TEST(close_that_nobody_may_send_is_refused),
        TEST(large_messages_are_refused_by_their_heads),
        TEST(heads_are_the_shortest),
    };
#undef TEST
    return cmocka_run_group_tests_name("websocket", tests, NULL, NULL);
}
