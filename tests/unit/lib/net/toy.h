// SPDX-License-Identifier: Apache-2.0
/**
 * Two toy protocols of lines, for tests of loops and connections.
 *
 * echo   begins with "ECHO". Answers each line with itself, "big N" with N letters and a line end,
 *        "quit" with "bye" and the end, "bad" with "no" and an error. A line longer than the frame
 *        limit is an error. Says "full" when there is no memory for its input.
 * relay  begins with "R". Each line "R name size" becomes a job that the test, or another thread,
 *        finishes with toy_job_finish: its reply goes the way of replies from other threads.
 */
#pragma once

#include "lib/conc/stack.h"
#include "lib/mem/pool.h"
#include "lib/net/connection.h"
#include "lib/net/protocol.h"

#define TOY_NAME_MAX 32U

/** Called by the relay's collect, once. */
typedef void (*toy_hook_fn)(void *context);

/** The protocols' context. */
struct toy {
    size_t frame_bytes_max;
    struct fil_stack jobs; // of the relay
    void (*on_job)(void *context);
    void *job_context;
    toy_hook_fn on_collect; // NULL again once it is called
    void *collect_context;
    _Atomic uint32_t session_count;
    _Atomic uint32_t job_count; // not finished or not collected
};

struct toy_job {
    struct fil_link link;
    struct fil_connection *connection; // held
    char name[TOY_NAME_MAX];
    size_t size;
};

extern const struct fil_protocol_ops toy_echo_protocol;
extern const struct fil_protocol_ops toy_relay_protocol;

void toy_init(struct toy *toy, size_t frame_bytes_max);

/** Asserts that all sessions and jobs are gone. */
void toy_fini(struct toy *toy);

/** Takes ownership: leaves the reply for the connection, tells it, gives up its hold. */
void toy_job_finish(struct toy_job *job, struct fil_pool *pool);

/** What "big N" answers, without the line end, from the given position on. */
void toy_fill(uint8_t *out_bytes, size_t position, size_t size);
