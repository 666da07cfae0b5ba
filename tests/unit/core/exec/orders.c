// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/core/exec/orders.h"

#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "core/exec/crew.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/conc/role.h"
#include "lib/conc/yield.h"
#include "lib/os/futex.h"
#include "lib/os/thread.h"

#define ACTORS_MAX    6U
#define STACK_BYTES   (64U * 1024U)
#define DECISIONS_MAX 4000U
#define STEPS_MAX     3000U // far more than any order needs that comes to its end
#define NOBODY        UINT32_MAX

enum status {
    RUNNABLE,
    ASLEEP,  // on a futex
    WAITING, // for a condition
    DONE,
};

struct actor {
    ucontext_t machine;
    orders_fn run;
    void *context;
    enum status status;
    const void *asleep_on;
    bool has_timeout;
    bool has_timed_out;
    orders_ready_fn is_ready;
    uint64_t called_at; // when it got its last turn

    // What a thread of its own would keep for it.
    uint32_t role_bits;
    const struct fil_crew *crew;
};

static uint8_t stacks[ACTORS_MAX][STACK_BYTES] __attribute__((aligned(64)));
static struct actor actors[ACTORS_MAX];
static uint32_t actor_count;
static uint32_t self = NOBODY; // who runs
static ucontext_t director;    // where an order begins and ends

/** One order is the list of decisions that led to it; the next differs in the last one left. */
static struct {
    uint32_t interruptions_max;
    uint32_t chosen[DECISIONS_MAX];
    uint32_t choices[DECISIONS_MAX];
    uint32_t decision_count; // of the order being played
    uint32_t depth;          // decisions made so far
    uint32_t interruptions;
    uint64_t call_count;
    uint32_t step_count;
    bool is_stuck;
    bool has_time_passed;
    struct {
        uint32_t actor;
        const char *where;
    } trace[STEPS_MAX];
} order;

static uint32_t decide(uint32_t choices)
{
    bool may_interrupt = order.interruptions < order.interruptions_max;
    if (choices == 1 || !may_interrupt) {
        return 0;
    }
    fil_assert(order.depth < DECISIONS_MAX);
    if (order.depth == order.decision_count) {
        order.chosen[order.depth] = 0;
        order.decision_count++;
    }
    order.choices[order.depth] = choices;
    uint32_t chosen = order.chosen[order.depth];
    fil_assert(chosen < choices); // else the actors are not deterministic
    order.depth++;
    order.interruptions += chosen > 0;
    return chosen;
}

/** Goes back to the last decision that had another choice; false when all orders were played. */
static bool next_order(void)
{
    while (order.decision_count > 0) {
        uint32_t last = order.decision_count - 1;
        if (order.chosen[last] + 1 < order.choices[last]) {
            order.chosen[last]++;
            return true;
        }
        order.decision_count--;
    }
    return false;
}

static bool can_run(struct actor *actor)
{
    if (actor->status == WAITING && actor->is_ready()) {
        actor->status = RUNNABLE;
    }
    return actor->status == RUNNABLE;
}

/** The others that can run, those first that have not run for longest. */
static uint32_t list_others(uint32_t *out_actors)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < actor_count; i++) {
        if (i == self || !can_run(&actors[i])) {
            continue;
        }
        uint32_t place = count;
        while (place > 0 && actors[out_actors[place - 1]].called_at > actors[i].called_at) {
            out_actors[place] = out_actors[place - 1];
            place--;
        }
        out_actors[place] = i;
        count++;
    }
    return count;
}

static uint32_t take_roles(void)
{
    uint32_t bits = 0;
#define TAKE(role) bits |= fil_role_is(&fil_role_##role) ? fil_role_##role.bit : 0;
    FIL_ROLES(TAKE)
#undef TAKE
    fil_role_leave_all();
    return bits;
}

