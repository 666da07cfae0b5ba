// SPDX-License-Identifier: Apache-2.0
#include "tests/interleave/explorer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/assert.h"
#include "tests/interleave/explored_atomic.h"
#include "tests/interleave/explorer_internal.h"

#define DEPTH_MAX       100000U
#define FRAMES_MAX      20000U
#define SNAPSHOTS_BYTES (UINT64_C(512) << 20)
#define CHOICES_MAX     (2U * FIL_EXPLORER_ACTORS_MAX)
#define LONELY_COMPARED 8U
#define PRIVATE_MAX     1000U // accesses to private memory before the others get a turn
#define TRACE_PRINTED   400U
#define NOBODY          UINT32_MAX

/** Who had the last turn, and how often somebody was interrupted so far; for bounded cases. */
struct turns {
    uint32_t last; // NOBODY: it does not mind
    uint32_t interruptions;
};

/** A state whose continuations are being played. */
struct frame {
    uint64_t snapshot; // where in the store of snapshots
    uint32_t trace_length;
    uint32_t choice_count;
    uint32_t next_choice;
    uint8_t choices[CHOICES_MAX];
    struct fil_state *state;
    struct turns turns;
};

struct trace_step {
    uint8_t choice;
    const char *where;
};

static struct {
    const struct fil_explorer_case *explored;
    struct fil_explorer_result result;
    struct fil_actor actors[FIL_EXPLORER_ACTORS_MAX];
    uint32_t actor_count;
    uint64_t now_ns;
    struct turns turns;

    uint32_t frame_count;
    uint64_t snapshots_used;
    uint32_t trace_length;
    uint32_t lonely_count;
    uint64_t private_count;
    bool is_checking;
    bool goes_on; // what rest said
    jmp_buf check_exit;
} explorer;

static struct frame frames[FRAMES_MAX];
static struct trace_step trace[DEPTH_MAX];
static uint8_t snapshots[SNAPSHOTS_BYTES];

// Failures.

void fil_explorer_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(explorer.result.failure, sizeof(explorer.result.failure), format, arguments);
    va_end(arguments);
    explorer.result.has_failed = true;
    if (fil_actor__self() != NULL) {
        fil_actor__stop(); // for ever: a failed schedule is not continued
    }
    fil_assert(explorer.is_checking);
    longjmp(explorer.check_exit, 1);
}

static void on_assertion(const char *text)
{
    fil_explorer_fail("%s", text);
}

static void print_trace(void)
{
    uint32_t first =
        explorer.trace_length > TRACE_PRINTED ? explorer.trace_length - TRACE_PRINTED : 0;
    for (uint32_t i = first; i < explorer.trace_length; i++) {
        const struct fil_actor *actor = &explorer.actors[trace[i].choice / 2];
        (void)fprintf(stderr, "  %4u %-10s %s%s\n", i, actor->name,
                      trace[i].choice % 2 != 0 ? "(buffered store) " : "",
                      trace[i].where == NULL ? "" : trace[i].where);
    }
    (void)fprintf(stderr, "  %s: %s\n", explorer.explored->name, explorer.result.failure);
}

// What actors call.

struct fil_actor *fil_explorer__actor(uint32_t number)
{
    return &explorer.actors[number];
}

uint32_t fil_explorer__actor_count(void)
{
    return explorer.actor_count;
}

uint32_t fil_explorer_add(const char *name, fil_explorer_fn run, void *context)
{
    fil_assert(explorer.actor_count < FIL_EXPLORER_ACTORS_MAX);
    struct fil_actor *actor = &explorer.actors[explorer.actor_count];
    (void)snprintf(actor->name, sizeof(actor->name), "%s", name);
    actor->run = run;
    actor->context = context;
    fil_actor__init(actor, explorer.actor_count);
    explorer.actor_count++;
    return actor->number;
}

