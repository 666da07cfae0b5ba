// SPDX-License-Identifier: Apache-2.0
#include "node/options.h"

#include <stddef.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/units.h"
#include "lib/conf/conf.h"
#include "lib/log/log.h"
#include "node/executors.h"
#include "node/map_options.h"
#include "node/services.h"
#include "node/structure_rules.h"

#define KIB(count)     (INT64_C(1024) * (count))
#define MIB(count)     (KIB(1024) * (count))
#define GIB(count)     (MIB(1024) * (count))
#define US(count)      (INT64_C(1000) * (count))
#define MS(count)      (US(1000) * (count))
#define SECONDS(count) (MS(1000) * (count))
#define MINUTES(count) (SECONDS(60) * (count))
#define HOURS(count)   (MINUTES(60) * (count))
#define DAYS(count)    (HOURS(24) * (count))

static const char *const idle_words[] = {
    [FIL_IDLE_KIND_BLOCK] = "block",
    [FIL_IDLE_KIND_BACKOFF] = "backoff",
    [FIL_IDLE_KIND_SPIN] = "spin",
    NULL,
};

static const char *const policy_words[] = {
    [FIL_EXECUTOR_REJECT] = "reject",
    [FIL_EXECUTOR_WAIT] = "wait",
    NULL,
};

static const char *const admission_words[] = {
    [FIL_ADMISSION_ESTIMATE] = "estimate",
    [FIL_ADMISSION_FINAGLE] = "finagle",
    [FIL_ADMISSION_NONE] = "none",
    NULL,
};

static const char *const level_words[] = {
    [FIL_LOG_DEBUG] = "debug",
    [FIL_LOG_INFO] = "info",
    [FIL_LOG_WARN] = "warn",
    [FIL_LOG_ERROR] = "error",
    NULL,
};

static const char *const format_words[] = {
    [FIL_OPTIONS_LOG_AUTO] = "auto",
    [FIL_OPTIONS_LOG_LOGFMT] = "logfmt",
    [FIL_OPTIONS_LOG_JSON] = "json",
    [FIL_OPTIONS_LOG_HUMAN] = "human",
    NULL,
};

// clang-format off
#define FIL_OPTION_CHOICE_OF(name) FIL_OPTION_CHOICE