static void give_roles(uint32_t bits)
{
#define GIVE(role)                         \
    if ((bits & fil_role_##role.bit) != 0) \
        fil_role_enter(&fil_role_##role);
    FIL_ROLES(GIVE)
#undef GIVE
}

/** The caller's context is kept in from; NOBODY is the director. */
static void go_to(ucontext_t *from, uint32_t next)
{
    struct actor *old = self == NOBODY ? NULL : &actors[self];
    const struct fil_crew *new_crew = next == NOBODY ? NULL : actors[next].crew;
    const struct fil_crew *old_crew = fil_crew_enter(new_crew);
    uint32_t old_roles = take_roles();
    if (old != NULL) {
        old->crew = old_crew;
        old->role_bits = old_roles;
    }
    self = next;
    order.call_count++;
    if (next != NOBODY) {
        actors[next].called_at = order.call_count;
        give_roles(actors[next].role_bits);
    }
    (void)swapcontext(from, next == NOBODY ? &director : &actors[next].machine);
}

static void call(uint32_t next)
{
    go_to(&actors[self].machine, next);
}

/** Nobody can run: the sleep that has a time ends first. */
static bool let_time_pass(void)
{
    for (uint32_t i = 0; i < actor_count; i++) {
        struct actor *actor = &actors[i];
        if (actor->status == ASLEEP && actor->has_timeout) {
            actor->status = RUNNABLE;
            actor->has_timed_out = true;
            order.has_time_passed = true;
            return true;
        }
    }
    return false;
}

static bool has_everybody_ended(void)
{
    for (uint32_t i = 0; i < actor_count; i++) {
        if (actors[i].status != DONE) {
            return false;
        }
    }
    return true;
}

/** Hands the turn over because this actor cannot go on; returns when it has the turn again. */
static void hand_over(void)
{
    uint32_t others[ACTORS_MAX];
    uint32_t count = list_others(others);
    bool can_go_on = can_run(&actors[self]);
    if (count == 0 && !can_go_on && let_time_pass()) {
        count = list_others(others);
        can_go_on = can_run(&actors[self]);
    }
    if (count > 0) {
        call(others[decide(count)]);
    } else if (!can_go_on) {
        order.is_stuck = !has_everybody_ended();
        call(NOBODY);
    }
}

/** The modules come here before every step on shared memory. */
void fil_yield_point(const char *where)
{
    if (self == NOBODY) {
        return; // the test itself, before or after the order
    }
    order.trace[order.step_count].actor = self;
    order.trace[order.step_count].where = where;
    order.step_count++;
    if (order.step_count == STEPS_MAX) {
        order.is_stuck = true; // somebody goes round in circles
        call(NOBODY);
    }
    uint32_t others[ACTORS_MAX];
    uint32_t count = list_others(others);
    uint32_t chosen = decide(1 + count);
    if (chosen > 0) {
        call(others[chosen - 1]);
    }
}

bool orders_has_time_passed(void)
{
    return order.has_time_passed;
}

void orders_step(void)
{
    FIL_YIELD_POINT();
}

void orders_wait_until(orders_ready_fn is_ready)
{
    actors[self].status = WAITING;
    actors[self].is_ready = is_ready;
    hand_over();
}

// What the code under test gets in the place of lib/os.

/** Whoever has not run for longest goes first: two that give way for ever are of no interest. */
void fil_thread_yield(void)
{
    uint32_t others[ACTORS_MAX];
    if (self != NOBODY && list_others(others) > 0) {
        call(others[0]);
    }
}

int fil_futex_wait(_Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns)
{
    fil_assert(self != NOBODY);
    if (atomic_load_explicit(word, memory_order_relaxed) != expected) {
        return FIL_E_AGAIN;
    }
    struct actor *actor = &actors[self];
    actor->status = ASLEEP;
    actor->asleep_on = word;
    actor->has_timeout = timeout_ns != FIL_WAIT_FOREVER;
    actor->has_timed_out = false;
    hand_over();
    return actor->has_timed_out ? FIL_E_TIMEOUT : FIL_OK;
}

void fil_futex_wake(_Atomic uint32_t *word, uint32_t count)
{
    fil_assert(count >= 1); // here a word has one sleeper, or all are woken
    for (uint32_t i = 0; i < actor_count; i++) {
        if (actors[i].status == ASLEEP && actors[i].asleep_on == word) {
            actors[i].status = RUNNABLE;
        }
    }
}

static void run_thread(void *context)
{
    struct fil_thread *thread = context;
    thread->entry(thread->context);
}

/** Threads are started by set_up, before or between other actors. */
int fil_thread_start_with(struct fil_thread *thread, const struct fil_thread_options *options)
{
    fil_assert(self == NOBODY);
    thread->entry = options->entry;
    thread->context = options->context;
    thread->is_started = true;
    thread->handle = (pthread_t)actor_count;
    orders_add(run_thread, thread);
    return FIL_OK;
}

static const struct fil_thread *joined;

static bool has_ended(void)
{
    return actors[(uint32_t)joined->handle].status == DONE;
}

/** One actor joins at a time. */
void fil_thread_join(struct fil_thread *thread)
{
    fil_assert(thread->is_started);
    joined = thread;
    orders_wait_until(has_ended);
    thread->is_started = false;
}

// The play.

static void act(void)
{
    actors[self].run(actors[self].context);
    actors[self].status = DONE;
    hand_over();
}

void orders_add(orders_fn run, void *context)
{
    fil_assert(actor_count < ACTORS_MAX);
    struct actor *actor = &actors[actor_count];
    *actor = (struct actor){.run = run, .context = context, .status = RUNNABLE};
    fil_assert(getcontext(&actor->machine) == 0);
    actor->machine.uc_stack.ss_sp = stacks[actor_count];
    actor->machine.uc_stack.ss_size = STACK_BYTES;
    actor->machine.uc_link = NULL;
    makecontext(&actor->machine, act, 0);
    actor_count++;
}

static void play_order(void)
{
    order.depth = 0;
    order.interruptions = 0;
    order.call_count = 0;
    order.step_count = 0;
    order.is_stuck = false;
    order.has_time_passed = false;
    uint32_t roles = take_roles();
    uint32_t all[ACTORS_MAX];
    uint32_t count = list_others(all);
    go_to(&director, all[decide(count)]);
    give_roles(roles);
}

static void print_order(void)
{
    uint32_t printed = order.step_count < 300 ? order.step_count : 300;
    for (uint32_t i = order.step_count - printed; i < order.step_count; i++) {
        (void)fprintf(stderr, "  %u %s\n", order.trace[i].actor, order.trace[i].where);
    }
}

struct orders_outcome orders_play(const struct orders_case *explored)
{
    struct orders_outcome outcome = {0};
    memset(&order, 0, sizeof(order));
    order.interruptions_max = explored->interruptions_max;
    do {
        actor_count = 0;
        explored->set_up();
        play_order();
        outcome.order_count++;
        outcome.is_stuck = order.is_stuck;
        outcome.is_wrong = !outcome.is_stuck && !explored->tear_down();
    } while (!outcome.is_stuck && !outcome.is_wrong && next_order());
    if (outcome.is_stuck || outcome.is_wrong) {
        print_order();
    }
    return outcome;
}
