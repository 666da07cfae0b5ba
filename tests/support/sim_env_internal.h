// SPDX-License-Identifier: Apache-2.0
/** What the simulation's files share: the shape of the network, the trace's vocabulary. */
#pragma once

#include "tests/support/sim_env.h"

#define FIL_SIM_SEGMENTS_MAX 32U

// X(name, text, subject, value, detail): the words of the trace, and what its numbers mean.
// clang-format off
#define FIL_SIM_ACTIONS(X) \
    X(SEED,        "seed",        "seed",   "-",        "-") \
    X(ADVANCE,     "advance",     "-",      "ns",       "-") \
    X(CYCLE,       "cycle",       "cycle",  "moved",    "-") \
    X(FAULT,       "fault",       "fd",     "fault",    "-") \
    X(LISTEN,      "listen",      "fd",     "result",   "port") \
    X(CONNECT,     "connect",     "fd",     "result",   "connection") \
    X(ACCEPT,      "accept",      "fd",     "result",   "connection") \
    X(RECEIVE,     "receive",     "fd",     "result",   "digest") \
    X(SEND,        "send",        "fd",     "result",   "digest") \
    X(FINISH,      "finish",      "fd",     "-",        "-") \
    X(CLOSE,       "close",       "fd",     "unread",   "-") \
    X(ABORT,       "abort",       "fd",     "-",        "-") \
    X(VANISH,      "vanish",      "fd",     "-",        "-") \
    X(ARRIVE_SYN,  "arrive_syn",  "fd",     "waiting",  "connection") \
    X(ESTABLISHED, "established", "fd",     "-",        "connection") \
    X(REFUSED,     "refused",     "fd",     "-",        "connection") \
    X(ARRIVE,      "arrive",      "fd",     "bytes",    "connection") \
    X(ARRIVE_END,  "arrive_end",  "fd",     "-",        "connection") \
    X(ARRIVE_RST,  "arrive_rst",  "fd",     "lost",     "connection") \
    X(POLLER_NEW,  "poller_new",  "poller", "-",        "-") \
    X(POLLER_FREE, "poller_free", "poller", "-",        "-") \
    X(INTEREST,    "interest",    "fd",     "interest", "poller") \
    X(REMOVE,      "remove",      "fd",     "-",        "poller") \
    X(WAIT,        "wait",        "poller", "events",   "timeout_ns") \
    X(EVENT,       "event",       "fd",     "ready",    "poller") \
    X(WAKE,        "wake",        "poller", "-",        "-") \
    X(RANDOM,      "random",      "-",      "bytes",    "-") \
    X(FILE_READ,   "file_read",   "-",      "result",   "digest") \
    X(FILE_WRITE,  "file_write",  "fd",     "result",   "digest")
// clang-format on

enum fil_sim_action {
#define FIL_SIM_ACTION_CODE(name, text, subject, value, detail) FIL_SIM_ACTION_##name,
    FIL_SIM_ACTIONS(FIL_SIM_ACTION_CODE)
#undef FIL_SIM_ACTION_CODE
};

/** The life of one end of a connection; a pending end is open, but nobody holds it yet. */
enum fil_sim_life {
    FIL_SIM_LIFE_NONE,       // the request to connect has not arrived
    FIL_SIM_LIFE_CONNECTING, // the answer to it has not
    FIL_SIM_LIFE_OPEN,
    FIL_SIM_LIFE_RESET, // the next call tells
    FIL_SIM_LIFE_TOLD,  // reset, and a call has told
    FIL_SIM_LIFE_CLOSED,
    FIL_SIM_LIFE_VANISHED,
};

struct fil_sim_end {
    enum fil_sim_life life;
    int fd;            // -1: nobody holds it
    uint64_t reset_ns; // when a reset will arrive here
};

/** The end of the stream, as it travels behind the bytes. */
enum fil_sim_fin {
    FIL_SIM_FIN_NONE,
    FIL_SIM_FIN_SENT,
    FIL_SIM_FIN_ARRIVED
};

struct fil_sim_segment {
    uint64_t arrives_ns;
    uint64_t end; // offset in the stream behind its last byte
};

