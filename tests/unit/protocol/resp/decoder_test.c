// SPDX-License-Identifier: Apache-2.0
/**
 * The RESP decoder, one test a promise: each good command gives its words, each bad one its error
 * with Redis's text; every prefix of a good command asks for more; the outcome does not depend on
 * the pieces the bytes come in; pieces cost no more than the whole; each limit holds to the byte;
 * inline commands follow Redis's quoting; an incomplete bulk tells how much it needs; a decoder
 * that is done with its bytes holds no memory; a command that was not taken comes again; usual
 * commands and short lines need none; memory that is out is an error.
 */
#include "protocol/resp/decoder.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/cursor.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

#define BULK_MAX    1000U
#define COMMAND_MAX 4000U
#define TEXT_MAX    4096U

/** What a stream of bytes came to, as text: [one][two words] a line, then how it ended. */
struct outcome {
    char text[TEXT_MAX];
};

static void write_command(struct fil_writer *writer, const struct fil_resp_command *command)
{
    for (uint32_t i = 0; i < command->count; i++) {
        struct fil_bytes word = fil_resp_argument(command, i);
        fil_writer_format(writer, "[");
        for (size_t k = 0; k < word.size; k++) {
            bool is_plain = word.data[k] > ' ' && word.data[k] < 0x7f;
            fil_writer_format(writer, is_plain ? "%c" : "<%02x>", word.data[k]);
        }
        fil_writer_format(writer, "]");
    }
    fil_writer_format(writer, "\n");
}

/** Decodes what a buffer of its own holds, so that a look beyond its end is seen. */
static int decode_copy(struct fil_resp_decoder *decoder, struct fil_bytes bytes, size_t *out_size,
                       struct fil_writer *writer)
{
    struct fil_resp_command command;
    uint8_t *copy = fil_alloc(bytes.size + 1);
    assert_non_null(copy);
    if (bytes.size > 0) {
        memcpy(copy + 1, bytes.data, bytes.size);
    }
    int error = fil_resp_decode(decoder, fil_bytes_make(copy + 1, bytes.size), &command, out_size);
    assert_true(*out_size <= bytes.size);
    if (error == FIL_OK) {
        assert_true(command.count > 0);
        write_command(writer, &command);
    }
    fil_free(copy);
    return error;
}

/** Feeds the bytes in pieces as a connection would; piece 0 draws their sizes. */
static void feed(struct fil_bytes input, size_t piece, uint64_t seed, struct outcome *out_outcome)
{
    struct fil_resp_decoder decoder;
    struct fil_writer writer;
    struct fil_prng prng;
    size_t begin = 0;
    size_t end = 0;
    int error = FIL_E_AGAIN;
    fil_prng_init(&prng, seed);
    fil_writer_init(&writer, out_outcome->text, sizeof(out_outcome->text));
    fil_resp_decoder_init(&decoder, BULK_MAX, COMMAND_MAX);
    while (error == FIL_OK || (error == FIL_E_AGAIN && end < input.size)) {
        if (error == FIL_E_AGAIN) {
            size_t step = piece > 0 ? piece : 1 + fil_prng_below(&prng, 9);
            end = step < input.size - end ? end + step : input.size;
        }
        size_t size = 0;
        error =
            decode_copy(&decoder, fil_bytes_make(input.data + begin, end - begin), &size, &writer);
        begin += size;
    }
    if (error != FIL_E_AGAIN) {
        fil_writer_format(&writer, "%s: %s\n", fil_error_name(error), decoder.problem);
    } else if (begin < input.size) {
        fil_writer_format(&writer, "more\n");
    }
    fil_writer_format(&writer, "%c", 0);
    fil_resp_decoder_fini(&decoder);
}

/** At once, byte by byte and in random pieces, all to the same text. */
static void check(struct fil_bytes input, const char *expected)
{
    struct outcome outcome;
    feed(input, input.size == 0 ? 1 : input.size, 0, &outcome);
    assert_string_equal(outcome.text, expected);
    feed(input, 1, 0, &outcome);
    assert_string_equal(outcome.text, expected);
    for (uint64_t seed = 0; seed < 5; seed++) {
        feed(input, 0, seed, &outcome);
        assert_string_equal(outcome.text, expected);
    }
}

