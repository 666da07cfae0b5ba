// SPDX-License-Identifier: Apache-2.0
/**
 * The client's own structures: what the files of this folder share.
 *
 * Threads: one mutex guards everything here; functions with two underscores run under it unless
 * their comment says "Free". One thread at a time steps. It holds the mutex while it sends,
 * receives and sorts messages, and lets it go while it waits for the poller and while it runs
 * callbacks. Received bytes belong to the stepper alone, so that callbacks read them where they
 * are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filbert/client.h"
#include "lib/base/attr.h"
#include "lib/base/fsm.h"
#include "lib/base/list.h"
#include "lib/base/prng.h"
#include "lib/base/wheel.h"
#include "lib/mem/budget.h"
#include "lib/mem/chunk.h"
#include "lib/os/env.h"
#include "lib/os/mutex.h"
#include "lib/os/thread.h"
#include "protocol/client/codec.h"
#include "protocol/client/receiver.h"

#define FIL_CLIENT_LINKS_MAX      64U
#define FIL_CLIENT_SEEDS_MAX      16U
#define FIL_CLIENT_NAME_MAX       256U // of maps, clusters and clients, with the end
#define FIL_CLIENT_CALL_BLOCK     64U
#define FIL_CLIENT_CALL_ROOM      224U // larger requests get memory of their own
#define FIL_CLIENT_IN_FLIGHT_MAX  32768U
#define FIL_CLIENT_DELIVERIES_MAX 1024U // results and events of one turn
#define FIL_CLIENT_PARTITIONS_MAX 65536U
#define FIL_CLIENT_PROBLEM_MAX    256U
#define FIL_CLIENT_EAGER_BYTES    32768U // so much output is sent without waiting for a step
#define FIL_CLIENT_NO_LINK        UINT8_MAX

struct fil_client;
struct fil_client_call;

/** How the answer of a request is read. */
enum fil_client_answer {
    FIL_CLIENT_ANSWER_NONE,
    FIL_CLIENT_ANSWER_DATA,
    FIL_CLIENT_ANSWER_BOOL,
    FIL_CLIENT_ANSWER_I32,
    FIL_CLIENT_ANSWER_I64,
    FIL_CLIENT_ANSWER_RAW, // by the one who asked
};

/** Writes a request; the fields are the struct of its message. */
typedef int (*fil_client_write_fn)(struct fil_wire_writer *writer, struct fil_wire_header header,
                                   const void *fields);

/** What is known of one kind of request. */
struct fil_client_op {
    const struct fil_wire_layout *request;
    fil_client_write_fn write; // a direct writer; NULL: by the layout
    enum fil_client_answer answer;
    bool is_retryable; // may run twice without harm
    bool has_no_deadline;
    bool is_beyond_limit; // goes on a listener: not refused when all calls are taken
};

/** Free: takes the result; the message is valid until it returns, and empty after an error. */
typedef void (*fil_client_done_fn)(struct fil_client_call *call, int error,
                                   struct fil_bytes message);

/** A request that was made and has no result yet. */
struct fil_client_call {
    struct fil_list link;   // of the free ones, of those that wait for a link, or of its link's
    struct fil_timer timer; // armed until it has a result
    uint64_t deadline_ns;
    int64_t correlation; // of the current attempt
    uint32_t slot;
    int32_t partition; // -1: any member
    const struct fil_client_op *op;
    struct fil_client_link *carrier; // NULL: waits for one, or has a result
    uint64_t stream_begin;           // where its bytes begin in all that the carrier has to send
    uint32_t attempt_count;

    uint8_t *request; // its encoded bytes: in room, or on the heap
    size_t request_size;
    uint8_t room[FIL_CLIENT_CALL_ROOM];

    fil_client_done_fn done;
    fil_value_fn tell; // the application's callback, for done
    void *context;
    struct fil_map *map;  // NULL: not about one
    uint32_t near_ticket; // its reservation in the near cache; 0: none
};

/** What the stepper takes out of the mutex: the result of a call, or an event. */
struct fil_client_delivery {
    struct fil_client_call *call; // NULL: an event
    struct fil_subscription *listener;
    struct fil_bytes message;
    int error;
};

enum fil_client_link_state {
    FIL_CLIENT_LINK_IDLE,     // no connection: never dialed, lost, or waiting for its next try
    FIL_CLIENT_LINK_DIALING,  // the connection is being made
    FIL_CLIENT_LINK_GREETING, // waits for the answer to its authentication
    FIL_CLIENT_LINK_READY,
};