void fil_explorer__step(const char *where, bool needs_empty_buffer)
{
    struct fil_actor *actor = fil_actor__self();
    actor->state.status = FIL_ACTOR_RUNNABLE;
    actor->state.where = where;
    actor->state.needs_empty_buffer = needs_empty_buffer;
    fil_actor__stop();
}

bool fil_explorer__sleep(const void *place, uint64_t wake_at_ns)
{
    struct fil_actor_state *state = &fil_actor__self()->state;
    state->status = FIL_ACTOR_ASLEEP;
    state->where = "(asleep)";
    state->needs_empty_buffer = false;
    state->asleep_on = place;
    state->wake_at_ns = wake_at_ns;
    state->was_woken = 0;
    fil_actor__stop();
    bool was_woken = state->was_woken != 0;
    state->was_woken = 0;
    return was_woken;
}

void fil_explorer__wake(const void *place)
{
    for (uint32_t i = 0; i < explorer.actor_count; i++) {
        struct fil_actor_state *state = &explorer.actors[i].state;
        if (state->status == FIL_ACTOR_ASLEEP && state->asleep_on == place) {
            state->status = FIL_ACTOR_RUNNABLE;
            state->asleep_on = NULL;
            state->wake_at_ns = 0;
            state->was_woken = 1;
        }
    }
}

void fil_explorer_wait_until(fil_explorer_ready_fn is_ready, void *context)
{
    struct fil_actor_state *state = &fil_actor__self()->state;
    state->status = FIL_ACTOR_WAITING;
    state->where = "(waiting)";
    state->needs_empty_buffer = false;
    state->is_ready = is_ready;
    state->ready_context = context;
    fil_actor__stop();
    state->is_ready = NULL;
    state->ready_context = NULL;
}

/** Whether the actor may be waiting for something that the others have not touched so far. */
static bool is_long_alone(void)
{
    explorer.private_count++;
    return explorer.private_count > PRIVATE_MAX;
}

static void check_place(const void *place, const char *where)
{
    if (fil_world__is_freed(place)) {
        fil_explorer_fail("%s uses a block that has been freed", where);
    }
}

void fil_explored_before_load(const void *object, const char *where)
{
    struct fil_actor *actor = fil_actor__self();
    if (actor == NULL) {
        return;
    }
    check_place(object, where);
    bool is_shared = fil_sharing__note(object, actor->number, false);
    if (is_shared || is_long_alone()) {
        fil_explorer__step(where, false);
    }
}

void fil_explored_before_update(const void *object, const char *where)
{
    struct fil_actor *actor = fil_actor__self();
    if (actor == NULL) {
        return;
    }
    check_place(object, where);
    bool is_shared = fil_sharing__note(object, actor->number, true);
    if (is_shared || is_long_alone() || actor->state.store_count > 0) {
        fil_explorer__step(where, true);
    }
}

bool fil_explored_store_is_buffered(const void *object, bool is_ordered, const char *where)
{
    struct fil_actor *actor = fil_actor__self();
    if (actor == NULL) {
        return false;
    }
    if (is_ordered || !explorer.explored->has_store_buffers) {
        fil_explored_before_update(object, where);
        return false;
    }
    return fil_sharing__note(object, actor->number, true);
}

void fil_explored_buffer_store(void *object, size_t size, uint64_t value)
{
    fil_actor__buffer(object, size, value);
}

void fil_explorer__give_way(void)
{
    explorer.turns.last = NOBODY;
}

void fil_explorer_touch(void *memory)
{
    fil_explored_before_update(memory, "(touch)");
}

uint64_t fil_explorer_now_ns(void)
{
    fil_explored_before_load(&explorer.now_ns, "(clock)");
    return explorer.now_ns;
}

void fil_explorer_advance(uint64_t elapsed_ns)
{
    fil_explored_before_update(&explorer.now_ns, "(clock moves)");
    explorer.now_ns += elapsed_ns;
}

// States.

