// SPDX-License-Identifier: Apache-2.0
/**
 * The options' contract, one test a promise:
 * the table is sound and its defaults arrive in the struct, the words of choices are those that
 * their modules know, the limits that depend on each other are checked, and the docs page is what
 * the table says.
 */
#include "node/options.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/attr.h"
#include "lib/conf/conf.h"
#include "lib/log/format.h"
#include "tests/unit/harness.h"

#define PAGE_PATH "docs/configuration.md"
#define PAGE_SIZE (64 * 1024)

static struct fil_options options;
static struct fil_conf conf;

static int set_up(void **state)
{
    (void)state;
    memset(&options, 0x5A, sizeof(options));
    return fil_conf_init(&conf, &fil_options_table, &options);
}

static int tear_down(void **state)
{
    (void)state;
    fil_conf_fini(&conf);
    return 0;
}

static void test_defaults_arrive_in_the_struct(void **state)
{
    (void)state;
    char text[FIL_ADDRESS_TEXT_MAX];
    assert_string_equal(options.member.name, "filbert");
    assert_string_equal(options.cluster.name, "dev");
    assert_string_equal(fil_address_format(&options.net.listen, text), "127.0.0.1:5701");
    assert_int_equal(options.net.io_threads, 0);
    assert_int_equal(options.net.idle, FIL_IDLE_KIND_BLOCK);
    assert_int_equal(options.net.backlog, 4096);
    assert_int_equal(options.net.connections_max, 65000);
    assert_int_equal(options.net.handshake_bytes_max, 4096);
    assert_int_equal(options.net.handshake_timeout_ns, UINT64_C(10000000000));
    assert_int_equal(options.net.frame_bytes_max, 513 * UINT64_C(1048576));
    assert_int_equal(options.net.output_bytes_max, 1048576);
    assert_int_equal(options.net.stall_timeout_ns, UINT64_C(30000000000));
    assert_int_equal(options.net.idle_timeout_ns, 0);
    assert_int_equal(options.memory.limit, 0);
    assert_int_equal(options.log.level, FIL_LOG_INFO);
    assert_int_equal(options.log.format, FIL_OPTIONS_LOG_AUTO);
    assert_int_equal(options.stop.timeout_ns, UINT64_C(10000000000));
}

static void test_defaults_fit_together(void **state)
{
    (void)state;
    assert_int_equal(fil_conf_check(&conf), FIL_OK);
}

static void test_handshake_larger_than_a_frame_is_a_mistake(void **state)
{
    (void)state;
    assert_int_equal(fil_conf_set(&conf, "net.frame_bytes_max=64KiB", "--set"), FIL_OK);
    assert_int_equal(fil_conf_set(&conf, "net.handshake_bytes_max=64KiB", "--set"), FIL_OK);
    assert_int_equal(fil_conf_check(&conf), FIL_OK);
    assert_int_equal(fil_conf_set(&conf, "net.handshake_bytes_max=65KiB", "--set"), FIL_OK);
    assert_int_equal(fil_conf_check(&conf), FIL_E_CONFIG);
    assert_string_equal(fil_conf_message(&conf, 0),
                        "flag --set: 'net.handshake_bytes_max' (65KiB) is larger than "
                        "'net.frame_bytes_max' (64KiB): lower the first or raise the second");
}

static void test_lists_of_a_file_are_what_one_line_says(void **state)
{
    (void)state;
    const char *file = "map:\n"
                       "  named:\n"
                       "    - {name: orders*, ttl: 60s, eviction: lru}\n"
                       "    - sessions\n"
                       "executor.named: []\n";
    assert_int_equal(fil_conf_load_yaml(&conf, "test.yaml", fil_bytes_of(file)), FIL_OK);
    assert_string_equal(options.map.named, "orders* ttl=1m eviction=lru; sessions");
    assert_string_equal(options.executor.named, "none");
    const char *const environment[] = {"FILBERT_EXECUTOR__NAMED=mail; reports threads=4", NULL};
    assert_int_equal(fil_conf_load_environment(&conf, environment), FIL_OK);
    assert_string_equal(options.executor.named, "mail; reports threads=4");
    assert_int_equal(fil_conf_set(&conf, "map.named=none", "--set"), FIL_OK);
    assert_string_equal(options.map.named, "none");
    assert_int_equal(fil_conf_check(&conf), FIL_OK);
}

static void test_list_that_is_too_long_is_refused(void **state)
{
    (void)state;
    static char file[16384];
    struct fil_writer writer;
    fil_writer_init(&writer, file, sizeof(file));
    fil_writer_text(&writer, "map.named:\n");
    for (uint32_t i = 0; i < 500; i++) {
        fil_writer_format(&writer, "- a_rather_long_name_%u\n", i);
    }
    assert_false(writer.is_full);
    int error = fil_conf_load_yaml(&conf, "test.yaml", fil_writer_written(&writer));
    assert_int_equal(error, FIL_E_CONFIG);
    assert_non_null(strstr(fil_conf_message(&conf, 0), "'map.named' has more than 4095 bytes"));
    assert_string_equal(options.map.named, "none");
}