/** The connection to one member. */
struct fil_client_link {
    struct fil_client *client;
    struct fil_fsm fsm;
    uint8_t index;
    bool is_used;   // the slot stands for a member or an address
    bool is_member; // of the last members view
    bool is_known;  // the member's number has been told
    int fd;
    struct fil_address address;
    struct fil_wire_uuid member;
    uint64_t deadline_ns; // of dialing and greeting
    uint64_t retry_at_ns;
    uint64_t retry_delay_ns;

    struct fil_chunk_queue output;
    uint64_t stream_end;  // bytes ever appended
    uint64_t stream_sent; // bytes ever taken by the socket
    bool wants_write;     // the poller watches for room

    uint8_t *input;
    size_t input_capacity;
    size_t input_begin;
    size_t input_end;
    struct fil_wire_receiver receiver;
    bool has_input; // not all of it was looked at: deliveries were full
    bool is_doomed; // to be closed when the stepper may

    uint64_t received_ns;
    uint64_t sent_ns;
    struct fil_list calls; // that it carries
};

/** A map's handle. */
struct fil_map {
    struct fil_list link;
    struct fil_client *client;
    struct fil_client_near_cache *near; // NULL: none
    size_t name_size;
    char name[FIL_CLIENT_NAME_MAX];
};

struct fil_grid {
    struct fil_client *client;
};

/** An address to begin with: numbers, or the name of a host. */
struct fil_client_seed {
    struct fil_address address;     // its port alone when there is a name
    char host[FIL_CLIENT_NAME_MAX]; // empty: none
};

/** The options with defaults filled in, and copies of the texts. */
struct fil_client_settings {
    char cluster[FIL_CLIENT_NAME_MAX];
    char name[FIL_CLIENT_NAME_MAX];
    char username[FIL_CLIENT_NAME_MAX];
    char password[FIL_CLIENT_NAME_MAX];
    bool has_credentials;
    bool is_single;
    bool repeats_all;
    struct fil_client_seed seeds[FIL_CLIENT_SEEDS_MAX];
    uint32_t seed_count;
    bool has_hosts; // some of them are names
    uint32_t in_flight_max;
    uint64_t request_bytes_max;
    uint64_t message_bytes_max;
    uint64_t connect_timeout_ns;
    uint64_t call_timeout_ns;
    uint64_t heartbeat_interval_ns;
    uint64_t heartbeat_timeout_ns;
    uint64_t retry_first_ns;
    uint64_t retry_max_ns;
};

struct fil_client {
    // Written before the client is given out, then read-only.
    struct fil_env *env;
    struct fil_poller *poller;
    struct fil_grid grid;
    struct fil_client_settings settings;
    struct fil_wire_uuid uuid;

    struct fil_mutex mutex;
    struct fil_condition moved; // a step has ended, or a result was taken
    bool is_locked;

    // Who steps.
    bool is_stepping;
    bool is_parked; // the stepper waits for the poller
    bool is_closing;
    bool has_thread;
    struct fil_thread thread;
    uint64_t parked_until_ns;
    uint32_t waiter_count;

    // Calls.
    struct fil_client_call **blocks;
    uint32_t call_count; // in all blocks
    uint32_t in_flight;
    uint64_t in_flight_bytes;
    uint64_t serial;
    uint64_t reference; // of locks
    struct fil_list free_calls;
    struct fil_list waiting; // for a link, or for their next attempt
    struct fil_wheel wheel;
    struct fil_client_delivery deliveries[FIL_CLIENT_DELIVERIES_MAX];
    uint32_t delivery_count;
    bool has_leftover; // a link has messages for which there was no room

    // Memory for messages.
    struct fil_budget budget;
    struct fil_pool pool;
    struct fil_chunk_queue scratch;

    // The cluster.
    struct fil_client_link links[FIL_CLIENT_LINKS_MAX];
    uint64_t dirty; // links with something to send, one bit each
    uint64_t upkeep_at_ns;
    uint32_t ready_count;
    uint32_t next_link; // for calls that any member may answer
    struct fil_client_link *view_link;
    int32_t members_version;
    int32_t partitions_version;
    struct fil_wire_uuid cluster_id;
    bool has_cluster;
    uint32_t partition_count; // 0: not known yet
    uint8_t *owners;          // of partitions: the index of a link
    uint32_t seek_index;      // which address is tried next while there is no link
    uint64_t seek_at_ns;
    uint64_t seek_delay_ns;
    struct fil_client_lookup *lookup;                // names are being asked for; NULL: none is
    struct fil_resolved found[FIL_CLIENT_SEEDS_MAX]; // what the names stand for
    int fatal; // why there is no point in going on: FIL_OK, or what authentication said

    struct fil_list maps;
    struct fil_list things; // queues and their kin
    struct fil_list listeners;
    struct fil_list closed_listeners; // to be freed by the stepper
    uint32_t listener_serial;
    uint64_t repair_at_ns; // near caches compare their sequences