static uint64_t hash_state(void)
{
    uint64_t hash = fil_world__hash(explorer.now_ns);
    if (explorer.explored->interruptions_max > 0) {
        hash = fil_explorer__hash(&explorer.turns, sizeof(explorer.turns), hash);
    }
    for (uint32_t i = 0; i < explorer.actor_count; i++) {
        const struct fil_actor *actor = &explorer.actors[i];
        size_t head = offsetof(struct fil_actor_state, stores) +
                      actor->state.store_count * sizeof(struct fil_actor_store);
        hash = fil_explorer__hash(&actor->state, head, hash);
        if (actor->state.status != FIL_ACTOR_DONE) {
            hash = fil_explorer__hash(&actor->machine, FIL_ACTOR_REGISTERS, hash);
            hash = fil_explorer__hash(actor->stack_low, fil_actor__stack_size(actor), hash);
        }
    }
    return hash;
}

static void save_snapshot(struct frame *frame)
{
    frame->snapshot = explorer.snapshots_used;
    fil_assert(frame->snapshot + fil_world__size() + sizeof(explorer.actors) +
                   explorer.actor_count * FIL_ACTOR_STACK_BYTES <
               SNAPSHOTS_BYTES);
    uint8_t *place = snapshots + frame->snapshot;
    memcpy(place, &explorer.now_ns, sizeof(explorer.now_ns));
    place = fil_world__save(place + sizeof(explorer.now_ns));
    for (uint32_t i = 0; i < explorer.actor_count; i++) {
        const struct fil_actor *actor = &explorer.actors[i];
        memcpy(place, actor, sizeof(*actor));
        place += sizeof(*actor);
        memcpy(place, actor->stack_low, fil_actor__stack_size(actor));
        place += fil_actor__stack_size(actor);
    }
    explorer.snapshots_used = (uint64_t)(place - snapshots);
}

static void restore_snapshot(const struct frame *frame)
{
    const uint8_t *place = snapshots + frame->snapshot;
    memcpy(&explorer.now_ns, place, sizeof(explorer.now_ns));
    place = fil_world__restore(place + sizeof(explorer.now_ns));
    for (uint32_t i = 0; i < explorer.actor_count; i++) {
        struct fil_actor *actor = &explorer.actors[i];
        uint8_t *low = actor->stack_low;
        memcpy(actor, place, sizeof(*actor));
        place += sizeof(*actor);
        if (low < actor->stack_low) {
            memset(low, 0, (size_t)(actor->stack_low - low));
        }
        memcpy(actor->stack_low, place, fil_actor__stack_size(actor));
        place += fil_actor__stack_size(actor);
    }
}

// Choices: twice the actor's number is its next step, one more is its oldest buffered store.

static bool can_step(const struct fil_actor_state *state)
{
    switch (state->status) {
    case FIL_ACTOR_RUNNABLE:
        return !state->needs_empty_buffer || state->store_count == 0;
    case FIL_ACTOR_ASLEEP:
        return state->wake_at_ns <= explorer.now_ns;
    case FIL_ACTOR_WAITING:
        return state->is_ready(state->ready_context);
    case FIL_ACTOR_ABSENT:
    case FIL_ACTOR_DONE:
    default:
        return false;
    }
}

/** Whether it would be an interruption if another actor had the next step. */
static bool would_interrupt(uint32_t actor)
{
    uint32_t last = explorer.turns.last;
    return explorer.explored->interruptions_max > 0 && last != NOBODY && last != actor &&
           can_step(&explorer.actors[last].state);
}

static bool may_have_turn(uint32_t actor)
{
    return !would_interrupt(actor) ||
           explorer.turns.interruptions < explorer.explored->interruptions_max;
}

static uint32_t list_choices(uint8_t *out_choices)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < explorer.actor_count; i++) {
        const struct fil_actor_state *state = &explorer.actors[i].state;
        if (can_step(state) && may_have_turn(i)) {
            out_choices[count] = (uint8_t)(2 * i);
            count++;
        }
        if (state->store_count > 0) {
            out_choices[count] = (uint8_t)(2 * i + 1);
            count++;
        }
    }
    return count;
}

