// SPDX-License-Identifier: Apache-2.0
/**
 * What a thread does when its cycles moved nothing: the idle strategy.
 *
 *   block     park at once: no cpu is burnt, each wake-up costs a system call
 *   backoff   spin, then yield, then park: short gaps cost no wake-up
 *   spin      never park: the lowest latency, and a whole cpu
 *
 * The strategy only says what to do next; the thread's loop does it. One owner.
 */
#pragma once

#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"

enum fil_idle_kind {
    FIL_IDLE_KIND_BLOCK,
    FIL_IDLE_KIND_BACKOFF,
    FIL_IDLE_KIND_SPIN
};

enum fil_idle_step {
    FIL_IDLE_SPIN,  // pause the cpu for a moment and look again
    FIL_IDLE_YIELD, // let another thread run and look again
    FIL_IDLE_PARK,  // sleep until woken
};

/** How often backoff spins and yields before it parks, unless told otherwise. */
#define FIL_IDLE_SPIN_COUNT  200U
#define FIL_IDLE_YIELD_COUNT 20U

struct fil_idle {
    enum fil_idle_kind kind;
    uint32_t spin_count;
    uint32_t yield_count;
    uint32_t turn; // fruitless turns since the last reset, as far as they matter
};

void fil_idle_init(struct fil_idle *idle, enum fil_idle_kind kind);

/** As init, with backoff's counts chosen by the caller; zero leaves that phase out. */
void fil_idle_init_counts(struct fil_idle *idle, enum fil_idle_kind kind, uint32_t spin_count,
                          uint32_t yield_count);

/** There was work: the next idle time starts from the beginning. */
static inline void fil_idle_reset(struct fil_idle *idle)
{
    idle->turn = 0;
}

/** There was none: what to do now. After the first PARK it stays PARK until reset. */
enum fil_idle_step fil_idle_next(struct fil_idle *idle);

/** "block", "backoff" or "spin"; FIL_E_NOT_FOUND for anything else. */
int fil_idle_parse(struct fil_bytes text, enum fil_idle_kind *out_kind) FIL_NODISCARD;

const char *fil_idle_name(enum fil_idle_kind kind);