    struct fil_prng prng;
    struct fil_client_stats stats;
    char problem[FIL_CLIENT_PROBLEM_MAX];
};

// client.c

/** Free. */
void fil_client__lock(struct fil_client *client) FIL_TSA(acquire_capability(client->mutex));
void fil_client__unlock(struct fil_client *client) FIL_TSA(release_capability(client->mutex));

/** Free: whether the calling thread is inside of this client's step. */
bool fil_client__is_inside(const struct fil_client *client);

/** Free: the calling thread goes into a step, or back to where it was before. */
const struct fil_client *fil_client__enter(const struct fil_client *client);

/** Free: a client in an environment, which has not connected yet. The problem tells of an error. */
int fil_client__new(struct fil_client **out_client, const struct fil_client_options *options,
                    struct fil_env *env, char problem[FIL_CLIENT_PROBLEM_MAX]) FIL_NODISCARD;

void fil_client__complain(struct fil_client *client, const char *format, ...) FIL_PRINTF(2, 3);

// settings.c

/** Free. FIL_E_INVALID, FIL_E_ADDRESS; the problem tells which. */
int fil_client__settle(struct fil_client_settings *settings,
                       const struct fil_client_options *options, char *problem, size_t size)
    FIL_NODISCARD;

/** Free: in nanoseconds, at most a year. */
uint64_t fil_client__time_ns(uint64_t ms);

// step.c

/** Free: one turn; see fil_client_step. */
int fil_client__step(struct fil_client *client, uint64_t timeout_ns) FIL_NODISCARD;

/**
 * Lets the mutex go for a step, or until the one who steps has ended one. Waiters reach the client
 * by several ways, which the compiler cannot tell to be one: it is asserted that they hold it.
 */
void fil_client__turn(struct fil_client *client) FIL_TSA(no_thread_safety_analysis);

/** The same, until that time at most. */
void fil_client__turn_until(struct fil_client *client, uint64_t end_ns)
    FIL_TSA(no_thread_safety_analysis);

/** When the next timer of any kind is due. */
uint64_t fil_client__next_ns(struct fil_client *client);

/** After calls were begun: sends them now when nobody else will soon. */
void fil_client__kick(struct fil_client *client);

/** Sends all that waits for it. */
void fil_client__flush(struct fil_client *client);

// call.c

/** What a request is about, for fil_client__begin. */
struct fil_client_request {
    const struct fil_client_op *op;
    const void *fields;
    int32_t partition;
    fil_client_done_fn done;
    fil_value_fn tell;
    void *context;
    struct fil_map *map;
    uint32_t near_ticket;
    uint64_t deadline_ns; // 0: of a call that begins now
};

int fil_client__calls_init(struct fil_client *client) FIL_NODISCARD;
void fil_client__calls_fini(struct fil_client *client);

/** Makes a call and sends it, or lets it wait. FIL_E_FULL, FIL_E_NOMEM, FIL_E_LIMIT ... */
int fil_client__begin(struct fil_client *client, const struct fil_client_request *request)
    FIL_NODISCARD;

/** When what the calling thread begins now is given up. */
uint64_t fil_client__deadline_ns(struct fil_client *client);

/** As begin, but waits for room when too many are in flight; FIL_E_TIMEOUT. */
int fil_client__begin_when_possible(struct fil_client *client, struct fil_client_request *request)
    FIL_NODISCARD;

/** Sends what waits for a link, as far as there is one. */
void fil_client__resume(struct fil_client *client);

/** The link is gone: what it carried is sent anew, or ends. */
void fil_client__abandon(struct fil_client *client, struct fil_client_link *link);

/** Ends all calls, as far as there is room for deliveries. Returns whether none is left. */
bool fil_client__cancel_all(struct fil_client *client, int error);

/** An answer has come. */
void fil_client__answer(struct fil_client *client, const struct fil_wire_header *header,
                        struct fil_bytes message);

/** A timer of a call. */
void fil_client__expire(struct fil_client *client, struct fil_client_call *call, uint64_t now_ns);

/** After its callback has run. */
void fil_client__recycle(struct fil_client *client, struct fil_client_call *call);

/** Encodes into the scratch; the bytes are valid until the next call. */
int fil_client__encode(struct fil_client *client, const struct fil_client_op *op,
                       const struct fil_wire_header *header, const void *fields,
                       struct fil_chunk_queue **out_bytes) FIL_NODISCARD;

// link.c

void fil_client__link_init(struct fil_client *client, uint8_t index);
void fil_client__link_dial(struct fil_client_link *link);

