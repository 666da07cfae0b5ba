// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/rest_queues.h"

#include <inttypes.h>

#include "core/exec/partition.h"
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "grid/map/form.h"
#include "grid/queue/queue.h"
#include "lib/base/assert.h"
#include "lib/http/status.h"

#define ITEM_BYTES_MAX ((size_t)1 << 20)
#define WAIT_MS_MAX    UINT64_C(30000)
#define NS_PER_MS      UINT64_C(1000000)

struct errand;

/** Inside the partition; leaves the answer in the errand. FIL_E_AGAIN: it would have to wait. */
typedef int (*errand_fn)(struct errand *errand, uint64_t now_ms);

/** One request on its way to its queue; lives in the request's memory. */
struct errand {
    struct fil_op op;
    struct fil_request *request;
    struct fil_container *container;
    struct fil_waiter waiter;
    errand_fn run;
    uint64_t wait_ms;
    struct fil_reply reply;
};

static struct fil_queue *queue_of(const struct errand *errand)
{
    return fil_queue_of(errand->container);
}

static uint64_t now_ms(const struct errand *errand, uint64_t now_ns)
{
    return fil_container_now_ms(errand->container, now_ns);
}

static struct fil_reply reply_status(int status)
{
    return (struct fil_reply){.status = status, .type = "text/plain; charset=utf-8"};
}

static int run_offer(struct errand *errand, uint64_t now)
{
    int error = fil_queue_offer_here(queue_of(errand), &errand->waiter, errand->request->body, now);
    if (error == FIL_OK) {
        errand->reply = reply_status(FIL_HTTP_STATUS_CREATED);
    }
    return error;
}

static int run_poll(struct errand *errand, uint64_t now)
{
    struct fil_bytes item;
    int error = fil_queue_next_here(queue_of(errand), &errand->waiter, &item);
    if (error == FIL_OK) {
        error = fil_rest_copy_value(errand->request, item, &errand->reply);
    }
    if (error == FIL_OK) {
        fil_queue_take_here(queue_of(errand), &errand->waiter, now);
    }
    return error;
}

static int run_peek(struct errand *errand, uint64_t now)
{
    struct fil_bytes item;
    return fil_queue_peek_here(queue_of(errand), now, &item)
               ? fil_rest_copy_value(errand->request, item, &errand->reply)
               : FIL_E_AGAIN;
}

static int run_figures(struct errand *errand, uint64_t now)
{
    const struct fil_queue *queue = queue_of(errand);
    uint64_t room = fil_queue_room_here(queue);
    uint64_t items = fil_queue_size_here(queue);
    (void)now;
    errand->reply =
        room == UINT64_MAX
            ? fil_reply_text(errand->request, FIL_HTTP_STATUS_OK, "{\"items\": %" PRIu64 "}\n",
                             items)
            : fil_reply_text(errand->request, FIL_HTTP_STATUS_OK,
                             "{\"items\": %" PRIu64 ", \"room\": %" PRIu64 "}\n", items, room);
    errand->reply.type = "application/json";
    return FIL_OK;
}

/** The answer to one that found nothing, or no room, and has no time left. */
static struct fil_reply reply_in_vain(const struct errand *errand)
{
    return errand->run == run_offer
               ? fil_reply_text(errand->request, FIL_HTTP_STATUS_SERVICE_UNAVAILABLE,
                                "the queue is full\n")
               : reply_status(FIL_HTTP_STATUS_NO_CONTENT);
}

static void settle(struct errand *errand, int error)
{
    if (error == FIL_E_AGAIN || error == FIL_E_TIMEOUT) {
        errand->reply = reply_in_vain(errand);
    } else if (error != FIL_OK) {
        errand->reply = fil_reply_error(errand->request, error);
    }
}

static enum fil_op_outcome run_op(struct fil_op *op, struct fil_partition *partition)
{
    struct errand *errand = FIL_CONTAINER_OF(op, struct errand, op);
    int error = fil_waiter_begin_here(&errand->waiter, op);
    if (error == FIL_OK && fil_request_is_cancelled(errand->request)) {
        error = FIL_E_CANCELLED; // nobody would get what it takes
    }
    if (error == FIL_OK) {
        error = errand->run(errand, now_ms(errand, partition->runner->now_ns));
    }
    if (error == FIL_E_AGAIN && errand->wait_ms > 0) {
        return fil_waiter_park_here(&errand->waiter, partition);
    }
    settle(errand, error);
    return FIL_OP_DONE;
}

static void complete_op(struct fil_op *op, struct fil_runner *runner)
{
    struct errand *errand = FIL_CONTAINER_OF(op, struct errand, op);
    (void)runner;
    fil_waiter_end_here(&errand->waiter);
    if (op->error != FIL_OK) {
        settle(errand, op->error);
    }
    fil_request_complete(errand->request, errand->reply);
}