static void test_cpus_are_a_list_or_all(void **state)
{
    (void)state;
    struct fil_cpu_set cpus;
    assert_int_equal(fil_options_cpus(options.net.cpus, &cpus), FIL_E_NOT_FOUND);
    assert_int_equal(fil_conf_set(&conf, "partition.cpus=1,3", "--set"), FIL_OK);
    assert_int_equal(fil_conf_check(&conf), FIL_OK);
    assert_int_equal(fil_options_cpus(options.partition.cpus, &cpus), FIL_OK);
    assert_int_equal(fil_cpu_set_count(&cpus), 2);
    assert_int_equal(fil_conf_set(&conf, "partition.cpus=most", "--set"), FIL_OK);
    assert_int_equal(fil_conf_check(&conf), FIL_E_CONFIG);
    assert_string_equal(fil_conf_message(&conf, 0),
                        "flag --set: 'partition.cpus' takes processors, not 'most': write 0-3,8 "
                        "or all");
}

static const char *const *words_of(const char *name)
{
    const struct fil_option *option = fil_option_table_find(&fil_options_table, fil_bytes_of(name));
    assert_non_null(option);
    return option->choices;
}

static void test_words_are_those_of_the_modules(void **state)
{
    (void)state;
    const char *const *levels = words_of("log.level");
    size_t count = 0;
    for (; levels[count] != NULL; count++) {
        enum fil_log_level level = FIL_LOG_ERROR;
        assert_true(fil_log_level_parse(fil_bytes_of(levels[count]), &level));
        assert_int_equal(level, count);
    }
    assert_int_equal(count, FIL_LOG_LEVEL_COUNT);

    const char *const *kinds = words_of("net.idle");
    for (size_t i = 0; kinds[i] != NULL; i++) {
        enum fil_idle_kind kind = FIL_IDLE_KIND_SPIN;
        assert_int_equal(fil_idle_parse(fil_bytes_of(kinds[i]), &kind), FIL_OK);
        assert_int_equal(kind, i);
    }

    const char *const *formats = words_of("log.format");
    for (size_t i = 0; formats[i] != NULL; i++) {
        enum fil_log_format format;
        assert_true(fil_log_format_parse(fil_bytes_of(formats[i]), false, &format));
    }
}

static void test_log_level_changes_at_run_time(void **state)
{
    (void)state;
    char reason[FIL_CONF_MESSAGE_MAX + 1];
    assert_int_equal(fil_conf_change(&conf, "log.level", "debug", reason), FIL_OK);
    assert_int_equal(options.log.level, FIL_LOG_DEBUG);
    assert_int_equal(fil_conf_change(&conf, "net.listen", ":1", reason), FIL_E_UNSUPPORTED);
}

static void test_environment_reaches_the_options(void **state)
{
    (void)state;
    const char *const entries[] = {"FILBERT_NET__IO_THREADS=2", "FILBERT_LOG__FORMAT=json", NULL};
    assert_int_equal(fil_conf_load_environment(&conf, entries), FIL_OK);
    assert_int_equal(options.net.io_threads, 2);
    assert_int_equal(options.log.format, FIL_OPTIONS_LOG_JSON);
}

static void test_variables_of_clients_and_kubernetes_are_no_mistakes(void **state)
{
    (void)state;
    const char *const client[] = {"FILBERT_ADDRESS=127.0.0.1:5701", NULL};
    assert_int_equal(fil_conf_load_environment(&conf, client), FIL_OK);
    assert_int_equal(conf.ignored_count, 0);
    const char *const pod[] = {"FILBERT_PORT=tcp://10.0.0.1:5701",
                               "FILBERT_SERVICE_HOST=10.0.0.1",
                               "FILBERT_SERVICE_PORT=5701",
                               "FILBERT_SERVICE_PORT_CLIENTS=5701",
                               "FILBERT_PORT_5701_TCP=tcp://10.0.0.1:5701",
                               "FILBERT_PORT_5701_TCP_PROTO=tcp",
                               "FILBERT_PORT_5701_TCP_PORT=5701",
                               "FILBERT_PORT_5701_TCP_ADDR=10.0.0.1",
                               NULL};
    assert_int_equal(fil_conf_load_environment(&conf, pod), FIL_OK);
    assert_int_equal(conf.ignored_count, 8);
    const char *const slip[] = {"FILBERT_NET_LISTEN=127.0.0.1:5701", NULL};
    assert_int_equal(fil_conf_load_environment(&conf, slip), FIL_E_CONFIG);
}

static void test_docs_page_is_what_the_table_says(void **state)
{
    (void)state;
    static char written[PAGE_SIZE];
    static char kept[PAGE_SIZE];
    struct fil_writer writer;
    fil_writer_init(&writer, written, sizeof(written));
    assert_int_equal(fil_options_docs(&writer), FIL_OK);

    FILE *file = fopen(PAGE_PATH, "rb");
    assert_non_null(file);
    size_t size = fread(kept, 1, sizeof(kept), file);
    assert_int_equal(fclose(file), 0);
    if (!fil_bytes_equal(fil_bytes_make(kept, size), fil_writer_written(&writer))) {
        fail_msg("%s is out of date, run: build/filbert config docs > %s", PAGE_PATH, PAGE_PATH);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_defaults_arrive_in_the_struct),
        TEST(test_defaults_fit_together),
        TEST(test_handshake_larger_than_a_frame_is_a_mistake),
        TEST(test_lists_of_a_file_are_what_one_line_says),
        TEST(test_list_that_is_too_long_is_refused),
        TEST(test_cpus_are_a_list_or_all),
        TEST(test_words_are_those_of_the_modules),
        TEST(test_log_level_changes_at_run_time),
        TEST(test_environment_reaches_the_options),
        TEST(test_variables_of_clients_and_kubernetes_are_no_mistakes),
        TEST(test_docs_page_is_what_the_table_says),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