/** Everybody sleeps: the clock moves to the first one's time. False: nobody sleeps with a time. */
static bool let_time_pass(void)
{
    uint64_t next_ns = FIL_ACTOR_NEVER;
    for (uint32_t i = 0; i < explorer.actor_count; i++) {
        const struct fil_actor_state *state = &explorer.actors[i].state;
        if (state->status == FIL_ACTOR_ASLEEP && state->wake_at_ns < next_ns) {
            next_ns = state->wake_at_ns;
        }
    }
    if (next_ns == FIL_ACTOR_NEVER) {
        return false;
    }
    explorer.now_ns = next_ns;
    return true;
}

static void play(uint8_t choice)
{
    struct fil_actor *actor = &explorer.actors[choice / 2];
    fil_assert(explorer.trace_length < DEPTH_MAX);
    bool is_flush = choice % 2 != 0;
    trace[explorer.trace_length] =
        (struct trace_step){.choice = choice, .where = is_flush ? NULL : actor->state.where};
    explorer.trace_length++;
    explorer.result.step_count++;
    if (is_flush) {
        fil_actor__flush(actor);
        return;
    }
    explorer.turns.interruptions += would_interrupt(actor->number);
    explorer.turns.last = actor->number;
    actor->state.status = FIL_ACTOR_RUNNABLE;
    actor->state.asleep_on = NULL;
    actor->state.wake_at_ns = 0;
    explorer.private_count = 0;
    fil_actor__resume(actor);
}

// The search.

static bool has_everybody_ended(void)
{
    for (uint32_t i = 0; i < explorer.actor_count; i++) {
        if (explorer.actors[i].state.status != FIL_ACTOR_DONE) {
            return false;
        }
    }
    return true;
}

static void describe_deadlock(void)
{
    char text[FIL_EXPLORER_FAILURE_SIZE] = "deadlock:";
    size_t used = strlen(text);
    for (uint32_t i = 0; i < explorer.actor_count; i++) {
        const struct fil_actor *actor = &explorer.actors[i];
        if (actor->state.status != FIL_ACTOR_DONE && used < sizeof(text)) {
            int size = snprintf(text + used, sizeof(text) - used, " %s %s", actor->name,
                                actor->state.where);
            used += (size_t)size;
        }
    }
    explorer.result.has_failed = true;
    memcpy(explorer.result.failure, text, sizeof(text));
}

/** Nobody can go on and not all have ended: whether the case knows how. */
static bool rest(void)
{
    const struct fil_explorer_case *explored = explorer.explored;
    if (explored->rest == NULL || has_everybody_ended()) {
        return false;
    }
    explorer.is_checking = true;
    explorer.goes_on = false;
    if (setjmp(explorer.check_exit) == 0) {
        explorer.goes_on = explored->rest(explored->context);
    }
    explorer.is_checking = false;
    return explorer.goes_on;
}

/** Nobody can go on: either all is done and right, or something is wrong. */
static void end_schedule(void)
{
    if (explorer.result.has_failed) {
        return;
    }
    if (!has_everybody_ended()) {
        describe_deadlock();
        return;
    }
    explorer.result.end_count++;
    explorer.is_checking = true;
    if (setjmp(explorer.check_exit) == 0) {
        explorer.explored->check(explorer.explored->context);
    }
    explorer.is_checking = false;
}

static void describe_circle(const struct frame *frame)
{
    const struct fil_actor *actor = &explorer.actors[frame->choices[0] / 2];
    explorer.trace_length = frame->trace_length;
    explorer.result.has_failed = true;
    (void)snprintf(explorer.result.failure, sizeof(explorer.result.failure),
                   "no end can be reached, %s goes round in circles", actor->name);
}

