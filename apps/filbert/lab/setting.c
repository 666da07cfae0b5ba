// SPDX-License-Identifier: Apache-2.0
#include "setting.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/attr.h"

#define NO_CALLER   "partition.caller_runs=false"
#define NO_STEALING "partition.stealing=false"
#define NO_BATCHING "partition.batching=false"
#define NO_SUPPRESS "partition.wake_suppression=false"
#define NO_WRITE    "partition.write_through=false"
#define ALL_OFF     NO_CALLER " " NO_STEALING " " NO_BATCHING " " NO_SUPPRESS " " NO_WRITE

static const char ladder[] = "From textbook SEDA to the defaults, one switch after the other";
static const char single[] = "The defaults with one switch off";
static const char idle[] = "What idle threads do";
static const char io_threads[] = "I/O threads";
static const char partition_threads[] = "Partition threads, everything handed over to them";
static const char cores[] = "Which cores";
static const char models[] = "Other architectures, as models";

static const struct lab_setting settings[] = {
    {.name = "textbook", .group = ladder, .title = "all switches off", .options = ALL_OFF},
    {.name = "plus_wake_suppression",
     .group = ladder,
     .title = "+ wake suppression",
     .options = NO_CALLER " " NO_STEALING " " NO_BATCHING " " NO_WRITE},
    {.name = "plus_batching",
     .group = ladder,
     .title = "+ batching",
     .options = NO_CALLER " " NO_STEALING " " NO_WRITE},
    {.name = "plus_write_through",
     .group = ladder,
     .title = "+ write-through",
     .options = NO_CALLER " " NO_STEALING},
    {.name = "plus_stealing", .group = ladder, .title = "+ stealing", .options = NO_CALLER},
    {.name = "defaults", .group = ladder, .title = "+ caller-runs: the defaults", .options = ""},

    {.name = "no_batching", .group = single, .title = "no batching", .options = NO_BATCHING},
    {.name = "no_wake_suppression",
     .group = single,
     .title = "no wake suppression",
     .options = NO_SUPPRESS},
    {.name = "no_write_through", .group = single, .title = "no write-through", .options = NO_WRITE},
    {.name = "no_stealing", .group = single, .title = "no stealing", .options = NO_STEALING},

    {.name = "io_backoff", .group = idle, .title = "I/O: backoff", .options = "net.idle=backoff"},
    {.name = "io_spin", .group = idle, .title = "I/O: spin", .options = "net.idle=spin"},
    {.name = "partition_backoff",
     .group = idle,
     .title = "handed over, partition: backoff",
     .options = NO_CALLER " partition.idle=backoff"},
    {.name = "partition_spin",
     .group = idle,
     .title = "handed over, partition: spin",
     .options = NO_CALLER " partition.idle=spin"},

    {.name = "io_1", .group = io_threads, .title = "1", .options = "net.io_threads=1"},
    {.name = "io_2", .group = io_threads, .title = "2", .options = "net.io_threads=2"},
    {.name = "io_4", .group = io_threads, .title = "4", .options = "net.io_threads=4"},
    {.name = "io_16", .group = io_threads, .title = "16", .options = "net.io_threads=16"},

    {.name = "partition_1",
     .group = partition_threads,
     .title = "1",
     .options = NO_CALLER " partition.threads=1"},
    {.name = "partition_2",
     .group = partition_threads,
     .title = "2",
     .options = NO_CALLER " partition.threads=2"},
    {.name = "partition_4",
     .group = partition_threads,
     .title = "4",
     .options = NO_CALLER " partition.threads=4"},
    {.name = "partition_16",
     .group = partition_threads,
     .title = "16",
     .options = NO_CALLER " partition.threads=16"},
    {.name = "partition_64",
     .group = partition_threads,
     .title = "64",
     .options = NO_CALLER " partition.threads=64"},

    {.name = "one_core",
     .group = cores,
     .title = "defaults, one core",
     .options = "",
     .place = LAB_PLACE_ONE},
    {.name = "all_cores",
     .group = cores,
     .title = "defaults, all cores with the load",
     .options = "",
     .place = LAB_PLACE_ALL},
    {.name = "split_cores",
     .group = cores,
     .title = "handed over, I/O first core, partitions last",
     .options = NO_CALLER " net.cpus=@first partition.cpus=@last",
     .place = LAB_PLACE_ALL},
    {.name = "all_cores_textbook",
     .group = cores,
     .title = "all switches off, all cores with the load",
     .options = ALL_OFF,
     .place = LAB_PLACE_ALL},

    {.name = "blocking",
     .group = models,
     .title = "a blocking thread a connection",
     .options = "",
     .kind = LAB_KIND_BLOCKING},
    {.name = "loop",
     .group = models,
     .title = "one event loop, no partitions",
     .options = "",
     .kind = LAB_KIND_LOOP},
    {.name = "sharded",
     .group = models,
     .title = "sharded event loops",
     .options = "",
     .kind = LAB_KIND_SHARDED},
    {.name = "seda",
     .group = models,
     .title = "textbook SEDA",
     .options = "",
     .kind = LAB_KIND_SEDA},
};

uint32_t lab_setting_count(void)
{
    return FIL_COUNT_OF(settings);
}

const struct lab_setting *lab_setting_at(uint32_t index)
{
    fil_assert(index < FIL_COUNT_OF(settings));
    return &settings[index];
}

const struct lab_setting *lab_setting_find(struct fil_bytes name)
{
    for (uint32_t i = 0; i < FIL_COUNT_OF(settings); i++) {
        if (fil_bytes_equal_text(name, settings[i].name)) {
            return &settings[i];
        }
    }
    return NULL;
}

/** Puts a number where a placeholder ends the text. */
static void replace_end(char *text, uint32_t capacity, const char *placeholder, uint32_t number)
{
    char *found = strstr(text, placeholder);
    if (found != NULL && found[strlen(placeholder)] == '\0') {
        size_t room = capacity - (size_t)(found - text);
        (void)snprintf(found, room, "%u", number);
    }
}

bool lab_setting_next_option(const char **options, struct lab_setting_cpus cpus, char *text,
                             uint32_t capacity)
{
    const char *begin = *options + strspn(*options, " ");
    size_t size = strcspn(begin, " ");
    if (size == 0) {
        return false;
    }
    fil_assert(size < capacity);
    memcpy(text, begin, size);
    text[size] = '\0';
    replace_end(text, capacity, "@first", cpus.first);
    replace_end(text, capacity, "@last", cpus.last);
    *options = begin + size;
    return true;
}
