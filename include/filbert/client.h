// SPDX-License-Identifier: Apache-2.0
/**
 * The client: reaches the maps of a cluster over the open binary client protocol, that of Filbert
 * or of Hazelcast.
 *
 * One connection a member carries all calls, in any order. A call about a key goes to the member
 * that owns it. When a connection is lost the client dials again with growing pauses, and what may
 * be repeated is repeated; a write that may have run is not, and ends with FIL_E_INDETERMINATE.
 *
 * Addresses may be names of hosts, which are asked for on a thread that lives as long as that
 * takes, and again when no connection is left and none can be made. Without names, and unless it
 * is asked for, the client has no thread.
 *
 * Who runs it: by default whoever waits. A plain call, fil_client_drain and fil_client_step move
 * all calls on; a program with a loop of its own watches fil_client_fd and calls fil_client_step
 * when it is readable or when fil_client_timeout_ms has passed. With `.has_thread` or
 * fil_client_start_thread the client has a thread that does this, and runs the callbacks.
 *
 * Threads: everything but fil_client_close may be called by any thread at any time. Callbacks run
 * one after the other, on the thread that steps.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filbert/error.h"
#include "filbert/map.h"
#include "filbert/value.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fil_client;

/** All-zero means the defaults. */
struct fil_client_options {
    const char *address;  // "127.0.0.1:5701", several with commas, also names; NULL: that one
    const char *cluster;  // its name; NULL: "dev"
    const char *name;     // of this client, as members list it; NULL: made up
    const char *username; // NULL: none
    const char *password;

    bool has_thread;  // starts a thread that runs the client
    bool is_single;   // everything through one member, also where others can be reached
    bool repeats_all; // after a lost connection also writes are repeated: they may run twice

    uint32_t in_flight_max;     // calls at a time; 0: 4096, at most 32768
    uint64_t request_bytes_max; // of all calls in flight; 0: 256 MiB
    uint64_t message_bytes_max; // of one answer; 0: 256 MiB

    uint64_t connect_timeout_ms; // for fil_client_connect; 0: 10 s
    uint64_t
        call_timeout_ms; // for a call with all its attempts; 0: 120 s; see fil_call_timeout_set
    uint64_t heartbeat_interval_ms; // a silent connection is asked so often; 0: 5 s
    uint64_t heartbeat_timeout_ms;  // and given up when nothing comes for so long; 0: 60 s
    uint64_t retry_first_ms;        // the first pause before dialing again; 0: 100 ms
    uint64_t retry_max_ms;          // the longest one; 0: 5 s
};

/** What has happened so far. */
struct fil_client_stats {
    uint64_t call_count;    // calls begun
    uint64_t answer_count;  // that ended well
    uint64_t failure_count; // that ended with an error
    uint64_t retry_count;   // attempts after the first
    uint64_t timeout_count; // calls that were given up
    uint64_t refused_count; // calls refused with FIL_E_FULL
    uint64_t late_count;    // answers that nobody waited for any more
    uint64_t event_count;   // events delivered to listeners
    uint64_t connect_count; // connections that were made
    uint64_t loss_count;    // connections that were lost
    uint64_t sent_bytes;
    uint64_t received_bytes;
    uint64_t near_hit_count;
    uint64_t near_miss_count;
    uint64_t near_drop_count; // entries of near caches that were invalidated
    uint32_t in_flight;       // calls now
    uint32_t member_count;    // members that are connected now
};

/**
 * Connects and authenticates. FIL_E_UNREACHABLE: nobody answered in time. FIL_E_DENIED: the cluster
 * has another name, or refused the credentials. FIL_E_INVALID, FIL_E_ADDRESS, FIL_E_NOMEM. After an
 * error there is no client; fil_client_connect_problem tells more.
 */
int fil_client_connect(struct fil_client **out_client, const struct fil_client_options *options);

/** What the last failed fil_client_connect of this thread had met; never NULL. */
const char *fil_client_connect_problem(void);

/** Ends calls in flight with FIL_E_CANCELLED. No other thread may use the client any more. */
void fil_client_close(struct fil_client *client);

/** The data that the client reaches; lives as long as the client. */
struct fil_grid *fil_client_grid(struct fil_client *client);

/**
 * Calls that the calling thread begins from now on, of any client, are given up with FIL_E_TIMEOUT
 * that long after they were made; 0: after their client's call_timeout_ms again. Returns what was
 * set before:
 *
 *     uint64_t before = fil_call_timeout_set(50);
 *     int error = fil_map_get(map, key, &value);
 *     (void)fil_call_timeout_set(before);
 *
 * A write that was given up may have run or may still run. What waits for others by its nature, as
 * locks and fil_queue_poll do, has a time of its own instead.
 */
uint64_t fil_call_timeout_set(uint64_t timeout_ms);

/** Waits until no call is in flight. FIL_E_WOULD_BLOCK inside of a callback. */
int fil_client_drain(struct fil_client *client);

/** From now on a thread of the client's own runs it, until close. FIL_E_EXISTS, FIL_E_SYSTEM. */
int fil_client_start_thread(struct fil_client *client);

/**
 * One turn: sends what waits, receives, runs callbacks. Waits so long for something to do; 0: not
 * at all. Returns how many results and events were delivered, FIL_E_WOULD_BLOCK inside of a
 * callback, or FIL_E_EXISTS when another thread is stepping.
 */
int fil_client_step(struct fil_client *client, uint64_t timeout_ms);

/** A descriptor that is readable when a step has something to do; for poll and its kin. */
int fil_client_fd(struct fil_client *client);

/** When to step at the latest; -1: not before the descriptor is readable. */
int64_t fil_client_timeout_ms(struct fil_client *client);

void fil_client_stats(struct fil_client *client, struct fil_client_stats *out_stats);

/**
 * Copies what the last error of any call was, as one sentence: who answered, and what. Returns
 * text.
 */
const char *fil_client_problem(struct fil_client *client, char *text, size_t size);

#ifdef __cplusplus
}
#endif
