// SPDX-License-Identifier: Apache-2.0
/** INFO: figures of the member, in Redis's sections. */
#include <inttypes.h>

#include "filbert/error.h"
#include "grid/map/map.h"
#include "lib/base/cursor.h"
#include "lib/base/units.h"
#include "lib/os/process.h"
#include "protocol/resp/command.h"
#include "protocol/resp/database.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/key.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

#define NS_PER_SECOND  UINT64_C(1000000000)
#define INFO_BYTES_MAX 32768U // a line of a command has 91 at most

static void info_server(struct fil_resp_server *server, struct fil_writer *text)
{
    uint64_t up_ns = fil_env_now_ns(server->options.env) - server->started_ns;
    fil_writer_format(text,
                      "# Server\r\nredis_version:%s\r\nredis_mode:standalone\r\n"
                      "filbert_version:%s\r\nmember_name:%s\r\nprocess_id:%u\r\ntcp_port:%u\r\n"
                      "uptime_in_seconds:%" PRIu64 "\r\nuptime_in_days:%" PRIu64
                      "\r\narch_bits:%u\r\nmultiplexing_api:epoll\r\n",
                      FIL_RESP_REDIS_VERSION, FIL_VERSION, server->options.member_name,
                      fil_process_id(), (unsigned)server->options.port, up_ns / NS_PER_SECOND,
                      up_ns / NS_PER_SECOND / 86400U, (unsigned)(8 * sizeof(void *)));
}

static struct fil_resp_stats read_stats(struct fil_resp_server *server)
{
    struct fil_resp_stats stats = {0};
    server->options.read_stats(server->options.context, &stats);
    return stats;
}

static void info_clients(struct fil_resp_server *server, struct fil_writer *text)
{
    fil_writer_format(text, "# Clients\r\nconnected_clients:%" PRIu64 "\r\n",
                      read_stats(server).connections);
}

static void info_memory(struct fil_resp_server *server, struct fil_writer *text)
{
    char used[FIL_UNITS_TEXT_MAX];
    char limit[FIL_UNITS_TEXT_MAX];
    uint64_t used_bytes = fil_budget_drawn(server->options.budget);
    uint64_t limit_bytes = server->options.budget->limit_bytes;
    struct fil_process_usage usage;
    fil_process_measure(&usage);
    fil_writer_format(text,
                      "# Memory\r\nused_memory:%" PRIu64 "\r\nused_memory_human:%s\r\n"
                      "used_memory_rss:%" PRIu64 "\r\nmaxmemory:%" PRIu64
                      "\r\nmaxmemory_human:%s\r\nmaxmemory_policy:%s\r\n"
                      "mem_fragmentation_ratio:%.2f\r\n",
                      used_bytes, fil_units_human_size(used_bytes, used), usage.resident_bytes,
                      limit_bytes, fil_units_human_size(limit_bytes, limit),
                      fil_resp_database_policy(server),
                      used_bytes == 0 ? 1.0 : (double)usage.resident_bytes / (double)used_bytes);
}

/** Of all databases together. */
static struct fil_map_stats read_keyspace(struct fil_resp_server *server)
{
    struct fil_map_stats sum = {0};
    for (uint32_t i = 0; i < FIL_RESP_DATABASES; i++) {
        const struct fil_map *map = fil_resp_database_find(server, i);
        if (map != NULL) {
            struct fil_map_stats stats;
            fil_map_read_stats(map, &stats);
            sum.gets += stats.gets;
            sum.hits += stats.hits;
            sum.expired += stats.expired;
            sum.evicted += stats.evicted;
        }
    }
    return sum;
}

static void info_stats(struct fil_resp_server *server, struct fil_writer *text)
{
    struct fil_resp_stats stats = read_stats(server);
    struct fil_map_stats keyspace = read_keyspace(server);
    fil_writer_format(
        text,
        "# Stats\r\ntotal_connections_received:%" PRIu64 "\r\ntotal_commands_processed:%" PRIu64
        "\r\ntotal_net_input_bytes:%" PRIu64 "\r\ntotal_net_output_bytes:%" PRIu64
        "\r\nrejected_connections:%" PRIu64 "\r\nexpired_keys:%" PRIu64 "\r\nevicted_keys:%" PRIu64
        "\r\nkeyspace_hits:%" PRIu64 "\r\nkeyspace_misses:%" PRIu64 "\r\n",
        stats.accepted, stats.requests, stats.received_bytes, stats.sent_bytes, stats.refused,
        keyspace.expired, keyspace.evicted, keyspace.hits, keyspace.gets - keyspace.hits);
}

