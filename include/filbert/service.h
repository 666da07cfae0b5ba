// SPDX-License-Identifier: Apache-2.0
/**
 * Services: a service is a function from a request to a reply.
 *
 *     static struct fil_reply hello(struct fil_request *request)
 *     {
 *         return fil_reply_text(request, 200, "hello %s\n", fil_query(request, "name", "world"));
 *     }
 *
 * One signature serves both kinds of handlers. A synchronous one returns its reply. An asynchronous
 * one calls fil_reply_later(), hands the request to whoever will have the answer, and returns what
 * later gave; that thread then calls fil_request_complete(), once.
 *
 * Where a handler runs is a matter of its route, the server or the configuration, in this order:
 * "loop" is the I/O thread that read the request (for handlers of microseconds that never block),
 * "cpu" and "block" are pools of threads, and any other name is a pool of your own. Admission to a
 * pool is decided before a request waits there: who cannot be answered in time hears it at once.
 *
 * Memory:  texts and bodies that a request gives out live until it is answered. A reply borrows its
 *          bytes: static ones, or ones from fil_request_alloc().
 * Threads: a request belongs to its handler until that returns, or, after later, to whoever will
 *          complete it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filbert/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FIL_SERVICE_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define FIL_SERVICE_FORMAT(text, first)
#endif

/** The status of a reply that has been promised: see fil_reply_later. */
#define FIL_REPLY_LATER 0

/** What a filter says that lets a request through: see fil_reply_next. */
#define FIL_REPLY_NEXT (-1)

struct fil_request;
struct fil_server;
struct fil_reply_stream;

/** What a handler answers. */
struct fil_reply {
    int status;       // 200 to 599, or FIL_REPLY_LATER
    const char *type; // of the content; NULL: text/plain in UTF-8
    const void *data; // borrowed until it is sent
    size_t size;
};

typedef struct fil_reply (*fil_handler_fn)(struct fil_request *request);

/** Who is rejected first when there is too much to do. */
enum fil_priority {
    FIL_PRIORITY_NORMAL,
    FIL_PRIORITY_CRITICAL,
    FIL_PRIORITY_BATCH,
};

/** All zero means the defaults. */
struct fil_route_options {
    const char *run_on;         // "loop", "cpu", "block", a pool; NULL: as the server has it
    uint32_t deadline_ms;       // from arrival; 0: what the caller asks for, if anything
    size_t body_bytes_max;      // 0: 1 MiB, or 1 GiB of a body that is streamed
    enum fil_priority priority; // unless the request says otherwise
    void *context;              // for fil_request_context
    bool streams_body;          // the handler begins with the head alone: see fil_body_read
};

struct fil_server_options {
    const char *listen;      // "127.0.0.1:8080"; NULL: as the configuration has it
    const char *config_file; // NULL: none; environment variables count in either case
    const char *run_on;      // for routes that do not say; NULL: as the configuration has it
};

/**
 * Stands around the handlers of routes. Either function may be NULL. The state is zeroed bytes of
 * this filter's own for this request; the context is shared by all threads.
 */
struct fil_filter {
    const char *name;
    size_t state_bytes;
    void *context;

    /** Before the handler, on the I/O thread, so it must not block: fil_reply_next, or an answer.
     */
    struct fil_reply (*enter)(void *context, struct fil_request *request, void *state);

    /**
     * After the answer is there, of whomever it is, on the thread that has it: returns it, or
     * another one. Called exactly once for each request that was entered.
     */
    struct fil_reply (*leave)(void *context, struct fil_request *request, void *state,
                              struct fil_reply reply);
};

// Requests.

/** The text of a path parameter, "{id}" in the pattern; never NULL. */
const char *fil_param(struct fil_request *request, const char *name);

/** The first query parameter of that name, decoded, or the fallback. */
const char *fil_query(struct fil_request *request, const char *name, const char *fallback);

/** The first header of that name, in any case, or the fallback. */
const char *fil_header(struct fil_request *request, const char *name, const char *fallback);

/** "GET". */
const char *fil_request_method(struct fil_request *request);

/** The path as it was sent, without the query. */
const char *fil_request_path(struct fil_request *request);

/** The body, and its size in out_size; not terminated. */
const void *fil_body(struct fil_request *request, size_t *out_size);

/** Memory that lives until the request is answered; NULL when there is none left. */
void *fil_request_alloc(struct fil_request *request, size_t size);

/** What the route was given. */
void *fil_request_context(struct fil_request *request);

/** Whether nobody waits for the answer any more; a long handler should look now and then. */
bool fil_request_is_cancelled(struct fil_request *request);

/** Milliseconds until the deadline; UINT64_MAX without one. */
uint64_t fil_request_remaining_ms(struct fil_request *request);

// Bodies that are read piece by piece, on routes that say so.

/**
 * Copies what has come of the body. FIL_OK with an out_size of 0 is its end. FIL_E_AGAIN when more
 * will come; FIL_E_MALFORMED, FIL_E_LIMIT, FIL_E_NOMEM or FIL_E_CLOSED when no more will, though it
 * is not complete; FIL_E_INVALID on a route whose bodies are whole. The sender waits while much is
 * unread, and one that asks first is called on (100 Continue) when the handler looks for the body.
 */
int fil_body_read(struct fil_request *request, void *room, size_t size, size_t *out_size);

/**
 * Waits until read has something to say: for threads of pools and of the program. FIL_E_TIMEOUT,
 * FIL_E_WOULD_BLOCK on an I/O thread.
 */