static void check_text(const char *input, const char *expected)
{
    check(fil_bytes_of(input), expected);
}

struct sample {
    const char *input;
    const char *expected;
};

static void check_samples(const struct sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_text(samples[i].input, samples[i].expected);
    }
}

static const struct sample good[] = {
    {"*1\r\n$4\r\nPING\r\n", "[PING]\n"},
    {"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$2\r\nbc\r\n", "[SET][a][bc]\n"},
    {"*2\r\n$3\r\nGET\r\n$0\r\n\r\n", "[GET][]\n"},
    {"*1\r\n$2\r\n\r\n\r\n", "[<0d><0a>]\n"},
    {"*2\r\n$4\r\nECHO\r\n$3\r\n*1\r\r\n", "[ECHO][*1<0d>]\n"},
    {"*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nPONG\r\n", "[PING]\n[PONG]\n"},
    {"*0\r\n*-1\r\n*1\r\n$1\r\nx\r\n", "[x]\n"},
    {"*0000000001\r\n$0000000001\r\nx\r\n", "[x]\n"},
    {"*9\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\n3\r\n$1\r\n4\r\n$1\r\n5\r\n$1\r\n6\r\n$1\r\n7\r\n$"
     "1\r\n8\r\n"
     "$1\r\n9\r\nPING\r\n",
     "[1][2][3][4][5][6][7][8][9]\n[PING]\n"},
    {"PING\r\n", "[PING]\n"},
    {"PING\n", "[PING]\n"},
    {"  set  a\tb \r\n", "[set][a][b]\n"},
    {"\r\n\n\r\nPING\r\n", "[PING]\n"},
    {"   \r\nPING\r\n", "[PING]\n"},
    {"a\r\n*1\r\n$1\r\nb\r\nc\r\n", "[a]\n[b]\n[c]\n"},
    {"", ""},
    {"\r\n", ""},
    {"*0\r\n", ""},
};

static void test_good_commands_give_their_words(void **state)
{
    (void)state;
    check_samples(good, FIL_COUNT_OF(good));
    check(fil_bytes_make("*1\r\n$3\r\n\0\xff\n\r\n", 13), "[<00><ff><0a>]\n");
}

#define EXPECTED_DOLLAR "MALFORMED: Protocol error: expected '$', got "
#define BAD_BULK        "MALFORMED: Protocol error: invalid bulk length\n"
#define BAD_ARRAY       "MALFORMED: Protocol error: invalid multibulk length\n"
#define NO_LINE_END     "MALFORMED: Protocol error: expected CRLF after the bulk\n"
#define UNBALANCED      "MALFORMED: Protocol error: unbalanced quotes in request\n"

static const struct sample bad[] = {
    {"*x\r\n", BAD_ARRAY},
    {"*\r\n", BAD_ARRAY},
    {"*-\r\n", BAD_ARRAY},
    {"*1x\r\n", BAD_ARRAY},
    {"*1\n$1\r\nx\r\n", BAD_ARRAY},
    {"*1\rx", BAD_ARRAY},
    {"* 1\r\n", BAD_ARRAY},
    {"*+1\r\n", BAD_ARRAY},
    {"*1048577\r\n", BAD_ARRAY},
    {"*99999999999\r\n", BAD_ARRAY},
    {"*123456789012345678901234567890", BAD_ARRAY},
    {"*1\r\nPING\r\n", EXPECTED_DOLLAR "'P'\n"},
    {"*2\r\n$1\r\nx\r\n:1\r\n", EXPECTED_DOLLAR "':'\n"},
    {"*1\r\n\r\n", EXPECTED_DOLLAR "'?'\n"},
    {"*1\r\n$-1\r\n", BAD_BULK},
    {"*1\r\n$\r\n", BAD_BULK},
    {"*1\r\n$x\r\n", BAD_BULK},
    {"*1\r\n$1 \r\n", BAD_BULK},
    {"*1\r\n$99999999999999\r\n", BAD_BULK},
    {"*1\r\n$1\r\nxy\r\n", NO_LINE_END},
    {"*1\r\n$1\r\nx\n\n", NO_LINE_END},
    {"*1\r\n$4\r\nPING\r\n*1\r\n!", "[PING]\n" EXPECTED_DOLLAR "'!'\n"},
    {"SET \"a\r\n", UNBALANCED},
    {"SET 'a\r\n", UNBALANCED},
    {"SET \"a\"b\r\n", UNBALANCED},
    {"SET 'a'b\r\n", UNBALANCED},
    {"SET \"a\\\"\r\n", UNBALANCED},
};

