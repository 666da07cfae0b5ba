// SPDX-License-Identifier: Apache-2.0
/**
 * Expressions: values, precedence and kinds are as the header says; what cannot be is refused where
 * it stands; nothing overflows, divides by zero or nests too deep; refused memory is an error.
 */
#include "core/pipeline/expression.h"
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

struct trade {
    int64_t time;
    char symbol[8];
    int64_t price;
    double weight;
};

static const struct fil_field fields[] = {
    FIL_TIME(struct trade, time), FIL_TEXT(struct trade, symbol), FIL_I64(struct trade, price),
    FIL_F64(struct trade, weight)};
static const struct fil_type type = FIL_TYPE(struct trade, fields);
static const struct trade trade = {.time = 7, .symbol = "NUT", .price = -20, .weight = 2.5};

static struct fil_arena arena;

static int set_up(void **state)
{
    (void)state;
    fil_arena_init(&arena, 1024, 1U << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_arena_fini(&arena);
    return 0;
}

static int64_t integer_of(const char *source)
{
    const struct fil_expression *expression = NULL;
    struct fil_expression_fault fault;
    assert_int_equal(
        fil_expression_compile(&arena, &type, fil_bytes_of(source), &expression, &fault), FIL_OK);
    return fil_expression_run(expression, &trade).integer;
}

static double real_of(const char *source)
{
    const struct fil_expression *expression = NULL;
    struct fil_expression_fault fault;
    assert_int_equal(
        fil_expression_compile(&arena, &type, fil_bytes_of(source), &expression, &fault), FIL_OK);
    assert_int_equal(fil_expression_kind(expression), FIL_VALUE_F64);
    return fil_expression_run(expression, &trade).real;
}

static void test_values_are_as_written(void **state)
{
    (void)state;
    assert_int_equal(integer_of("1 + 2 * 3 - 4"), 3);
    assert_int_equal(integer_of("(1 + 2) * 3"), 9);
    assert_int_equal(integer_of("--price"), -20);
    assert_int_equal(integer_of("price / 3"), -6);
    assert_int_equal(integer_of("price % 3"), -2);
    assert_int_equal(integer_of("abs(price) + min(1, 2) + max(1, 2) + time"), 30);
    assert_int_equal(integer_of("length(symbol)"), 3);
    assert_int_equal(integer_of("i64(weight * 3)"), 7);
    assert_int_equal(integer_of("if(price < 0, 1, 2)"), 1);
    assert_true(real_of("weight + 1") == 3.5);
    assert_true(real_of("if(true, 1, weight)") == 1.0);
    assert_true(real_of("f64(price) / 8") == -2.5);
}

static void test_conditions_are_as_written(void **state)
{
    (void)state;
    assert_int_equal(integer_of("price < 0 and symbol == \"NUT\""), 1);
    assert_int_equal(integer_of("price > 0 or symbol != 'NUT'"), 0);
    assert_int_equal(integer_of("not price > 0 and true"), 1);
    assert_int_equal(integer_of("false and true or true"), 1);
    assert_int_equal(integer_of("symbol >= 'NUS' and symbol < 'NUTS'"), 1);
    assert_int_equal(integer_of("contains(symbol, 'U') and starts_with(symbol, 'NU')"), 1);
    assert_int_equal(integer_of("starts_with(symbol, 'NUTS')"), 0);
    assert_int_equal(integer_of("weight <= 2.5 and weight >= 2.5 and 2 < weight"), 1);
    assert_int_equal(integer_of("(price < 0) == true"), 1);
    assert_int_equal(integer_of("weight * 0 / 0 == weight * 0 / 0"), 0);
}

static void test_nothing_overflows_or_traps(void **state)
{
    (void)state;
    assert_int_equal(integer_of("9223372036854775807 + 1"), INT64_MIN);
    assert_int_equal(integer_of("(0 - 9223372036854775807 - 1) / (0 - 1)"), INT64_MIN);
    assert_int_equal(integer_of("(0 - 9223372036854775807 - 1) % (0 - 1)"), 0);
    assert_int_equal(integer_of("-(0 - 9223372036854775807 - 1)"), INT64_MIN);
    assert_int_equal(integer_of("price / 0 + price % 0"), 0);
    assert_int_equal(integer_of("i64(weight * 9223372036854775807.0)"), INT64_MAX);
    assert_int_equal(integer_of("i64(weight * 0 / 0)"), 0);
}

static void expect_fault(const char *source, size_t position, const char *text)
{
    const struct fil_expression *expression = NULL;
    struct fil_expression_fault fault;
    assert_int_equal(
        fil_expression_compile(&arena, &type, fil_bytes_of(source), &expression, &fault),
        FIL_E_INVALID);
    assert_string_equal(fault.text, text);
    assert_int_equal(fault.position, position);
}

static void test_mistakes_are_told_where_they_stand(void **state)
{
    (void)state;
    expect_fault("", 0, "the expression ends too early");
    expect_fault("price >", 7, "the expression ends too early");
    expect_fault("(price", 6, "expected ')'");
    expect_fault("price = 3", 6, "'=' is not expected here: equal is ==");
    expect_fault("price 3", 6, "'3' is not expected here");
    expect_fault("1 + colour", 4, "there is no field 'colour'");
    expect_fault("1 + symbol", 2, "cannot add i64 and text");
    expect_fault("weight % 2", 7, "cannot take the rest of f64 and i64");
    expect_fault("symbol < 3", 7, "cannot compare text with i64");
    expect_fault("true < false", 5, "cannot compare bool with bool");
    expect_fault("price and true", 6, "'and' needs conditions on both sides, not i64");
    expect_fault("not price", 0, "'not' needs a condition, not i64");
    expect_fault("-symbol", 0, "cannot negate text");
    expect_fault("symbol == \"NUT", 10, "the text has no end: \" is missing");
    expect_fault("99999999999999999999", 0, "'99999999999999999999' is no number");
    expect_fault("1.2.3", 0, "'1.2.3' is no number");
    expect_fault("sine(1)", 0, "there is no function 'sine'");
    expect_fault("abs(1, 2)", 0, "abs takes 1 argument, not 2");
    expect_fault("min(1)", 0, "min takes 2 arguments, not 1");
    expect_fault("abs(1", 5, "expected ',' or ')'");
    expect_fault("length(3)", 0, "length does not take arguments of these kinds: i64");
    expect_fault("if(1, 2, 3)", 0, "if does not take arguments of these kinds: i64, i64");
    expect_fault("price @ 3", 6, "'@' is not expected here");
}

static void test_depth_and_size_are_bounded(void **state)
{
    (void)state;
    char deep[300];
    memset(deep, '(', sizeof(deep));
    deep[sizeof(deep) - 1] = '\0';
    expect_fault(deep, 64, "nested deeper than 64");
    memset(deep, '-', sizeof(deep) - 1);
    expect_fault(deep, 63, "nested deeper than 64");
    char long_sum[4096] = "1";
    for (size_t i = 1; i < sizeof(long_sum) - 2; i += 2) {
        memcpy(long_sum + i, "+1", 3);
    }
    const struct fil_expression *expression = NULL;
    struct fil_expression_fault fault;
    assert_int_equal(
        fil_expression_compile(&arena, &type, fil_bytes_of(long_sum), &expression, &fault),
        FIL_E_INVALID);
    assert_string_equal(fault.text, "more than 512 parts");
}

static void test_refused_memory_is_an_error(void **state)
{
    (void)state;
    const struct fil_expression *expression = NULL;
    struct fil_expression_fault fault;
    fil_alloc_fail_after(0);
    int error =
        fil_expression_compile(&arena, &type, fil_bytes_of("price + 1"), &expression, &fault);
    fil_alloc_fail_after(-1);
    assert_int_equal(error, FIL_E_NOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_values_are_as_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_conditions_are_as_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_overflows_or_traps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mistakes_are_told_where_they_stand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_depth_and_size_are_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused_memory_is_an_error, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("expression", tests, NULL, NULL);
}
