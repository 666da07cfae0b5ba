// SPDX-License-Identifier: Apache-2.0
/**
 * A simulated environment: virtual clock, network, pollers and files in one thread, decided by a
 * seed.
 *
 * It stands in for fil_env_real(): the code under test gets &sim.env and cannot tell the
 * difference. Time stands still until somebody moves it; poller_wait never blocks; every fault
 * (delay, short read, reset, refusal ...) is drawn from the seed. The same seed and the same code
 * give the same run, told by the trace's hash. Options that are all zero make a perfect network.
 *
 * Order:    bytes of one direction arrive in order, whatever their delays.
 * Memory:   the network allocates in fil_sim_init alone, so that failing the n-th allocation hits
 *           the code under test; a poller and a file's text are allocated where the real ones are.
 * Threads:  one. Misuse (a closed descriptor, a poller freed twice) is an assertion here, where
 *           the kernel would only answer with an error.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/bytes.h"
#include "lib/base/list.h"
#include "lib/base/prng.h"
#include "lib/os/env.h"

#define FIL_SIM_NEVER        UINT64_MAX
#define FIL_SIM_START_NS     UINT64_C(1000000000) // the monotonic clock's first reading
#define FIL_SIM_FD_FIRST     16                   // sockets begin here, files are below
#define FIL_SIM_FILES_MAX    32U
#define FIL_SIM_CAPTURES_MAX 4 // descriptors 0 to 3 may be written to as files
#define FIL_SIM_CYCLES_MAX   64U
#define FIL_SIM_STEPS_MAX    UINT64_C(1000000) // of a run whose limit is 0

// X(name, text): what may go wrong. Each has a chance (options) and a count (fil_sim_faults).
// clang-format off
#define FIL_SIM_FAULTS(X) \
    X(SHORT_RECEIVE,   "short_receive")   /* fewer bytes than there are */ \
    X(SHORT_SEND,      "short_send")      /* fewer bytes than there is room for */ \
    X(RECEIVE_AGAIN,   "receive_again")   /* FIL_E_AGAIN although there are bytes */ \
    X(SEND_AGAIN,      "send_again")      /* FIL_E_AGAIN although there is room */ \
    X(RESET,           "reset")           /* a send tears the connection down on both sides */ \
    X(CONNECT_REFUSED, "connect_refused") /* although somebody listens */ \
    X(ACCEPT_AGAIN,    "accept_again")    /* although somebody waits */ \
    X(ACCEPT_SYSTEM,   "accept_system")   /* as if descriptors were out */ \
    X(SPURIOUS_READY,  "spurious_ready")  /* an event for what is not ready */ \
    X(FILE_SHORT,      "file_short")      /* a file takes fewer bytes than given */ \
    X(FILE_ERROR,      "file_error")      /* a file refuses the bytes with FIL_E_IO */ \
    X(CYCLE_SKIPPED,   "cycle_skipped")   /* a stage does not get its turn this round */
// clang-format on

enum fil_sim_fault {
#define FIL_SIM_FAULT_CODE(name, text) FIL_SIM_FAULT_##name,
    FIL_SIM_FAULTS(FIL_SIM_FAULT_CODE)
#undef FIL_SIM_FAULT_CODE
    FIL_SIM_FAULT_COUNT
};

/** Drawn evenly, both ends included. */
struct fil_sim_range {
    uint64_t min;
    uint64_t max;
};

struct fil_sim_options {
    double chance[FIL_SIM_FAULT_COUNT]; // each 0 (never) to below 1

    struct fil_sim_range delay_ns;      // one way, for each segment
    struct fil_sim_range segment_bytes; // a send travels in such pieces; 0: in one
    struct fil_sim_range buffer_bytes;  // of one direction, for each connection; 0: 64 KiB
    struct fil_sim_range cycle_ns;      // what a cycle takes in a run; 0: nothing

    uint32_t connections_max;   // at a time; 0: 64
    uint32_t descriptors_max;   // of the code under test; 0: no limit of its own
    uint32_t backlog_max;       // caps what listen asks for; 0: no cap
    uint32_t capture_bytes_max; // the last bytes kept of each written file; 0: 64 KiB
};

struct fil_sim_socket;
struct fil_sim_connection;

struct fil_sim_file {
    char *path;
    char *text;
    size_t size;
};

struct fil_sim_capture {
    char *text;
    size_t size;
    uint64_t total; // also what fell out
};

struct fil_sim {
    struct fil_env env; // first: the environment's functions find the simulation by it
    uint64_t seed;
    struct fil_sim_options options;

    uint64_t now_ns;
    uint64_t step_count;      // cycles called by fil_sim_run
    struct fil_prng network;  // delays and faults
    struct fil_prng schedule; // the order of cycles and events
    struct fil_prng product;  // what the code under test asks for
    struct fil_list timers;   // struct fil_sim_timer
    struct fil_list pollers;  // struct fil_poller
    uint32_t poller_count_ever;

    struct fil_sim_socket *sockets;
    uint32_t socket_count_max;
    uint32_t socket_count;
    uint32_t descriptor_count; // of the code under test: without what others opened
    uint32_t *ready_slots;     // scratch of poller_wait
    struct fil_sim_connection *connections;
    uint8_t *buffers;
    uint32_t connection_count;
    uint64_t connection_count_ever;
    uint64_t arrival_count; // segments, ends, greetings, resets