static void test_bad_commands_give_redis_texts(void **state)
{
    (void)state;
    check_samples(bad, FIL_COUNT_OF(bad));
}

static void test_every_prefix_asks_for_more(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(good); i++) {
        struct fil_bytes whole = fil_bytes_of(good[i].input);
        struct outcome outcome;
        for (size_t size = 0; size < whole.size; size++) {
            feed(fil_bytes_make(whole.data, size), 1, 0, &outcome);
            assert_null(strstr(outcome.text, "MALFORMED"));
            assert_null(strstr(outcome.text, "LIMIT"));
        }
    }
}

static const struct sample quoting[] = {
    {"set \"a b\" 'c d'\r\n", "[set][a<20>b][c<20>d]\n"},
    {"set \"\" ''\r\n", "[set][][]\n"},
    {"\"set\"\r\n", "[set]\n"},
    {"a \"\\n\\r\\t\\b\\a\\\\\\\"\\q\"\r\n", "[a][<0a><0d><09><08><07>\\\"q]\n"},
    {"a \"\\x41\\x0a\\xfF\"\r\n", "[a][A<0a><ff>]\n"},
    {"a \"\\x4\" \"\\xzz\" \"\\x\"\r\n", "[a][x4][xzz][x]\n"},
    {"a '\\n' '\\'' '\\x41'\r\n", "[a][\\n]['][\\x41]\n"},
    {"a \"it's\" 'say \"x\"'\r\n", "[a][it's][say<20>\"x\"]\n"},
    {"a b\"c d\"\r\n", "[a][bc<20>d]\n"},
    {"a\\nb\r\n", "[a\\nb]\n"},
};

static void test_inline_commands_follow_redis_quoting(void **state)
{
    (void)state;
    check_samples(quoting, FIL_COUNT_OF(quoting));
}

// Limits.

static struct fil_resp_decoder decoder;
static struct fil_resp_command command;
static uint8_t buffer[1100000];
static size_t buffer_size;

static void add_text(const char *text)
{
    size_t size = strlen(text);
    assert_true(buffer_size + size <= sizeof(buffer));
    memcpy(buffer + buffer_size, text, size);
    buffer_size += size;
}

static void add_letters(size_t size)
{
    assert_true(buffer_size + size <= sizeof(buffer));
    memset(buffer + buffer_size, 'x', size);
    buffer_size += size;
}

static void add_bulk(size_t size)
{
    char head[32];
    (void)snprintf(head, sizeof(head), "$%zu\r\n", size);
    add_text(head);
    add_letters(size);
    add_text("\r\n");
}

static int decode(size_t *out_size)
{
    return fil_resp_decode(&decoder, fil_bytes_make(buffer, buffer_size), &command, out_size);
}

static void test_bulk_limit_is_exact(void **state)
{
    (void)state;
    size_t size = 0;
    for (size_t excess = 0; excess < 2; excess++) {
        buffer_size = 0;
        add_text("*1\r\n");
        add_bulk(BULK_MAX + excess);
        fil_resp_decoder_init(&decoder, BULK_MAX, COMMAND_MAX);
        assert_int_equal(decode(&size), excess == 0 ? FIL_OK : FIL_E_LIMIT);
        if (excess > 0) {
            assert_string_equal(decoder.problem, "Protocol error: invalid bulk length");
            assert_false(decoder.is_frame_limit);
        }
        fil_resp_decoder_fini(&decoder);
    }
}