/** One direction. Offsets count from the stream's start: consumed <= arrived <= written. */
struct fil_sim_pipe {
    uint8_t *bytes; // a ring of capacity bytes
    uint64_t capacity;
    uint64_t consumed;
    uint64_t arrived;
    uint64_t written;
    uint64_t last_ns; // nothing arrives before it: what was sent earlier comes first
    struct fil_sim_segment segments[FIL_SIM_SEGMENTS_MAX];
    uint32_t segment_first;
    uint32_t segment_count;
    enum fil_sim_fin fin;
    uint64_t fin_ns;
};

/** How far the three-way greeting is: the next message arrives at greeting_ns. */
enum fil_sim_greeting {
    FIL_SIM_GREETING_REQUEST,
    FIL_SIM_GREETING_GRANT,
    FIL_SIM_GREETING_REFUSAL,
    FIL_SIM_GREETING_DONE,
};

/** ends[0] connected, ends[1] was or will be accepted; pipes[i] is written by ends[i]. */
struct fil_sim_connection {
    bool is_used;
    uint64_t id;
    struct fil_address from;
    struct fil_address to;
    enum fil_sim_greeting greeting;
    uint64_t greeting_ns;
    struct fil_list pending; // in its listener's backlog
    struct fil_sim_end ends[2];
    struct fil_sim_pipe pipes[2];
};

enum fil_sim_kind {
    FIL_SIM_KIND_FREE,
    FIL_SIM_KIND_LISTENER,
    FIL_SIM_KIND_STREAM
};

struct fil_sim_socket {
    enum fil_sim_kind kind;
    const char *name; // who opened it; NULL: the code under test
    const char *opened_by;
    uint64_t opened_ns;
    struct fil_address address; // bound to, or the peer's

    struct fil_list backlog; // listener: struct fil_sim_connection
    uint32_t backlog_count;
    uint32_t backlog_count_max;

    struct fil_sim_connection *connection; // stream
    uint32_t side;
};

/** Draws whether the fault strikes; counts and traces it when it does. */
bool fil_sim__strikes(struct fil_sim *sim, enum fil_sim_fault fault, int fd);

/** Adds an action to the hash and to the text. */
void fil_sim__trace(struct fil_sim *sim, enum fil_sim_action action, int64_t subject, int64_t value,
                    uint64_t detail);

/** Whether a timer has passed that is still set. */
bool fil_sim__timers_have_expired(struct fil_sim *sim);

// sim_pipe.c

/** Bytes that have arrived and were not received yet. */
uint64_t fil_sim__pipe_unread(const struct fil_sim_pipe *pipe);

/** Bytes that may be written until the receiver takes some. */
uint64_t fil_sim__pipe_room(const struct fil_sim_pipe *pipe);

/** Draws when something sent now arrives: not before what was sent earlier. */
uint64_t fil_sim__pipe_arrival_ns(struct fil_sim *sim, struct fil_sim_pipe *pipe);

void fil_sim__pipe_write(struct fil_sim_pipe *pipe, const uint8_t *data, uint64_t size);
void fil_sim__pipe_read(struct fil_sim_pipe *pipe, uint8_t *buffer, uint64_t size);

/** Sends what was written from start on its way, cut in pieces that travel on their own. */
void fil_sim__pipe_launch(struct fil_sim *sim, struct fil_sim_pipe *pipe, uint64_t start);

/** Sends the end of the stream after the bytes; harmless when it was sent before. */
void fil_sim__pipe_finish(struct fil_sim *sim, struct fil_sim_pipe *pipe);

/** When the next segment or the end arrives, or FIL_SIM_NEVER. */
uint64_t fil_sim__pipe_next_ns(const struct fil_sim_pipe *pipe);

/** Lets the first segment arrive; returns its size. */
uint64_t fil_sim__pipe_deliver(struct fil_sim_pipe *pipe);

/** Forgets what is under way; what has arrived stays. */
void fil_sim__pipe_drop(struct fil_sim_pipe *pipe);

// sim_connection.c

/** NULL when there are as many as the options allow. */
struct fil_sim_connection *fil_sim__connection_take(struct fil_sim *sim);

/** Gives it back unless an end is still held or waits in a backlog. */
void fil_sim__connection_release(struct fil_sim *sim, struct fil_sim_connection *connection);