    struct fil_sim_file files[FIL_SIM_FILES_MAX];
    uint32_t file_count;
    struct fil_sim_capture captures[FIL_SIM_CAPTURES_MAX];
    char *capture_memory;

    FILE *trace_file;
    uint64_t trace_hash;
    uint64_t fault_counts[FIL_SIM_FAULT_COUNT];
    uint64_t fault_count;
};

/** Everything goes wrong now and then, nothing so often that it hinders progress. */
extern const struct fil_sim_options fil_sim_hostile;

/** Options NULL: a perfect network. Returns FIL_OK or FIL_E_NOMEM. */
int fil_sim_init(struct fil_sim *sim, uint64_t seed, const struct fil_sim_options *options)
    FIL_NODISCARD;

/** Asserts that no descriptor, poller or timer is left, after printing which. */
void fil_sim_fini(struct fil_sim *sim);

/** As fil_sim_hostile, but each fault is on or off by the seed: odd mixtures find other faults. */
void fil_sim_options_draw(struct fil_sim_options *options, uint64_t seed);

/** Writes seed, time and whatever is open, one line each; returns how much is open. */
uint32_t fil_sim_report(struct fil_sim *sim, FILE *out);

// Time.

/** The earliest delivery, timer or poller timeout that lies ahead, or FIL_SIM_NEVER. */
uint64_t fil_sim_next_event_ns(struct fil_sim *sim);

/** Moves the clock to now or later, through every delivery on the way. */
void fil_sim_advance_to(struct fil_sim *sim, uint64_t now_ns);
void fil_sim_advance(struct fil_sim *sim, uint64_t elapsed_ns);

/** A time at which its owner wants a turn; it calls nobody. */
struct fil_sim_timer {
    struct fil_list link;
    uint64_t at_ns;
};

void fil_sim_timer_init(struct fil_sim_timer *timer);
void fil_sim_timer_set(struct fil_sim *sim, struct fil_sim_timer *timer, uint64_t at_ns);
void fil_sim_timer_cancel(struct fil_sim_timer *timer);

// The network as the world outside sees it; the descriptors work with the environment's functions.

/**
 * Connects without counting against descriptors_max; from may be NULL, the name is kept. A refusal
 * is told by the descriptor, as for any connect that does not block.
 */
int fil_sim_connect(struct fil_sim *sim, const char *name, const struct fil_address *from,
                    const struct fil_address *to, int *out_fd) FIL_NODISCARD;

/** Closes with a reset: what is under way in both directions is lost. */
void fil_sim_reset(struct fil_sim *sim, int fd);

/** Closes without a word, as when the cable is pulled: the peer is not told, now or ever. */
void fil_sim_vanish(struct fil_sim *sim, int fd);

// Files.

/** Makes or replaces a file. Returns FIL_OK, FIL_E_NOMEM or FIL_E_LIMIT. */
int fil_sim_file_put(struct fil_sim *sim, const char *path, struct fil_bytes text) FIL_NODISCARD;

/** The last bytes written to a descriptor below FIL_SIM_CAPTURES_MAX; valid until the next write.
 */
struct fil_bytes fil_sim_captured(const struct fil_sim *sim, int fd);

// Chance and trace.

uint64_t fil_sim_draw(struct fil_sim *sim, struct fil_sim_range range);

/** How often a fault has struck so far. */
uint64_t fil_sim_faults(const struct fil_sim *sim, enum fil_sim_fault fault);

/** Over everything that could be observed so far: equal for equal runs. */
uint64_t fil_sim_trace_hash(const struct fil_sim *sim);

/** Also writes the trace as text, one line an action; NULL stops it. The file is borrowed. */
void fil_sim_trace_to(struct fil_sim *sim, FILE *file);

// The driver.

typedef uint32_t (*fil_sim_cycle_fn)(void *context);
typedef uint64_t (*fil_sim_next_fn)(void *context);
typedef bool (*fil_sim_until_fn)(void *context);

/** One stage: the cycle returns how much it moved. */
struct fil_sim_cycle {
    fil_sim_cycle_fn cycle;
    void *context;
    fil_sim_next_fn next_ns; // when it wants a turn though nothing happens; NULL: never
};

struct fil_sim_until {
    fil_sim_until_fn is_met; // NULL: until nothing more can happen, or the time is over
    void *context;
    uint64_t step_count_max; // cycles of this run; 0: FIL_SIM_STEPS_MAX
    uint64_t time_max_ns;    // of this run; 0: no limit
};

/**
 * Calls the cycles round after round, each round in a drawn order, until the condition holds; the
 * clock moves to the next event when a round moved nothing. Returns FIL_OK, FIL_E_LIMIT when the
 * steps ran out (somebody is busy without end), or FIL_E_TIMEOUT when the time ran out or nothing
 * can happen any more (somebody waits for ever).
 */
int fil_sim_run(struct fil_sim *sim, const struct fil_sim_cycle *cycles, uint32_t count,
                const struct fil_sim_until *until) FIL_NODISCARD;