static const struct fil_op_type op_type = {
    .name = "rest queue", .run = run_op, .complete = complete_op};

/** Right here when the queue's partition is free. */
static bool run_here(struct errand *errand, struct fil_turn *turn) FIL_RUNS_ON(io)
{
    struct fil_partition *partition = fil_turn_enter(turn, errand->container->partition_id);
    if (partition == NULL) {
        return false;
    }
    int error = errand->run(errand, now_ms(errand, turn->runner.now_ns));
    fil_turn_leave(turn, partition);
    bool must_wait = error == FIL_E_AGAIN && errand->wait_ms > 0;
    if (!must_wait) {
        settle(errand, error);
    }
    return !must_wait;
}

static struct fil_reply dispatch(struct errand *errand)
{
    struct fil_request *request = errand->request;
    fil_assert(request->runner != NULL); // the routes run on the loop
    fil_role_assert_io();
    struct fil_turn *turn = FIL_CONTAINER_OF(request->runner, struct fil_turn, runner);
    if (run_here(errand, turn)) {
        return errand->reply;
    }
    struct fil_reply later = fil_reply_later(request);
    if (later.status == FIL_REPLY_LATER) {
        uint64_t until_ns = turn->runner.now_ns + errand->wait_ms * NS_PER_MS;
        errand->waiter = (struct fil_waiter){0};
        fil_op_init(&errand->op, &op_type, errand->container->partition_id);
        if (errand->wait_ms > 0) {
            errand->op.deadline_ns = until_ns;
        }
        if (request->deadline_ns < errand->op.deadline_ns) {
            errand->op.deadline_ns = request->deadline_ns;
        }
        fil_turn_submit(turn, &errand->op);
    }
    return later;
}

/** False: it is no number, or too large. */
static bool read_wait(struct fil_request *request, uint64_t *out_ms)
{
    const char *text = fil_query(request, "wait_ms", "0");
    return fil_bytes_to_u64(fil_bytes_of(text), out_ms) && *out_ms <= WAIT_MS_MAX;
}

static struct fil_reply handle(struct fil_request *request, errand_fn run, bool is_made)
{
    const struct fil_rest_binding *binding = fil_request_context(request);
    struct fil_bytes name = fil_rest_name(request);
    struct errand *errand = fil_request_alloc(request, sizeof(*errand));
    if (errand == NULL) {
        return fil_reply_error(request, FIL_E_NOMEM);
    }
    *errand = (struct errand){.request = request, .run = run};
    if (!read_wait(request, &errand->wait_ms)) {
        return fil_reply_text(request, FIL_HTTP_STATUS_BAD_REQUEST,
                              "wait_ms is a number of milliseconds, %" PRIu64 " at most\n",
                              WAIT_MS_MAX);
    }
    struct fil_directory *directory = binding->grid->directory;
    errand->container = fil_directory_find(directory, &fil_queue_type, name);
    int error = errand->container == NULL && is_made
                    ? fil_directory_get(directory, &fil_queue_type, name, &errand->container)
                    : FIL_OK;
    if (error != FIL_OK) {
        return fil_reply_error(request, error);
    }
    return errand->container == NULL
               ? fil_reply_text(request, FIL_HTTP_STATUS_NOT_FOUND, "no such queue\n")
               : dispatch(errand);
}

struct fil_reply fil_rest_queue_offer(struct fil_request *request)
{
    if (fil_map_form_is_serialized(request->body)) {
        return fil_reply_text(request, FIL_HTTP_STATUS_UNPROCESSABLE_CONTENT,
                              "the item looks like one that a client has serialized\n");
    }
    return handle(request, run_offer, true);
}

struct fil_reply fil_rest_queue_poll(struct fil_request *request)
{
    return handle(request, run_poll, true);
}

static struct fil_reply peek(struct fil_request *request)
{
    return handle(request, run_peek, false);
}

static struct fil_reply get_figures(struct fil_request *request)
{
    return handle(request, run_figures, false);
}

int fil_rest_queues_add(struct fil_service *service, struct fil_rest_binding *binding)
{
    static const struct {
        const char *pattern;
        fil_handler_fn handler;
    } routes[] = {
        {"POST /v1/queues/{name}", fil_rest_queue_offer},
        {"DELETE /v1/queues/{name}/first", fil_rest_queue_poll},
        {"GET /v1/queues/{name}/first", peek},
        {"GET /v1/queues/{name}", get_figures},
    };
    int error = FIL_OK;
    for (size_t i = 0; i < FIL_COUNT_OF(routes) && error == FIL_OK; i++) {
        struct fil_route_options options = {
            .run_on = "loop", .body_bytes_max = ITEM_BYTES_MAX, .context = binding};
        error = fil_service_route(service, routes[i].pattern, routes[i].handler, &options, NULL);
    }
    return error == FIL_E_EXISTS ? FIL_OK : error; // an embedding program has its own
}
