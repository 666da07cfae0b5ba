// SPDX-License-Identifier: Apache-2.0
/**
 * A scripted client on the simulated network, outside the code under test.
 *
 * A test writes the script first (connect, send, await, pause, close ...) and says which bytes it
 * expects; the driver then calls fil_sim_client_cycle like any stage's. A turn takes one step of
 * the script, or one fragment of a send, and receives once. When the connection is lost the rest
 * of the script is dropped.
 *
 * Memory:  allocates in init alone; scripts and expectations are copied. What a script cannot hold
 *          is an assertion: the test asked for too much.
 * Threads: the simulation's one.
 */
#pragma once

#include "tests/support/sim_env.h"

#define FIL_SIM_CLIENT_STEPS_MAX 256U

struct fil_sim_client_options {
    size_t send_bytes_max;               // of the whole script; 0: 64 KiB
    size_t receive_bytes_max;            // what is beyond stays unread; 0: 64 KiB
    struct fil_sim_range fragment_bytes; // given to one send; 0: all there is
    struct fil_sim_range receive_bytes;  // room given to one receive; 0: all there is
};

enum fil_sim_client_state {
    FIL_SIM_CLIENT_NEW,    // not connected yet
    FIL_SIM_CLIENT_OPEN,   // connected, or trying to
    FIL_SIM_CLIENT_ENDED,  // the server has finished its stream; ours is still open
    FIL_SIM_CLIENT_LOST,   // refused or reset
    FIL_SIM_CLIENT_CLOSED, // by the script
};

/** What was received, against what is expected. */
enum fil_sim_verdict {
    FIL_SIM_VERDICT_WAITING, // the start of it, and more may come
    FIL_SIM_VERDICT_MATCHED, // exactly it
    FIL_SIM_VERDICT_ENDED,   // the start of it, and the stream is over
    FIL_SIM_VERDICT_LOST,    // the start of it, and the connection was refused or reset
    FIL_SIM_VERDICT_WRONG,   // something else
};

enum fil_sim_step_kind {
    FIL_SIM_STEP_CONNECT,
    FIL_SIM_STEP_SEND,
    FIL_SIM_STEP_PAUSE,
    FIL_SIM_STEP_PAUSE_UNTIL,
    FIL_SIM_STEP_AWAIT,
    FIL_SIM_STEP_STOP_READING,
    FIL_SIM_STEP_START_READING,
    FIL_SIM_STEP_FINISH,
    FIL_SIM_STEP_CLOSE,
    FIL_SIM_STEP_RESET,
    FIL_SIM_STEP_VANISH,
};

struct fil_sim_step {
    enum fil_sim_step_kind kind;
    uint64_t value;             // ns, or a count of bytes
    struct fil_address address; // of connect
};

struct fil_sim_client {
    struct fil_sim *sim;
    const char *name;
    struct fil_sim_client_options options;
    enum fil_sim_client_state state;
    int fd; // -1: none
    bool is_reading;
    struct fil_sim_timer timer; // of a pause

    struct fil_sim_step steps[FIL_SIM_CLIENT_STEPS_MAX];
    uint32_t step_count;
    uint32_t step_index; // the one being done

    uint8_t *memory; // the three below
    uint8_t *script;
    size_t script_size;
    size_t sent_size;
    uint8_t *received;
    size_t received_size;
    uint8_t *expected;
    size_t expected_size;
};

/** Options NULL: all zero. The name is kept. Returns FIL_OK or FIL_E_NOMEM. */
int fil_sim_client_init(struct fil_sim_client *client, struct fil_sim *sim, const char *name,
                        const struct fil_sim_client_options *options) FIL_NODISCARD;

/** Closes what is still open. */
void fil_sim_client_fini(struct fil_sim_client *client);

// The script: each call adds one step.

void fil_sim_client_connect(struct fil_sim_client *client, const struct fil_address *address);
void fil_sim_client_send(struct fil_sim_client *client, struct fil_bytes bytes);
void fil_sim_client_pause(struct fil_sim_client *client, uint64_t elapsed_ns);
void fil_sim_client_pause_until(struct fil_sim_client *client, uint64_t at_ns);

/** Waits until that many bytes were received since the connection began. */
void fil_sim_client_await(struct fil_sim_client *client, uint64_t byte_count);

void fil_sim_client_stop_reading(struct fil_sim_client *client);
void fil_sim_client_start_reading(struct fil_sim_client *client);

/** Half close: no more bytes follow. */
void fil_sim_client_finish(struct fil_sim_client *client);
void fil_sim_client_close(struct fil_sim_client *client);
void fil_sim_client_reset(struct fil_sim_client *client);
void fil_sim_client_vanish(struct fil_sim_client *client);

/** Adds to the bytes that must have come in the end; no step of the script. */
void fil_sim_client_expect(struct fil_sim_client *client, struct fil_bytes bytes);

// The run.

/** A cycle for fil_sim_run; the context is the client. */
uint32_t fil_sim_client_cycle(void *context);

/** The script was done to its end, or dropped with the connection. */
bool fil_sim_client_is_done(const struct fil_sim_client *client);

struct fil_bytes fil_sim_client_received(const struct fil_sim_client *client);

enum fil_sim_verdict fil_sim_client_verdict(const struct fil_sim_client *client);

/** The script is done and the verdict stands; or it is already wrong. */
bool fil_sim_client_is_settled(const struct fil_sim_client *client);

/** For messages. */
const char *fil_sim_verdict_text(enum fil_sim_verdict verdict);