/** The limit counts all bytes of a command, its line ends included. */
static void test_command_limit_is_exact(void **state)
{
    (void)state;
    size_t size = 0;
    buffer_size = 0;
    add_text("*5\r\n");
    for (uint32_t i = 0; i < 5; i++) {
        add_bulk(500 + i);
    }
    fil_resp_decoder_init(&decoder, BULK_MAX, buffer_size);
    assert_int_equal(decode(&size), FIL_OK);
    assert_int_equal(size, buffer_size);
    fil_resp_decoder_fini(&decoder);
    for (size_t missing = 1; missing < 12; missing++) {
        char expected[sizeof(decoder.problem)];
        fil_resp_decoder_init(&decoder, BULK_MAX, buffer_size - missing);
        assert_int_equal(decode(&size), FIL_E_LIMIT);
        (void)snprintf(expected, sizeof(expected),
                       "Protocol error: command too long, at most %zu bytes (net.frame_bytes_max)",
                       buffer_size - missing);
        assert_string_equal(decoder.problem, expected);
        assert_true(decoder.is_frame_limit);
        fil_resp_decoder_fini(&decoder);
    }
}

/** Wherever the bulks end, near the limit or on it, nothing gets past it. */
static void test_command_limit_has_no_way_round(void **state)
{
    (void)state;
    for (size_t first = 1; first < 100; first++) {
        size_t size = 0;
        buffer_size = 0;
        add_text("*1000\r\n");
        add_bulk(first);
        for (uint32_t i = 0; i < 100; i++) {
            add_bulk(9);
        }
        fil_resp_decoder_init(&decoder, 100, 100);
        assert_int_equal(decode(&size), FIL_E_LIMIT);
        assert_true(decoder.position <= 100 + sizeof("$9\r\n"));
        fil_resp_decoder_fini(&decoder);
    }
}

static void test_inline_limit_is_exact(void **state)
{
    (void)state;
    size_t size = 0;
    for (size_t excess = 0; excess < 2; excess++) {
        for (int has_end = 0; has_end < 2; has_end++) {
            int expected = has_end != 0 ? FIL_OK : FIL_E_AGAIN;
            buffer_size = 0;
            add_letters(FIL_RESP_INLINE_BYTES_MAX + excess);
            add_text(has_end != 0 ? "\n" : "");
            fil_resp_decoder_init(&decoder, BULK_MAX, COMMAND_MAX);
            assert_int_equal(decode(&size), excess == 0 ? expected : FIL_E_LIMIT);
            if (excess > 0) {
                assert_string_equal(decoder.problem, "Protocol error: too big inline request");
            }
            fil_resp_decoder_fini(&decoder);
        }
    }
}

static void test_argument_limit_is_exact(void **state)
{
    (void)state;
    check_text("*1048576\r\n", "more\n");
    check_text("*1048577\r\n", BAD_ARRAY);
}

// Cost.

/** Feeds the buffer byte by byte without moving it; returns the result of the last byte. */
static int feed_bytes(void)
{
    size_t size = 0;
    int error = FIL_E_AGAIN;
    for (size_t end = 1; end <= buffer_size && error == FIL_E_AGAIN; end++) {
        error = fil_resp_decode(&decoder, fil_bytes_make(buffer, end), &command, &size);
        assert_true(error != FIL_E_AGAIN || size == 0);
    }
    assert_int_equal(size, error == FIL_OK ? buffer_size : 0);
    return error;
}

/** A decoder that begins anew with each piece would need hours here. */
static void test_pieces_cost_no_more_than_the_whole(void **state)
{
    (void)state;
    fil_resp_decoder_init(&decoder, sizeof(buffer), sizeof(buffer));
    buffer_size = 0;
    add_text("*2\r\n$3\r\nSET\r\n");
    add_bulk(1000000);
    assert_int_equal(feed_bytes(), FIL_OK);
    assert_int_equal(fil_resp_argument(&command, 1).size, 1000000);

    buffer_size = 0;
    add_text("*100000\r\n");
    for (uint32_t i = 0; i < 100000; i++) {
        add_bulk(1);
    }
    assert_int_equal(feed_bytes(), FIL_OK);
    assert_int_equal(command.count, 100000);

    buffer_size = 0;
    add_letters(60000);
    add_text("\r\n");
    assert_int_equal(feed_bytes(), FIL_OK);
    assert_int_equal(fil_resp_argument(&command, 0).size, 60000);
    fil_resp_decoder_fini(&decoder);
}

