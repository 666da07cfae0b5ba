// SPDX-License-Identifier: Apache-2.0
/** What the watchdog does with what it has found: asks, notes, tells. */
#include <string.h>

#include "core/exec/watchdog_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/log/log.h"
#include "lib/os/stack_sample.h"
#include "lib/os/thread_state.h"

#define SAMPLE_TIMEOUT_NS INT64_C(10000000)

/** What the system says of the thread; an unknown state when it says nothing. */
static struct fil_slow_state ask_system(const struct fil_watchdog_finding *finding)
{
    struct fil_slow_state state = {.kind = FIL_SLOW_UNKNOWN, .call = "", .is_disturbed = false};
    struct fil_thread_state found;
    if (finding->thread_id == FIL_WATCHDOG_NO_THREAD ||
        fil_thread_state_read(finding->thread_id, &found) != FIL_OK) {
        return state;
    }
    state.kind = found.is_running ? FIL_SLOW_RUNNING : FIL_SLOW_ASLEEP;
    state.call = found.call;
    state.is_disturbed = !found.is_running && !found.is_restarted;
    memcpy(state.channel, found.channel, sizeof(state.channel));
    return state;
}

/** Not of a thread whose sleep a signal would cut short: it has a system call to be known by. */
static void ask_thread(struct fil_watchdog *watchdog, const struct fil_watchdog_finding *finding,
                       const struct fil_slow_state *state, struct fil_stack_sample *out_stack)
{
    out_stack->count = 0;
    if (!watchdog->has_stacks || finding->thread_id == FIL_WATCHDOG_NO_THREAD ||
        state->is_disturbed) {
        return;
    }
    // Whatever hinders it, an operation without a stack is better told than not.
    if (fil_stack_sample_take(finding->thread_id, SAMPLE_TIMEOUT_NS, out_stack) != FIL_OK) {
        out_stack->count = 0;
        fil_counter_add(&watchdog->stats.blind, 1);
    }
}

static void tell(struct fil_watchdog *watchdog, const struct fil_watchdog_finding *finding,
                 const struct fil_slow_state *state, const struct fil_slow_entry *entry,
                 uint64_t untold_count)
{
    // The innermost frame, where it is known, saves many a look at the page.
    struct fil_bytes stack = fil_bytes_of(entry == NULL ? "" : entry->stack);
    struct fil_bytes place = fil_bytes_make(stack.data, fil_bytes_find(stack, '\n'));
    if (finding->partition_id == FIL_OP_NO_PARTITION) {
        fil_log_event(watchdog->options.log, FIL_LOG_WARN, "slow_operation",
                      FIL_F_APART(FIL_F_TEXT("op", finding->op)),
                      FIL_F_TEXT("thread", finding->thread), FIL_F_NS("took", finding->took_ns),
                      FIL_F_TEXT("state", fil_slow_state_name(state->kind)),
                      FIL_F_TEXT("call", state->call), FIL_F_TEXT("waits_in", state->channel),
                      FIL_F_BYTES("at", place), FIL_F_U64("untold", untold_count));
        return;
    }
    fil_log_event(
        watchdog->options.log, FIL_LOG_WARN, "slow_operation",
        FIL_F_APART(FIL_F_TEXT("op", finding->op)), FIL_F_U64("partition", finding->partition_id),
        FIL_F_TEXT("thread", finding->thread), FIL_F_NS("took", finding->took_ns),
        FIL_F_TEXT("state", fil_slow_state_name(state->kind)), FIL_F_TEXT("call", state->call),
        FIL_F_BYTES("at", place), FIL_F_U64("untold", untold_count));
}

/** Enters it in the table; returns its entry. */
static const struct fil_slow_entry *note(struct fil_watchdog *watchdog,
                                         const struct fil_watchdog_finding *finding,
                                         const struct fil_slow_state *state, uint64_t wall_ns)
{
    struct fil_stack_sample stack;
    ask_thread(watchdog, finding, state, &stack);
    struct fil_slow_sighting sighting = {
        .op = finding->op,
        .thread = finding->thread,
        .partition_id = finding->partition_id,
        .took_ns = finding->took_ns,
        .wall_ns = wall_ns,
        .state = *state,
        .stack = &stack,
    };
    uint64_t serial = fil_slow_table_note(&watchdog->table, &sighting);
    fil_counter_add(&watchdog->stats.slow_ops, 1);
    if (finding->is_over) {
        fil_slow_table_finish(&watchdog->table, serial, wall_ns);
    } else {
        watchdog->watches[finding->index].serial = serial;
    }
    return fil_slow_table_peek(&watchdog->table, serial);
}

void fil_watchdog__report(struct fil_watchdog *watchdog, const struct fil_watchdog_finding *finding,
                          uint64_t now_ns, uint64_t wall_ns)
{
    uint64_t untold_count = 0;
    fil_assert(!finding->is_over || !finding->is_known);
    bool is_told = fil_slow_pace_ask(&watchdog->pace, finding->op, now_ns, &untold_count);
    if (finding->is_known && !is_told && !finding->is_fatal) {
        return;
    }
    struct fil_slow_state state = ask_system(finding);
    const struct fil_slow_entry *entry =
        finding->is_known
            ? fil_slow_table_peek(&watchdog->table, watchdog->watches[finding->index].serial)
            : note(watchdog, finding, &state, wall_ns);
    if (is_told || finding->is_fatal) {
        tell(watchdog, finding, &state, entry, untold_count);
    } else {
        fil_counter_add(&watchdog->stats.untold, 1);
    }
    // In tests: whatever holds a thread for so long is a bug of ours, and its stack is wanted.
    bool is_held_beyond_slow_abort_after = finding->is_fatal;
    fil_assert(!is_held_beyond_slow_abort_after);
}
