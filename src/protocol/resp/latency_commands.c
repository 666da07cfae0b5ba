// SPDX-License-Identifier: Apache-2.0
/**
 * LATENCY: the slow table as Redis tells of events. An event is the name of an operation that held
 * a thread for longer than slow.threshold.
 */
#include <string.h>

#include "core/exec/slow_table.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define NS_PER_MS     UINT64_C(1000000)
#define EVENTS_MAX    64U // names; the table has few

/** What is told of one name; the table may have it several times, by where it was held. */
struct event {
    char name[FIL_SLOW_OP_MAX];
    uint64_t last_wall_ns;
    uint64_t last_ns;
    uint64_t max_ns;
};

struct gathering {
    uint64_t since_ns; // the last reset
    struct event events[EVENTS_MAX];
    uint32_t count;
};

static struct event *find_or_add(struct gathering *gathering, const char *name)
{
    for (uint32_t i = 0; i < gathering->count; i++) {
        if (strcmp(gathering->events[i].name, name) == 0) {
            return &gathering->events[i];
        }
    }
    if (gathering->count == EVENTS_MAX) {
        return NULL; // the longest come first
    }
    struct event *event = &gathering->events[gathering->count++];
    memcpy(event->name, name, strlen(name) + 1);
    return event;
}

static void gather(void *context, const struct fil_slow_entry *entry)
{
    struct gathering *gathering = context;
    struct event *event =
        entry->last_wall_ns <= gathering->since_ns ? NULL : find_or_add(gathering, entry->op);
    if (event == NULL) {
        return;
    }
    if (entry->last_wall_ns > event->last_wall_ns) {
        event->last_wall_ns = entry->last_wall_ns;
        event->last_ns = entry->last_ns;
    }
    event->max_ns = entry->max_ns > event->max_ns ? entry->max_ns : event->max_ns;
}

static void read_events(struct fil_resp_server *server, struct gathering *out_gathering)
{
    // Relaxed: a number of its own.
    out_gathering->since_ns = atomic_load_explicit(&server->latency_reset_ns, memory_order_relaxed);
    out_gathering->count = 0;
    memset(out_gathering->events, 0, sizeof(out_gathering->events));
    if (server->options.slow != NULL) {
        fil_slow_table_each(server->options.slow, gather, out_gathering);
    }
}

static void write_latest(struct fil_resp_session *session)
{
    struct fil_output *output = fil_resp_output(session);
    struct gathering gathering;
    read_events(session->server, &gathering);
    fil_resp_array(output, gathering.count);
    for (uint32_t i = 0; i < gathering.count; i++) {
        const struct event *event = &gathering.events[i];
        fil_resp_array(output, 4);
        fil_resp_bulk_text(output, event->name);
        fil_resp_integer(output, (int64_t)(event->last_wall_ns / NS_PER_SECOND));
        fil_resp_integer(output, (int64_t)(event->last_ns / NS_PER_MS));
        fil_resp_integer(output, (int64_t)(event->max_ns / NS_PER_MS));
    }
}

/** The last time of an event is all that is kept of it. */
static void write_history(struct fil_resp_session *session, struct fil_bytes name)
{
    struct fil_output *output = fil_resp_output(session);
    struct gathering gathering;
    read_events(session->server, &gathering);
    for (uint32_t i = 0; i < gathering.count; i++) {
        const struct event *event = &gathering.events[i];
        if (fil_bytes_equal_text(name, event->name)) {
            fil_resp_array(output, 1);
            fil_resp_array(output, 2);
            fil_resp_integer(output, (int64_t)(event->last_wall_ns / NS_PER_SECOND));
            fil_resp_integer(output, (int64_t)(event->last_ns / NS_PER_MS));
            return;
        }
    }
    fil_resp_array(output, 0);
}

static void reset(struct fil_resp_session *session)
{
    struct fil_resp_server *server = session->server;
    struct gathering gathering;
    read_events(server, &gathering);
    atomic_store_explicit(&server->latency_reset_ns, fil_env_wall_ns(server->options.env),
                          memory_order_relaxed);
    fil_resp_integer(fil_resp_output(session), gathering.count);
}

FIL_RESP_HANDLER(latency)
{
    static const char *const lines[] = {
        "LATENCY <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "LATEST",
        "    Return name, time, last and longest duration of operations that were slow.",
        "HISTORY <event>",
        "    Return time and duration of the last one of that name.",
        "RESET",
        "    Forget all of them; return how many there were.",
        "HELP",
        "    Print this help.",
    };
    bool is_latest = fil_resp_word_is(command, 1, "latest");
    bool is_history = fil_resp_word_is(command, 1, "history");
    if ((is_latest && command->count != 2) || (is_history && command->count != 3)) {
        fil_resp_error(fil_resp_output(session),
                       "ERR wrong number of arguments for 'latency|%s' command",
                       is_latest ? "latest" : "history");
    } else if (is_latest) {
        write_latest(session);
    } else if (is_history) {
        write_history(session, fil_resp_argument(command, 2));
    } else if (fil_resp_word_is(command, 1, "reset") && command->count == 2) {
        reset(session);
    } else {
        fil_resp__help(session, command, "latency", lines, FIL_COUNT_OF(lines));
    }
}