static void info_persistence(struct fil_resp_server *server, struct fil_writer *text)
{
    (void)server;
    fil_writer_format(text, "# Persistence\r\nloading:0\r\nrdb_changes_since_last_save:0\r\n"
                            "rdb_bgsave_in_progress:0\r\nrdb_last_bgsave_status:ok\r\n"
                            "aof_enabled:0\r\naof_rewrite_in_progress:0\r\n");
}

static void info_replication(struct fil_resp_server *server, struct fil_writer *text)
{
    (void)server;
    fil_writer_format(text, "# Replication\r\nrole:master\r\nconnected_slaves:0\r\n"
                            "master_failover_state:no-failover\r\n");
}

static void info_cpu(struct fil_resp_server *server, struct fil_writer *text)
{
    struct fil_process_usage usage;
    (void)server;
    fil_process_measure(&usage);
    fil_writer_format(text,
                      "# CPU\r\nused_cpu_sys:%" PRIu64 ".%06" PRIu64 "\r\nused_cpu_user:%" PRIu64
                      ".%06" PRIu64 "\r\n",
                      usage.system_ns / NS_PER_SECOND, usage.system_ns % NS_PER_SECOND / 1000,
                      usage.user_ns / NS_PER_SECOND, usage.user_ns % NS_PER_SECOND / 1000);
}

static void info_modules(struct fil_resp_server *server, struct fil_writer *text)
{
    (void)server;
    fil_writer_format(text, "# Modules\r\n");
}

static void info_cluster(struct fil_resp_server *server, struct fil_writer *text)
{
    (void)server;
    fil_writer_format(text, "# Cluster\r\ncluster_enabled:0\r\n");
}

/** What a command took is not measured. */
static void info_commandstats(struct fil_resp_server *server, struct fil_writer *text)
{
    fil_writer_format(text, "# Commandstats\r\n");
    fil_mutex_lock(&server->mutex);
    for (uint32_t i = 0; i < fil_resp_command_count(); i++) {
        struct fil_resp_calls sum = fil_resp_tally_sum(server, i);
        if (sum.calls > 0 || sum.rejected > 0) {
            fil_writer_format(text, "cmdstat_%s:calls=%" PRIu64 ",rejected_calls=%" PRIu64 "\r\n",
                              fil_resp_command_at(i)->name, sum.calls, sum.rejected);
        }
    }
    fil_mutex_unlock(&server->mutex);
}

/** How many keys expire is not counted. */
static void info_keyspace(struct fil_resp_server *server, struct fil_writer *text)
{
    fil_writer_format(text, "# Keyspace\r\n");
    for (uint32_t i = 0; i < FIL_RESP_DATABASES; i++) {
        struct fil_map *map = fil_resp_database_find(server, i);
        uint64_t keys = map == NULL ? 0 : fil_resp_key_count(map);
        if (keys > 0) {
            fil_writer_format(text, "db%u:keys=%" PRIu64 ",expires=0,avg_ttl=0\r\n", i, keys);
        }
    }
}

struct info_section {
    const char *name;
    void (*write)(struct fil_resp_server *server, struct fil_writer *text);
    bool is_extra; // shown to those who ask for it, or for everything
};

static const struct info_section info_sections[] = {
    {"server", info_server, false},
    {"clients", info_clients, false},
    {"memory", info_memory, false},
    {"persistence", info_persistence, false},
    {"stats", info_stats, false},
    {"replication", info_replication, false},
    {"cpu", info_cpu, false},
    {"modules", info_modules, false},
    {"commandstats", info_commandstats, true},
    {"cluster", info_cluster, false},
    {"keyspace", info_keyspace, false},
};

/** Whether INFO's arguments ask for the section; no argument asks for the usual ones. */
static bool is_wanted(const struct fil_resp_command *command, const struct info_section *section)
{
    const char *const words[] = {section->name, "all", "everything",
                                 section->is_extra ? section->name : "default"};
    bool is_found = command->count == 1 && !section->is_extra;
    for (uint32_t i = 1; i < command->count && !is_found; i++) {
        for (size_t k = 0; k < FIL_COUNT_OF(words) && !is_found; k++) {
            is_found = fil_resp_word_is(command, i, words[k]);
        }
    }
    return is_found;
}

FIL_RESP_HANDLER(info)
{
    char memory[INFO_BYTES_MAX];
    struct fil_writer text;
    bool is_first = true;
    fil_writer_init(&text, memory, sizeof(memory));
    for (size_t i = 0; i < FIL_COUNT_OF(info_sections); i++) {
        if (is_wanted(command, &info_sections[i])) {
            fil_writer_format(&text, "%s", is_first ? "" : "\r\n");
            info_sections[i].write(session->server, &text);
            is_first = false;
        }
    }
    fil_resp_verbatim(fil_resp_output(session), fil_resp_version(session),
                      fil_writer_written(&text));
}