int fil_body_wait(struct fil_request *request, uint32_t timeout_ms);

/**
 * Calls ready on the I/O thread whenever read has something to say, perhaps before this returns:
 * for handlers that stay there. It may complete the request. FIL_E_INVALID on another thread.
 */
typedef void (*fil_body_ready_fn)(struct fil_request *request, void *context);
int fil_body_watch(struct fil_request *request, fil_body_ready_fn ready, void *context);

// Replies.

/** Formats into memory of the request. */
FIL_SERVICE_FORMAT(3, 4)
struct fil_reply fil_reply_text(struct fil_request *request, int status, const char *format, ...);

/** Borrows the bytes. The type may be NULL: application/octet-stream. */
struct fil_reply fil_reply_bytes(int status, const char *type, const void *data, size_t size);

/** A failure by its code (FIL_E_NOT_FOUND is 404, FIL_E_TIMEOUT 504 ...) with its sentence. */
struct fil_reply fil_reply_error(struct fil_request *request, int error);

/** Adds a header to the reply; copies both. FIL_E_INVALID for bytes that a header cannot have. */
int fil_reply_header(struct fil_request *request, const char *name, const char *value);

/** A filter lets the request through. */
struct fil_reply fil_reply_next(void);

/**
 * Promises the answer: from now on any thread may complete the request. Return what this returns;
 * when its status is not FIL_REPLY_LATER, there was no memory, and it is the answer.
 */
struct fil_reply fil_reply_later(struct fil_request *request);

/** Answers a request whose answer was promised. Once, on any thread; the request is gone then. */
void fil_request_complete(struct fil_request *request, struct fil_reply reply);

// Answers that come piece by piece.

/**
 * Begins an answer whose body follows in pieces, and promises its end; headers must have been added
 * before. The handler returns fil_reply_streamed, at once or when it has written all. From then on
 * any thread may write, one at a time, and must end the stream, once. NULL when there is no memory,
 * or when the status is none of 200 to 599.
 */
struct fil_reply_stream *fil_reply_stream_open(struct fil_request *request, int status,
                                               const char *type);
struct fil_reply fil_reply_streamed(struct fil_reply_stream *stream);

/**
 * Copies a piece. FIL_E_AGAIN when so much waits for the reader that this one must wait too,
 * FIL_E_CLOSED when the reader is gone, FIL_E_NOMEM; nothing is taken then.
 */
int fil_reply_stream_write(struct fil_reply_stream *stream, const void *data, size_t size);

/** A server-sent event of a stream of type text/event-stream; the name may be NULL. As write, or
 * FIL_E_INVALID for a name of several lines or a carriage return. */
int fil_reply_stream_event(struct fil_reply_stream *stream, const char *name, const char *data);

/**
 * Waits until a write is taken again: for threads of pools and of the program. FIL_E_TIMEOUT,
 * FIL_E_CLOSED when the reader is gone, FIL_E_WOULD_BLOCK on an I/O thread.
 */
int fil_reply_stream_wait(struct fil_reply_stream *stream, uint32_t timeout_ms);

/** The body is complete; stream and request are gone then. Also after FIL_E_CLOSED. */
void fil_reply_stream_end(struct fil_reply_stream *stream);

// Servers.

/**
 * Reads the configuration; what is wrong with it goes to the log on stderr. From here on the
 * signals that end a process wait for fil_server_run. FIL_E_CONFIG, FIL_E_NOMEM.
 */
int fil_server_new(struct fil_server **out_server, const struct fil_server_options *options);
void fil_server_free(struct fil_server *server);

/**
 * Adds a route before the server runs: "GET /users/{id}". A last segment of one star takes the rest
 * of the path and is the parameter "*". The handler of GET answers HEAD too. FIL_E_INVALID for a
 * pattern that is none, FIL_E_EXISTS, FIL_E_LIMIT, FIL_E_NOMEM.
 */
int fil_route(struct fil_server *server, const char *pattern, fil_handler_fn handler,
              const struct fil_route_options *options);

/**
 * Adds a route for the files below a folder: the pattern is "GET /path/" and a star, the options'
 * context is NULL. Links are not followed, names that begin with a dot are not found; ranges and
 * conditions (ETag, Last-Modified) are answered. It runs in the pool "block" unless the options say
 * otherwise. Errors as fil_route, and FIL_E_NOT_FOUND, FIL_E_DENIED or FIL_E_IO for the folder.
 */
int fil_route_files(struct fil_server *server, const char *pattern, const char *folder,
                    const struct fil_route_options *options);

/**
 * Puts a copy of the filter around the route of this pattern, or, without one, around all routes of
 * the program, also those that are added later. Filters are entered in the order in which they
 * were added, those of all routes first, then those of service.filters in the configuration; the
 * page /services shows it. FIL_E_INVALID without a name, FIL_E_NOT_FOUND, FIL_E_LIMIT, FIL_E_NOMEM.
 */
int fil_filter_add(struct fil_server *server, const char *pattern, const struct fil_filter *filter);

/**
 * Serves until SIGTERM, SIGINT or SIGHUP, then drains: readiness goes off, what was received is
 * answered, and the connections end. FIL_OK when nothing was lost, FIL_E_TIMEOUT when connections
 * had to be cut; or why it could not start, after a line in the log.
 */
int fil_server_run(struct fil_server *server);

#ifdef __cplusplus
}
#endif