/** The stepper, while it collects deliveries. */
void fil_client__link_close(struct fil_client_link *link);

/** The link is of no use any more; the stepper closes it. */
void fil_client__link_doom(struct fil_client_link *link, const char *reason);
void fil_client__link_event(struct fil_client_link *link, uint32_t ready);
void fil_client__link_flush(struct fil_client_link *link);
void fil_client__link_append(struct fil_client_link *link, struct fil_bytes bytes);

/** Looks at what was received before, while there was no room for deliveries. */
void fil_client__link_continue(struct fil_client_link *link);

/** Encodes a request of the client's own, which has no call. */
void fil_client__link_tell(struct fil_client_link *link, const struct fil_client_op *op,
                           int64_t correlation, const void *fields);

static inline bool fil_client__link_is(const struct fil_client_link *link,
                                       enum fil_client_link_state state)
{
    return fil_fsm_is(&link->fsm, (uint32_t)state);
}

// session.c: messages of the client's own. Their correlations say what they are.

#define FIL_CLIENT_OWN        (INT64_C(1) << 62)
#define FIL_CLIENT_OWN_SHIFT  56
#define FIL_CLIENT_OWN_NUMBER ((INT64_C(1) << FIL_CLIENT_OWN_SHIFT) - 1)

enum fil_client_own {
    FIL_CLIENT_OWN_GREETING,
    FIL_CLIENT_OWN_PING,
    FIL_CLIENT_OWN_VIEW,
    FIL_CLIENT_OWN_PROXY,
    FIL_CLIENT_OWN_LISTENER,
    FIL_CLIENT_OWN_REPAIR,
};

static inline int64_t fil_client__own(enum fil_client_own kind, uint32_t number)
{
    return FIL_CLIENT_OWN | ((int64_t)kind << FIL_CLIENT_OWN_SHIFT) | (int64_t)number;
}

void fil_client__greet(struct fil_client_link *link);
void fil_client__ping(struct fil_client_link *link);
void fil_client__announce_map(struct fil_client_link *link, const struct fil_map *map);

/** An answer or event of the client's own. */
void fil_client__own_message(struct fil_client_link *link, const struct fil_wire_header *header,
                             struct fil_bytes message);

/** What an error response says: a code of ours, and the problem as text. */
int fil_client__read_error(struct fil_client *client, const struct fil_client_link *link,
                           struct fil_bytes message, int32_t *out_wire_code);

// cluster.c

/** Dials, watches and gives up what its time has come for. */
void fil_client__upkeep(struct fil_client *client, uint64_t now_ns);

/** Something has changed: upkeep looks at everything in the next turn. */
void fil_client__hurry(struct fil_client *client);

/** The link of a member, or NULL. */
struct fil_client_link *fil_client__link_of(struct fil_client *client, struct fil_wire_uuid member);

void fil_client__members(struct fil_client *client, int32_t version,
                         const struct fil_wire_part *members);
void fil_client__partitions(struct fil_client *client, int32_t version,
                            const struct fil_wire_part *partitions);

/** A link has become ready, or is no longer. */
void fil_client__link_up(struct fil_client_link *link);
void fil_client__link_down(struct fil_client_link *link);

/** The member has turned out to be behind another link than the one that stood for it. */
void fil_client__link_replace(struct fil_client_link *old, struct fil_client_link *link);

/** The link for a partition, or any for -1; NULL: none is ready. */
struct fil_client_link *fil_client__route(struct fil_client *client, int32_t partition);

// lookup.c: names of hosts, asked for on a thread that lives as long as that takes.

/** Begins to ask for the names among the addresses, unless somebody is at it. */
void fil_client__lookup_start(struct fil_client *client);

/** Takes what was found; false: nothing new. */
bool fil_client__lookup_take(struct fil_client *client);

/** Free: nobody waits for the answer any more. */
void fil_client__lookup_leave(struct fil_client *client);

// value.c: all free.

/** The serialized form in memory of the caller: `room`, or `out_heap`, which it frees. */
int fil_client__value_encode(const struct fil_value *value, uint8_t *room, size_t room_size,
                             struct fil_bytes *out_data, void **out_heap) FIL_NODISCARD;

/** The value of serialized bytes, which it borrows; anything unknown is FIL_VALUE_DATA. */
struct fil_value fil_client__value_view(struct fil_bytes data);

/** A copy that owns its bytes. */
int fil_client__value_copy(const struct fil_value *value, struct fil_value *out_value)
    FIL_NODISCARD;

/** Reads an answer as a value that borrows from the message. FIL_E_MALFORMED. */
int fil_client__value_read(enum fil_client_answer answer, struct fil_bytes message,
                           struct fil_value *out_value) FIL_NODISCARD;
