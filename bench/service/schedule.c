// SPDX-License-Identifier: Apache-2.0
#include "bench/service/schedule.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/base/bytes.h"

#define NS_PER_MS UINT64_C(1000000)
#define BIN_NS    (100 * NS_PER_MS)

/** "700" or "700:2000". */
static bool read_step(struct fil_bytes text, uint64_t *out_rate, uint64_t *out_ms)
{
    size_t colon = fil_bytes_find(text, ':');
    *out_ms = 0;
    if (!fil_bytes_to_u64(fil_bytes_make(text.data, colon), out_rate) || *out_rate == 0) {
        return false;
    }
    return colon == text.size ||
           fil_bytes_to_u64(fil_bytes_make(text.data + colon + 1, text.size - colon - 1), out_ms);
}

bool schedule_read(struct schedule *schedule, const char *text)
{
    struct fil_bytes all = fil_bytes_of(text);
    uint64_t until_ns = 0;
    for (size_t start = 0; start <= all.size;) {
        struct fil_bytes rest = fil_bytes_make(all.data + start, all.size - start);
        size_t size = fil_bytes_find(rest, ',');
        uint64_t rate = 0;
        uint64_t length_ms = 0;
        if (schedule->step_count == SCHEDULE_STEPS_MAX ||
            !read_step(fil_bytes_make(rest.data, size), &rate, &length_ms)) {
            return false;
        }
        until_ns += length_ms * NS_PER_MS;
        schedule->steps[schedule->step_count++] =
            (struct schedule_step){.rate = (double)rate, .until_ns = until_ns};
        start += size + 1;
    }
    return true;
}

double schedule_rate(const struct schedule *schedule, double elapsed_ns)
{
    uint32_t i = 0;
    while (i + 1 < schedule->step_count && elapsed_ns >= (double)schedule->steps[i].until_ns) {
        i++;
    }
    return schedule->steps[i].rate;
}

struct schedule_bin *schedule_bin(struct schedule *schedule, uint64_t elapsed_ns)
{
    uint64_t index = elapsed_ns / BIN_NS;
    return &schedule->bins[index < SCHEDULE_BINS_MAX ? index : SCHEDULE_BINS_MAX - 1];
}

void schedule_print(const struct schedule *schedule, double seconds)
{
    uint32_t count = schedule->step_count > 1 ? (uint32_t)(seconds * 10) : 0;
    (void)printf(", \"bins\": [");
    for (uint32_t i = 0; i < count && i < SCHEDULE_BINS_MAX; i++) {
        const struct schedule_bin *bin = &schedule->bins[i];
        (void)printf("%s[%" PRIu64 ", %" PRIu64 "]", i == 0 ? "" : ", ", bin->due, bin->ok);
    }
    (void)printf("]}\n");
}