/** Goes back to the last state that has a continuation left; false when there is none. */
static bool go_back(struct fil_way way)
{
    explorer.lonely_count = 0;
    while (explorer.frame_count > 0) {
        struct frame *frame = &frames[explorer.frame_count - 1];
        fil_states__add_way(frame->state, &way);
        if (frame->next_choice < frame->choice_count) {
            restore_snapshot(frame);
            explorer.turns = frame->turns;
            explorer.trace_length = frame->trace_length;
            frame->next_choice++;
            play(frame->choices[frame->next_choice - 1]);
            return true;
        }
        if (!fil_states__close(frame->state, &way)) {
            describe_circle(frame);
            return false;
        }
        explorer.snapshots_used = frame->snapshot;
        explorer.frame_count--;
    }
    explorer.result.schedule_count = way.schedule_count;
    return false;
}

/** Plays the state's first continuation, unless the state is known. */
static bool branch(const uint8_t *choices, uint32_t count)
{
    bool is_new = false;
    struct fil_state *state = fil_states__find(hash_state(), &is_new);
    if (!is_new) {
        return go_back(fil_states__way(state));
    }
    fil_assert(explorer.frame_count < FRAMES_MAX);
    struct frame *frame = &frames[explorer.frame_count];
    *frame = (struct frame){.trace_length = explorer.trace_length,
                            .choice_count = count,
                            .next_choice = 1,
                            .state = state,
                            .turns = explorer.turns};
    memcpy(frame->choices, choices, count);
    save_snapshot(frame);
    explorer.frame_count++;
    play(choices[0]);
    return true;
}

/** From the state the actors are in; false when everything was played. */
static bool go_on(void)
{
    uint8_t choices[CHOICES_MAX];
    uint32_t count = list_choices(choices);
    if (count == 0 && (let_time_pass() || rest())) {
        return true;
    }
    if (count == 0) {
        end_schedule();
        struct fil_way end = {.schedule_count = 1, .lowest = UINT64_MAX, .can_end = true};
        return !explorer.result.has_failed && go_back(end);
    }
    explorer.lonely_count++;
    // Some of the states without a choice are compared too, so that equal ends are played once and
    // circles are found.
    if (count > 1 || explorer.lonely_count % LONELY_COMPARED == 0) {
        return branch(choices, count);
    }
    play(choices[0]);
    return true;
}

static void begin_pass(void)
{
    explorer.result = (struct fil_explorer_result){0};
    explorer.actor_count = 0;
    explorer.now_ns = FIL_EXPLORER_START_NS;
    explorer.frame_count = 0;
    explorer.snapshots_used = 0;
    explorer.trace_length = 0;
    explorer.lonely_count = 0;
    fil_states__begin_pass();
    fil_world__clear();
    explorer.explored->set_up(explorer.explored->context);
    fil_world__seal();
    fil_assert_set_hook(on_assertion);
    for (uint32_t i = 0; i < explorer.actor_count && !explorer.result.has_failed; i++) {
        explorer.turns = (struct turns){.last = NOBODY};
        play((uint8_t)(2 * i)); // to its first step on shared memory
    }
    explorer.turns = (struct turns){.last = NOBODY};
}

struct fil_explorer_result fil_explorer_run(const struct fil_explorer_case *explored)
{
    explorer.explored = explored;
    fil_sharing__clear();
    bool is_over = false;
    while (!is_over) {
        begin_pass();
        bool has_surprise = fil_sharing__take_surprise();
        while (!explorer.result.has_failed && !has_surprise && go_on()) {
            has_surprise = fil_sharing__take_surprise();
        }
        // Memory that was taken for private is shared: what was passed over there has to be played.
        is_over = !has_surprise;
    }
    fil_assert_set_hook(NULL);
    explorer.result.state_count = fil_states__count();
    explorer.result.shared_count = fil_sharing__count();
    if (explorer.result.has_failed && !explored->is_quiet) {
        print_trace();
    }
    return explorer.result;
}