static void test_incomplete_bulk_tells_what_it_needs(void **state)
{
    (void)state;
    size_t size = 0;
    fil_resp_decoder_init(&decoder, 1000, 4000);
    buffer_size = 0;
    assert_int_equal(fil_resp_decoder_expected(&decoder), 0);
    add_text("*2\r\n$3");
    assert_int_equal(decode(&size), FIL_E_AGAIN);
    assert_int_equal(fil_resp_decoder_expected(&decoder), 0);
    add_text("\r\n");
    assert_int_equal(decode(&size), FIL_E_AGAIN);
    assert_int_equal(fil_resp_decoder_expected(&decoder), 4 + 4 + 5);
    add_text("GET\r\n$500\r\nxx");
    assert_int_equal(decode(&size), FIL_E_AGAIN);
    assert_int_equal(fil_resp_decoder_expected(&decoder), 4 + 9 + 6 + 502);
    add_letters(498);
    add_text("\r\n");
    assert_int_equal(decode(&size), FIL_OK);
    assert_int_equal(fil_resp_decoder_expected(&decoder), 0);
    fil_resp_decoder_fini(&decoder);
}

static void test_empty_commands_can_be_dropped_while_one_is_incomplete(void **state)
{
    (void)state;
    size_t size = 0;
    fil_resp_decoder_init(&decoder, 1000, 4000);
    buffer_size = 0;
    add_text("\r\n*0\r\n*1\r\n$4\r\nPI");
    assert_int_equal(decode(&size), FIL_E_AGAIN);
    assert_int_equal(size, 6);
    memmove(buffer, buffer + size, buffer_size - size);
    buffer_size -= size;
    add_text("NG\r\n");
    assert_int_equal(decode(&size), FIL_OK);
    assert_int_equal(size, buffer_size);
    assert_true(fil_bytes_equal_text(fil_resp_argument(&command, 0), "PING"));
    fil_resp_decoder_fini(&decoder);
}

// Memory.

static void test_decoder_that_is_done_holds_no_memory(void **state)
{
    (void)state;
    size_t size = 0;
    fil_resp_decoder_init(&decoder, 1000, sizeof(buffer));
    buffer_size = 0;
    add_text("*1000\r\n");
    for (uint32_t i = 0; i < 1000; i++) {
        add_bulk(1);
    }
    assert_int_equal(decode(&size), FIL_OK);
    assert_true(decoder.arguments != decoder.usual);
    // The call that finds nothing more, as every receive ends.
    assert_int_equal(fil_resp_decode(&decoder, fil_bytes_make(buffer + size, 0), &command, &size),
                     FIL_E_AGAIN);
    assert_ptr_equal(decoder.arguments, decoder.usual);
    buffer_size = 0;
    add_text("PING\r\n");
    assert_int_equal(decode(&size), FIL_OK);
    assert_non_null(decoder.text);
    assert_int_equal(fil_resp_decode(&decoder, fil_bytes_make(buffer + size, 0), &command, &size),
                     FIL_E_AGAIN);
    assert_null(decoder.text);
    fil_resp_decoder_fini(&decoder);
}

static void test_usual_commands_allocate_nothing(void **state)
{
    (void)state;
    size_t size = 0;
    fil_resp_decoder_init(&decoder, 1000, 4000);
    buffer_size = 0;
    add_text("*8\r\n");
    for (uint32_t i = 0; i < FIL_RESP_ARGUMENTS_USUAL; i++) {
        add_bulk(10);
    }
    uint64_t allocations = fil_alloc_count();
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(decode(&size), FIL_OK);
    }
    assert_int_equal(fil_alloc_count(), allocations);
    fil_resp_decoder_fini(&decoder);
}

static void test_short_inline_commands_allocate_nothing(void **state)
{
    (void)state;
    fil_resp_decoder_init(&decoder, 1000, 4000);
    for (size_t length = FIL_RESP_INLINE_BYTES_USUAL; length <= 257; length++) {
        size_t size = 0;
        buffer_size = 0;
        add_text("PING \"");
        while (buffer_size < length - 2) {
            add_text("x");
        }
        add_text("\"\r\n"); // the line ends before its newline
        uint64_t allocations = fil_alloc_count();
        assert_int_equal(decode(&size), FIL_OK);
        assert_int_equal(size, length + 1);
        assert_int_equal(fil_resp_argument(&command, 1).size, length - 8);
        assert_int_equal(fil_alloc_count() - allocations,
                         length <= FIL_RESP_INLINE_BYTES_USUAL ? 0 : 1);
    }
    fil_resp_decoder_fini(&decoder);
}

