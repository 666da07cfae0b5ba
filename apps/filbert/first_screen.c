// SPDX-License-Identifier: Apache-2.0
#include "first_screen.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/units.h"
#include "lib/os/file.h"
#include "lib/os/thread_usage.h"
#include "node/hints.h"

/** Three paths of the longest kind, and all else. */
#define SCREEN_BYTES_MAX 32768U

/** How long the standard output may take nothing before the rest of the screen is dropped. */
#define PATIENCE_NS INT64_C(500000000)

/** More than these are not counted. */
#define THREADS_MAX 8192U

struct text {
    char bytes[SCREEN_BYTES_MAX];
    size_t size;
};

/** What does not fit is cut. */
FIL_PRINTF(2, 3) static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = sizeof(text->bytes) - text->size;
    int size = vsnprintf(text->bytes + text->size, room, format, arguments);
    va_end(arguments);
    fil_assert(size >= 0);
    text->size += (size_t)size < room ? (size_t)size : room - 1;
}

/** The next commands to try, as they work for this address: those that need nothing else first. */
static void add_hints(struct text *text, const struct fil_address *bound)
{
    char url[FIL_ADDRESS_TEXT_MAX];
    char flags[FIL_HINT_FLAGS_MAX];
    struct fil_address address = fil_hint_reachable(bound);
    (void)fil_address_format(&address, url);
    (void)fil_hint_redis_flags(&address, flags);
    bool is_default = strcmp(url, "127.0.0.1:5701") == 0;
    const char *flag = is_default ? "" : " --address ";
    const char *value = is_default ? "" : url;
    add(text, "\n  try       %s map put default greeting hello%s%s\n", command_program(), flag,
        value);
    add(text, "            %s map get default greeting%s%s\n", command_program(), flag, value);
    add(text, "            redis-cli %s get greeting\n", flags);
    add(text, "            curl http://%s/v1/maps/default/greeting\n", url);
    add(text, "            curl http://%s/\n\n", url);
}

static void add_member(struct text *text, const struct first_screen *screen)
{
    const struct fil_options *options = screen->options;
    char address[FIL_ADDRESS_TEXT_MAX];
    (void)fil_address_format(screen->bound, address);
    add(text, "\n  %sFilbert %s%s   member \"%s\"   cluster \"%s\"   ready in %" PRIu64 " ms\n\n",
        screen->is_bright ? "\033[1m" : "", FIL_VERSION, screen->is_bright ? "\033[0m" : "",
        options->member.name, options->cluster.name, screen->took_ns / 1000000);
    add(text, "  listen    %s   redis, hazelcast and http clients on one port\n", address);
    struct fil_address near = fil_hint_reachable(screen->bound);
    (void)fil_address_format(&near, address);
    add(text, "  console   http://%s/\n", address);
    add(text, "  metrics   http://%s/metrics\n", address);
}

/** Main, the log and all those that the screen does not name; 0 when the system does not tell. */
static uint32_t count_others(const struct fil_plan *plan)
{
    static uint32_t ids[THREADS_MAX];
    uint32_t count = fil_thread_usage_list(ids, FIL_COUNT_OF(ids));
    uint32_t named = 1 + plan->io_threads + plan->partition_threads + plan->generic_threads + 1 +
                     plan->event_threads + plan->stream_workers;
    return count > named ? count - named : 0;
}

static void add_threads(struct text *text, const struct fil_plan *plan)
{
    add(text, "  threads   1 acceptor, %u io (%s)\n", plan->io_threads, plan->io_reason);
    add(text, "            %u partition (%s)\n", plan->partition_threads, plan->partition_reason);
    add(text, "            %u generic (%s)\n", plan->generic_threads + 1, plan->generic_reason);
    add(text, "            %u event (%s)\n", plan->event_threads, plan->event_reason);
    add(text, "            %u stream (%s)\n", plan->stream_workers, plan->stream_reason);
    uint32_t others = count_others(plan);
    if (others > 0) {
        add(text, "            and %u that mostly sleep, see docs/threading.md\n", others);
    }
    if (plan->place_reason[0] != '\0') {
        add(text, "  places    %s\n", plan->place_reason);
    }
    add(text, "  slices    %s\n", plan->slice_reason);
}

void first_screen_show(const struct first_screen *screen)
{
    // Too large for a stack of unknown size; only main shows a screen, once.
    static struct text text;
    char memory[FIL_UNITS_TEXT_MAX];
    add_member(&text, screen);
    add_threads(&text, screen->plan);
    add(&text, "  memory    limit %s (%s)\n",
        fil_units_human_size(screen->plan->memory_bytes, memory), screen->plan->memory_reason);
    if (screen->plan->connections_reason[0] != '\0') {
        add(&text, "  clients   %u connections at most (%s)\n", screen->plan->connections_max,
            screen->plan->connections_reason);
    }
    add(&text, "  data      in memory only, gone when the member stops\n");
    add(&text, "  config    %s; %s config show --origin\n",
        screen->file == NULL ? "no file" : screen->file, command_program());
    add_hints(&text, screen->bound);
    // A courtesy: the member serves and ends well though nobody could read it.
    int error = fil_file_tell(STDOUT_FILENO, fil_bytes_make(text.bytes, text.size), PATIENCE_NS);
    (void)error;
}