static const struct fil_option options[] = {
#define SECTION(section, text)
#define SECTION_END(section)
#define OPTION(section, field, tag, ...)                                                           \
    {.name = #section "." #field, .type = FIL_OPTION_##tag,                                        \
     .offset = offsetof(struct fil_options, section.FIL_NAME_##tag(field)), __VA_ARGS__},
#define TEXT(section, field, size_max, ...)                                                        \
    {.name = #section "." #field, .type = FIL_OPTION_TEXT, .maximum = (size_max),                  \
     .offset = offsetof(struct fil_options, section.field), __VA_ARGS__},
#define LIST(section, field, size_max, ...)                                                        \
    {.name = #section "." #field, .type = FIL_OPTION_LIST, .maximum = (size_max),                  \
     .offset = offsetof(struct fil_options, section.field), __VA_ARGS__},
#include "node/options.def"
};

static const struct fil_option_section sections[] = {
#define SECTION(section, text) {.name = #section, .doc = (text)},
#define SECTION_END(section)
#define OPTION(section, field, tag, ...)
#define TEXT(section, field, size_max, ...)
#define LIST(section, field, size_max, ...)
#include "node/options.def"
};
// clang-format on

int fil_options_cpus(const char *text, struct fil_cpu_set *out_cpus)
{
    return strcmp(text, "all") == 0 ? FIL_E_NOT_FOUND
                                    : fil_cpu_set_parse(fil_bytes_of(text), out_cpus);
}

const struct fil_cpu_set *fil_options_read_cpus(const char *text, struct fil_cpu_set *out_cpus)
{
    return fil_options_cpus(text, out_cpus) == FIL_OK ? out_cpus : NULL;
}

static void check_cpus(struct fil_conf *conf, const char *name, const char *text)
{
    struct fil_cpu_set cpus;
    int error = fil_options_cpus(text, &cpus);
    if (error != FIL_OK && error != FIL_E_NOT_FOUND) {
        fil_conf_complain(conf, name, "'%s' takes processors, not '%s': write 0-3,8 or all", name,
                          text);
    }
}

static void check_executors(struct fil_conf *conf, const struct fil_options *wanted)
{
    struct fil_executor_wish wishes[FIL_EXECUTORS_MAX];
    char problem[FIL_OPTION_REASON_MAX + 1];
    if (fil_executors_parse(wanted, wishes, problem) < 0) {
        fil_conf_complain(conf, "executor.named", "'executor.named': %s", problem);
    }
}

static void check_maps(struct fil_conf *conf, const struct fil_options *wanted)
{
    struct fil_map_rule rules[FIL_MAP_RULES_MAX];
    char problem[FIL_OPTION_REASON_MAX + 1];
    if (fil_map_options_rules(wanted, rules, problem) < 0) {
        fil_conf_complain(conf, "map.named", "'map.named': %s", problem);
    }
}

static void check_structures(struct fil_conf *conf, const struct fil_options *wanted)
{
    struct fil_structure_rules *rules = fil_alloc(sizeof(*rules));
    char problem[FIL_OPTION_REASON_MAX + 1] = "there is no memory";
    for (uint32_t i = 0; i < FIL_STRUCTURE_KINDS; i++) {
        enum fil_structure_kind kind = (enum fil_structure_kind)i;
        if (rules == NULL || fil_structure_rules_read(rules, kind, wanted, problem) != FIL_OK) {
            const char *name = fil_structure_rules_option(kind);
            fil_conf_complain(conf, name, "'%s': %s", name, problem);
        }
    }
    fil_free(rules);
}

static void check_services(struct fil_conf *conf, const struct fil_options *wanted)
{
    struct fil_service_pool_plan plans[FIL_SERVICE_POOLS_MAX];
    char problem[FIL_OPTION_REASON_MAX + 1];
    if (fil_services_plan(wanted, 1, plans, problem, sizeof(problem)) < 0) {
        fil_conf_complain(conf, "service.pools", "'service.pools': %s", problem);
    }
}

static void check_admin(struct fil_conf *conf, const struct fil_options *wanted)
{
    struct fil_address address;
    const char *text = wanted->admin.listen;
    if (strcmp(text, "none") != 0 && fil_address_parse(text, &address) != FIL_OK) {
        fil_conf_complain(conf, "admin.listen",
                          "'admin.listen' takes an address and a port as 127.0.0.1:5799, or none; "
                          "not '%s'",
                          text);
    }
}

static void check_together(struct fil_conf *conf, const void *target)
{
    const struct fil_options *wanted = target;
    check_cpus(conf, "net.cpus", wanted->net.cpus);
    check_cpus(conf, "partition.cpus", wanted->partition.cpus);
    check_cpus(conf, "generic.cpus", wanted->generic.cpus);
    check_cpus(conf, "event.cpus", wanted->event.cpus);
    check_cpus(conf, "executor.cpus", wanted->executor.cpus);
    check_executors(conf, wanted);
    check_maps(conf, wanted);
    check_structures(conf, wanted);
    check_services(conf, wanted);
    check_admin(conf, wanted);
    if (wanted->net.handshake_bytes_max > wanted->net.frame_bytes_max) {
        char handshake[FIL_UNITS_TEXT_MAX];
        char frame[FIL_UNITS_TEXT_MAX];
        fil_conf_complain(conf, "net.handshake_bytes_max",
                          "'net.handshake_bytes_max' (%s) is larger than 'net.frame_bytes_max' "
                          "(%s): lower the first or raise the second",
                          fil_units_format_size(wanted->net.handshake_bytes_max, handshake),
                          fil_units_format_size(wanted->net.frame_bytes_max, frame));
    }
}

// For the commands that talk to a member.
static const char *const environment_ignored[] = {"FILBERT_ADDRESS", NULL};

// Kubernetes tells each pod of a service named filbert so: FILBERT_PORT_5701_TCP=tcp://10.0.0.1:...
static const char *const environment_foreign[] = {"FILBERT_PORT", "FILBERT_SERVICE_HOST",
                                                  "FILBERT_SERVICE_PORT", NULL};

const struct fil_option_table fil_options_table = {
    .options = options,
    .count = FIL_COUNT_OF(options),
    .sections = sections,
    .section_count = FIL_COUNT_OF(sections),
    .environment_prefix = "FILBERT_",
    .environment_ignored = environment_ignored,
    .environment_foreign = environment_foreign,
    .list_hint = "'filbert config docs' lists all options",
    .check = check_together,
};

void fil_options_warn_ignored(const struct fil_conf *conf, struct fil_log *log)
{
    if (conf->ignored_count > 0) {
        fil_log_event(log, FIL_LOG_WARN, "variables_ignored", FIL_F_TEXT("first", conf->ignored),
                      FIL_F_U64("count", conf->ignored_count),
                      FIL_F_TEXT("why", "no option has such a name"));
    }
}

void fil_options_tell(const struct fil_conf *conf, struct fil_log *log)
{
    for (uint32_t i = 0; i < conf->table->count; i++) {
        const struct fil_option *option = &conf->table->options[i];
        char value[FIL_OPTION_TEXT_MAX + 1];
        char origin[FIL_CONF_ORIGIN_MAX + 1];
        if (conf->origins[i].source != FIL_CONF_DEFAULT &&
            fil_conf_get(conf, option->name, value) == FIL_OK) {
            fil_log_event(log, FIL_LOG_DEBUG, "option", FIL_F_TEXT("name", option->name),
                          FIL_F_TEXT("value", value),
                          FIL_F_TEXT("origin", fil_conf_origin(conf, option, origin)));
        }
    }
}

static const char page_head[] =
    "<!-- Made by `build/filbert config docs > docs/configuration.md`: edit src/node/options.def. "
    "-->\n"
    "\n"
    "# Configuration\n"
    "\n"
    "Every option has a default; a member starts without any configuration. A value comes from\n"
    "one of these, the later winning:\n"
    "\n"
    "1. its default,\n"
    "2. the configuration file (YAML),\n"
    "3. the environment: `FILBERT_`, then the name in capitals with `__` for the dot,\n"
    "4. a flag: `--set net.io_threads=2`.\n"
    "\n"
    "`filbert config show --origin` prints all values as YAML and where each came from. A\n"
    "variable that looks like an option's and is none is a mistake; others that begin with\n"
    "`FILBERT_`, such as those that Kubernetes sets, are ignored with a warning.\n"
    "\n"
    "In the file a section is a mapping, or stands before a dot. These two say the same:\n"
    "\n"
    "```yaml\n"
    "net:\n"
    "  listen: 0.0.0.0:5701\n"
    "```\n"
    "\n"
    "```yaml\n"
    "net.listen: 0.0.0.0:5701\n"
    "```\n"
    "\n"
    "An option that is a list has items; each has a name and, where they differ from the\n"
    "section's options, settings of its own:\n"
    "\n"
    "```yaml\n"
    "map:\n"
    "  named:\n"
    "    - name: orders*\n"
    "      ttl: 60s\n"
    "      eviction: lru\n"
    "    - name: sessions\n"
    "      max_idle: 30m\n"
    "```\n"
    "\n"
    "In the environment and in flags it is one line: `orders* ttl=60s eviction=lru; sessions\n"
    "max_idle=30m`, or `none`; the file takes that too.\n"
    "\n"
    "An unknown name, a value out of range, a name given twice, a list where one value belongs,\n"
    "anchors, aliases and tags are mistakes; the member says line, column and cure of each and\n"
    "does not start.\n"
    "\n"
    "Sizes are written as `4096`, `64KiB` (1024) or `64KB` (1000); durations as `250ms`, `10s`,\n"
    "`5m`, `1h` or `1d`; truth values as `true` or `false`.\n";

int fil_options_docs(struct fil_writer *writer)
{
    fil_writer_text(writer, page_head);
    return fil_conf_docs(&fil_options_table, writer);
}