/** Sends a reset to the end of that side; an earlier one on its way wins. */
void fil_sim__connection_reset(struct fil_sim *sim, struct fil_sim_connection *connection,
                               uint32_t side);

/** Does everything that is due now. */
void fil_sim__connection_settle(struct fil_sim *sim, struct fil_sim_connection *connection);
void fil_sim__connections_settle(struct fil_sim *sim);

/** The earliest arrival ahead of now. */
uint64_t fil_sim__connections_next_ns(struct fil_sim *sim);

// sim_socket.c

int fil_sim__sockets_init(struct fil_sim *sim) FIL_NODISCARD;
void fil_sim__sockets_fini(struct fil_sim *sim);

/** One line a descriptor; returns how many are open. */
uint32_t fil_sim__sockets_report(struct fil_sim *sim, FILE *out);

/** The open socket behind the descriptor; asserts that there is one. */
struct fil_sim_socket *fil_sim__socket(struct fil_sim *sim, int fd);

/** The same, and that it is no listener. */
struct fil_sim_socket *fil_sim__stream(struct fil_sim *sim, int fd);

/** Frees the descriptor's number. */
void fil_sim__socket_release(struct fil_sim *sim, int fd);

/** The listener that a connection to the address reaches, or that is in a new one's way. */
struct fil_sim_socket *fil_sim__listener_find(struct fil_sim *sim,
                                              const struct fil_address *address);

int fil_sim__listen(struct fil_env *env, const struct fil_address *address, int backlog,
                    int *out_fd, struct fil_address *out_bound);
int fil_sim__accept(struct fil_env *env, int listener, int *out_fd, struct fil_address *out_peer);
int fil_sim__connect(struct fil_env *env, const struct fil_address *address, int *out_fd);

// sim_stream.c

/** What epoll would say of it: FIL_POLL_*. */
uint32_t fil_sim__socket_ready(const struct fil_sim_socket *socket);

int64_t fil_sim__receive(struct fil_env *env, int fd, void *buffer, size_t size);
int64_t fil_sim__send(struct fil_env *env, int fd, const struct fil_bytes *slices, uint32_t count);
void fil_sim__finish(struct fil_env *env, int fd);
void fil_sim__close(struct fil_env *env, int fd);

// sim_poller.c

/** Forgets a descriptor that is being closed, in every poller. */
void fil_sim__pollers_forget(struct fil_sim *sim, int fd);

/** The earliest timeout ahead of now. */
uint64_t fil_sim__pollers_next_ns(struct fil_sim *sim);

/** Whether a timeout has passed and its poller was not waited on since. */
bool fil_sim__pollers_have_expired(struct fil_sim *sim);

/** Whether a wait would return at once: an event is there, or a wake-up. */
bool fil_sim__pollers_are_ready(struct fil_sim *sim);

/** One line a poller; returns how many there are. */
uint32_t fil_sim__pollers_report(struct fil_sim *sim, FILE *out);

int fil_sim__poller_new(struct fil_env *env, struct fil_poller **out_poller);
void fil_sim__poller_free(struct fil_env *env, struct fil_poller *poller);
int fil_sim__poller_add(struct fil_env *env, struct fil_poller *poller, int fd, uint32_t interest,
                        void *context);
int fil_sim__poller_change(struct fil_env *env, struct fil_poller *poller, int fd,
                           uint32_t interest, void *context);
void fil_sim__poller_remove(struct fil_env *env, struct fil_poller *poller, int fd);
int fil_sim__poller_wait(struct fil_env *env, struct fil_poller *poller,
                         struct fil_poll_event *out_events, int limit, int64_t timeout_ns);
void fil_sim__poller_wake(struct fil_env *env, struct fil_poller *poller);
int fil_sim__poller_fd(struct fil_env *env, struct fil_poller *poller);

// sim_file.c

int fil_sim__files_init(struct fil_sim *sim) FIL_NODISCARD;
void fil_sim__files_fini(struct fil_sim *sim);
int fil_sim__file_read(struct fil_env *env, const char *path, size_t size_max, char **out_text,
                       size_t *out_size);
int64_t fil_sim__file_write(struct fil_env *env, int fd, const void *data, size_t size);

static inline struct fil_sim *fil_sim__of(struct fil_env *env)
{
    return FIL_CONTAINER_OF(env, struct fil_sim, env);
}