/** Not taken the first time: the same words from other bytes, without another reading. */
static void test_command_that_was_not_taken_comes_again(void **state)
{
    (void)state;
    static const char many[] = "*10\r\n$1\r\n0\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\n3\r\n$1\r\n4\r\n"
                               "$1\r\n5\r\n$1\r\n6\r\n$1\r\n7\r\n$1\r\n8\r\n$1\r\n9\r\n";
    static const char *const texts[] = {
        "*2\r\n$4\r\nECHO\r\n$2\r\nab\r\n",
        "\r\n*2\r\n$4\r\nECHO\r\n$2\r\nab\r\n",
        "echo \"ab\" c d e f g h i j k\r\n",
        many,
    };
    for (size_t i = 0; i < FIL_COUNT_OF(texts); i++) {
        char bytes[TEXT_MAX];
        char words[3][TEXT_MAX];
        size_t sizes[3];
        fil_resp_decoder_init(&decoder, BULK_MAX, COMMAND_MAX);
        for (uint32_t round = 0; round < 3; round++) {
            // Further each time, with more behind it; what was there before is gone.
            memset(bytes, 'x', sizeof(bytes));
            (void)snprintf(bytes + round, sizeof(bytes) - round, "%s%.*s", texts[i], (int)round,
                           "*1");
            struct fil_bytes all = fil_bytes_of(bytes + round);
            struct fil_writer writer;
            fil_writer_init(&writer, words[round], sizeof(words[round]));
            assert_int_equal(fil_resp_decode(&decoder, all, &command, &sizes[round]), FIL_OK);
            write_command(&writer, &command);
            if (round < 2) {
                fil_resp_decoder_keep(&decoder, all, &command, sizes[round]);
                assert_int_equal(fil_resp_decoder_expected(&decoder), 0);
            }
        }
        assert_string_equal(words[0], words[1]);
        assert_string_equal(words[0], words[2]);
        assert_int_equal(sizes[0], strlen(texts[i]));
        assert_int_equal(sizes[2], sizes[0]);
        fil_resp_decoder_fini(&decoder);
    }
}

static void test_every_failed_allocation_is_an_error(void **state)
{
    (void)state;
    static const char *const problems[] = {"out of memory for an inline command",
                                           "out of memory for the command's arguments"};
    size_t size = 0;
    for (int64_t position = 0; position < 4; position++) {
        buffer_size = 0;
        for (uint32_t i = 0; i < 20; i++) {
            add_text("word             "); // together longer than what needs no block
        }
        add_text("\r\n");
        fil_resp_decoder_init(&decoder, 1000, 4000);
        fil_alloc_fail_after(position);
        int error = decode(&size);
        fil_alloc_fail_after(-1);
        assert_int_equal(error, position < 3 ? FIL_E_NOMEM : FIL_OK);
        if (error != FIL_OK) {
            assert_string_equal(decoder.problem, problems[position == 0 ? 0 : 1]);
        }
        fil_resp_decoder_fini(&decoder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_commands_give_their_words),
        cmocka_unit_test(test_bad_commands_give_redis_texts),
        cmocka_unit_test(test_every_prefix_asks_for_more),
        cmocka_unit_test(test_inline_commands_follow_redis_quoting),
        cmocka_unit_test(test_bulk_limit_is_exact),
        cmocka_unit_test(test_command_limit_is_exact),
        cmocka_unit_test(test_command_limit_has_no_way_round),
        cmocka_unit_test(test_inline_limit_is_exact),
        cmocka_unit_test(test_argument_limit_is_exact),
        cmocka_unit_test(test_pieces_cost_no_more_than_the_whole),
        cmocka_unit_test(test_incomplete_bulk_tells_what_it_needs),
        cmocka_unit_test(test_empty_commands_can_be_dropped_while_one_is_incomplete),
        cmocka_unit_test(test_decoder_that_is_done_holds_no_memory),
        cmocka_unit_test(test_usual_commands_allocate_nothing),
        cmocka_unit_test(test_short_inline_commands_allocate_nothing),
        cmocka_unit_test(test_command_that_was_not_taken_comes_again),
        cmocka_unit_test(test_every_failed_allocation_is_an_error),
    };
    return cmocka_run_group_tests_name("resp_decoder", tests, NULL, NULL);
}
