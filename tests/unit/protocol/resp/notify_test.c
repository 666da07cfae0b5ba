// SPDX-License-Identifier: Apache-2.0
/**
 * Keyspace notifications, one test a promise: letters name classes and are told in Redis's order,
 * wrong ones are refused; every command that writes keys has a rule for what it tells. What is told
 * is compared with Redis's messages by tests/integration/redis_scripts_test.py.
 */
#include <string.h>

#include "protocol/resp/command.h"
#include "protocol/resp/notify.h"
#include "protocol/resp/notify_internal.h"
#include "tests/unit/harness.h"

static void expect_text(const char *letters, const char *text)
{
    char told[FIL_RESP_NOTIFY_TEXT_MAX];
    uint32_t classes = 0;
    assert_true(fil_resp_notify_parse(fil_bytes_of(letters), &classes));
    fil_resp_notify_text(classes, told);
    assert_string_equal(told, text);
}

static void test_letters_are_told_in_one_order(void **state)
{
    (void)state;
    expect_text("", "");
    expect_text("KEA", "AKE");
    expect_text("EtzhK", "hztKE");
    expect_text("g$lshzxetd", "A");
    expect_text("gg$", "g$");
    expect_text("nmKAE", "AKEm");
    expect_text("nm$KE", "$nKEm");
}

static void test_what_names_no_class_is_refused(void **state)
{
    (void)state;
    uint32_t classes = 0;
    assert_false(fil_resp_notify_parse(fil_bytes_of("KEq"), &classes));
    assert_false(fil_resp_notify_parse(fil_bytes_of("k"), &classes));
    assert_false(fil_resp_notify_parse(fil_bytes_make("K\0", 2), &classes));
}

static void test_every_command_that_writes_has_a_rule(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < fil_resp_command_count(); i++) {
        const struct fil_resp_command_info *info = fil_resp_command_at(i);
        bool is_writer = info->plan != NULL && (info->flags & FIL_RESP_WRITE) != 0;
        if (is_writer && fil_resp_notify__find(info->name) == NULL) {
            fail_msg("%s tells nothing", info->name);
        }
    }
    assert_null(fil_resp_notify__find("get"));
    assert_null(fil_resp_notify__find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_letters_are_told_in_one_order),
        cmocka_unit_test(test_what_names_no_class_is_refused),
        cmocka_unit_test(test_every_command_that_writes_has_a_rule),
    };
    return cmocka_run_group_tests_name("notify", tests, NULL, NULL);
}
