// SPDX-License-Identifier: Apache-2.0
#include "flow/inquiries.h"

#include <string.h>

#include "core/pipeline/json_lines.h"
#include "filbert/error.h"
#include "flow/connector.h"
#include "flow/form.h"
#include "lib/base/assert.h"
#include "lib/base/cursor.h"
#include "lib/http/status.h"
#include "lib/http/target.h"

#define LOOK_AGAIN_NS     UINT64_C(100000)
#define NUMBER_BYTES_MAX  40U
#define PAUSE_DOUBLED_MAX 16U
#define STATUS_CLASS      100 // 204 is one of 2xx

// Room.

static size_t field_size_max(const struct fil_field *field)
{
    return field->kind == FIL_FIELD_TEXT ? field->size : NUMBER_BYTES_MAX;
}

static size_t target_size_max(const struct fil_connection_request *request)
{
    size_t size = 1;
    for (uint32_t i = 0; i < request->part_count; i++) {
        const struct fil_path_part *part = &request->parts[i];
        size += part->text_size + (part->field == NULL ? 0 : 3 * field_size_max(part->field));
    }
    return fil_form_align(size);
}

static size_t body_size_max(const struct fil_connection_request *request)
{
    size_t line = fil_json_lines_size_max(request->record_type) + 1;
    return request->has_body ? fil_form_align(line * request->batch) : 0;
}

static enum fil_http_method method_of(const char *name)
{
    static const enum fil_http_method methods[] = {FIL_HTTP_GET, FIL_HTTP_POST, FIL_HTTP_PUT,
                                                   FIL_HTTP_PATCH, FIL_HTTP_DELETE};
    for (uint32_t i = 0; i < FIL_COUNT_OF(methods); i++) {
        if (strcmp(fil_http_method_name(methods[i]), name) == 0) {
            return methods[i];
        }
    }
    fil_assert(false);
    return FIL_HTTP_OTHER;
}

static void done(struct fil_outcall *call)
{
    struct fil_inquiry *inquiry = FIL_CONTAINER_OF(call, struct fil_inquiry, call);
    struct fil_inquiries *all = inquiry->all;
    (void)fil_stack_push(&all->done, &inquiry->done);
    // From here on it may be sent anew; the instance stays, because outside still counts us.
    if (all->tasklet != NULL) {
        fil_tasklet_wake(all->tasklet, NULL);
    }
    // R1 pairs with A1: the last touch of the instance and of the tasklet.
    uint32_t before = atomic_fetch_sub_explicit(&all->outside, 1, memory_order_release);
    fil_assert(before > 0);
}

/** What is the same for all requests of a slot. */
static int furnish(struct fil_inquiries *all, struct fil_inquiry *inquiry)
{
    const struct fil_connection *connection = all->connection;
    const struct fil_connection_request *request = connection->request;
    inquiry->all = all;
    fil_list_init(&inquiry->pause);
    inquiry->target = (char *)inquiry->flight.answer + fil_form_align(connection->partner_size);
    inquiry->body = inquiry->target + target_size_max(request);
    inquiry->call = (struct fil_outcall){.method = method_of(request->method),
                                         .type = request->batch > 1 ? "application/x-ndjson"
                                                                    : "application/json",
                                         .timeout_ns = request->timeout_ns,
                                         .may_repeat = request->may_repeat,
                                         .done = done};
    if (all->has_answers) {
        inquiry->call.room = (uint8_t *)inquiry->body + body_size_max(request);
        inquiry->call.room_size = FIL_CONNECTION_ANSWER_MAX;
    }
    return all->caller->ops->prepare(all->line, &inquiry->call);
}

int fil_inquiries_open(struct fil_inquiries *all, struct fil_processor_context *context,
                       const struct fil_connection *connection)
{
    const struct fil_flow_grid *grid = connection->grid;
    const struct fil_connection_request *request = connection->request;
    all->connection = connection;
    all->caller = grid->caller;
    all->tasklet = context->tasklet;
    all->has_answers = connection->kind == FIL_CONNECTION_CALL;
    fil_list_init(&all->paused);
    fil_stack_init(&all->done);
    context->tick_at_ns = FIL_TASKLET_NEVER;
    const struct fil_flight_options options = {
        .slot_count = connection->concurrency,
        .slot_size = sizeof(struct fil_inquiry),
        .record_size = all->has_answers ? connection->record_size : 0,
        .answer_size = fil_form_align(connection->partner_size) + target_size_max(request) +
                       body_size_max(request) + (all->has_answers ? FIL_CONNECTION_ANSWER_MAX : 0),
        .is_unordered = connection->is_unordered || !all->has_answers};
    int error = all->caller == NULL
                    ? FIL_E_UNSUPPORTED
                    : all->caller->ops->open(all->caller, connection->name, &all->line);
    if (error == FIL_OK) {
        error = fil_flight_init(&all->flight, context->budget, &options);
    }
    for (uint32_t i = 0; error == FIL_OK && i < options.slot_count; i++) {
        error = furnish(all, fil_flight_slot(&all->flight, i));
    }
    return error;
}

void fil_inquiries_close(struct fil_inquiries *all)
{
    // A1 pairs with R1.
    fil_assert(atomic_load_explicit(&all->outside, memory_order_acquire) == 0);
    for (uint32_t i = 0; all->flight.memory != NULL && i < all->connection->concurrency; i++) {
        struct fil_inquiry *inquiry = fil_flight_slot(&all->flight, i);
        all->caller->ops->release(&inquiry->call);
    }
    fil_flight_fini(&all->flight);
    if (all->line != NULL) {
        all->caller->ops->close(all->line);
        all->line = NULL;
    }
}

// Asking.

static void write_field(struct fil_writer *writer, const struct fil_field *field,
                        const void *record)
{
    struct fil_type one = {.fields = field, .field_count = 1};
    char number[NUMBER_BYTES_MAX];
    if (field->kind == FIL_FIELD_TEXT) {
        const char *text = (const char *)record + field->offset;
        (void)fil_http_target_encode(writer, fil_bytes_make(text, strnlen(text, field->size)));
        return;
    }
    size_t size = fil_form_write_value(&one, record, number, sizeof(number));
    (void)fil_http_target_encode(writer, fil_bytes_make(number, size));
}

static struct fil_bytes write_target(struct fil_inquiry *inquiry, const void *record)
{
    const struct fil_connection_request *request = inquiry->all->connection->request;
    struct fil_writer writer;
    fil_writer_init(&writer, inquiry->target, target_size_max(request));
    for (uint32_t i = 0; i < request->part_count; i++) {
        const struct fil_path_part *part = &request->parts[i];
        (void)fil_writer_bytes(&writer, fil_bytes_make(part->text, part->text_size));
        if (part->field != NULL) {
            write_field(&writer, part->field, record);
        }
    }
    fil_assert(!writer.is_full);
    return fil_writer_written(&writer);
}

struct fil_inquiry *fil_inquiries_take(struct fil_inquiries *all, const void *record, int64_t time)
{
    struct fil_inquiry *inquiry = fil_flight_send(&all->flight, record, time);
    if (inquiry != NULL) {
        inquiry->try_count = 0;
        inquiry->is_found = false;
        inquiry->call.target = write_target(inquiry, record);
        inquiry->call.body = fil_bytes_make(inquiry->body, 0);
    }
    return inquiry;
}

void fil_inquiry_add(struct fil_inquiry *inquiry, const void *record)
{
    const struct fil_connection_request *request = inquiry->all->connection->request;
    size_t used = inquiry->call.body.size;
    size_t capacity = body_size_max(request);
    if (!request->has_body) {
        return;
    }
    size_t size =
        fil_json_lines_format(request->record_type, record, inquiry->body + used, capacity - used);
    fil_assert(size < capacity - used);
    if (request->batch > 1) {
        inquiry->body[used + size] = '\n';
        size++;
    }
    inquiry->call.body.size = used + size;
}

void fil_inquiry_send(struct fil_inquiry *inquiry)
{
    struct fil_inquiries *all = inquiry->all;
    inquiry->try_count++;
    // Relaxed: whatever hands the request over orders it.
    atomic_fetch_add_explicit(&all->outside, 1, memory_order_relaxed);
    all->caller->ops->start(&inquiry->call);
}

// What comes back.

/** The answer as a partner, if there is one. */
static int read_answer(struct fil_inquiry *inquiry)
{
    const struct fil_connection *connection = inquiry->all->connection;
    const struct fil_outcall *call = &inquiry->call;
    if (!inquiry->all->has_answers || call->status == FIL_HTTP_STATUS_NO_CONTENT ||
        call->status == FIL_HTTP_STATUS_NOT_FOUND) {
        return FIL_OK;
    }
    int error = fil_json_lines_parse(&connection->value_type,
                                     fil_bytes_make(call->room, call->content_size),
                                     inquiry->flight.answer);
    inquiry->is_found = error == FIL_OK;
    return error == FIL_E_NOT_FOUND ? FIL_OK : error; // nothing at all
}

static bool is_answered(const struct fil_inquiry *inquiry)
{
    int status = inquiry->call.status;
    bool is_missing = status == FIL_HTTP_STATUS_NOT_FOUND && inquiry->all->has_answers;
    bool is_good = status / STATUS_CLASS == FIL_HTTP_STATUS_OK / STATUS_CLASS;
    return inquiry->call.error == FIL_OK && (is_good || is_missing);
}

/** Whether the same request may do better later. */
static bool may_pass(const struct fil_outcall *call)
{
    if (call->error != FIL_OK) {
        return fil_error_is_retryable(call->error) && call->error != FIL_E_STOPPING;
    }
    return call->status >= FIL_HTTP_STATUS_INTERNAL_SERVER_ERROR ||
           call->status == FIL_HTTP_STATUS_REQUEST_TIMEOUT ||
           call->status == FIL_HTTP_STATUS_TOO_MANY_REQUESTS;
}

static bool is_tried_again(const struct fil_inquiry *inquiry)
{
    const struct fil_outcall *call = &inquiry->call;
    bool is_repeatable =
        call->may_repeat || (call->method != FIL_HTTP_POST && call->method != FIL_HTTP_PATCH);
    bool is_begun = call->error == FIL_OK ? call->status >= FIL_HTTP_STATUS_INTERNAL_SERVER_ERROR
                                          : call->is_started;
    return !inquiry->all->is_stopping &&
           inquiry->try_count < inquiry->all->connection->request->tries && may_pass(call) &&
           (is_repeatable || call->is_refusal || !is_begun);
}

static void pause_it(struct fil_inquiry *inquiry, uint64_t now_ns)
{
    const struct fil_connection_request *request = inquiry->all->connection->request;
    uint32_t doubled = inquiry->try_count - 1;
    uint64_t pause_ns = request->pause_ns
                        << (doubled < PAUSE_DOUBLED_MAX ? doubled : PAUSE_DOUBLED_MAX);
    inquiry->again_ns =
        now_ns + (pause_ns < request->pause_ns_max ? pause_ns : request->pause_ns_max);
    fil_list_push_back(&inquiry->all->paused, &inquiry->pause);
}

/** Why the job fails; some codes mean something else to the engine. */
static int cause_of(const struct fil_outcall *call)
{
    if (call->error == FIL_E_FULL || call->error == FIL_E_AGAIN) {
        return FIL_E_LIMIT;
    }
    if (call->error != FIL_OK) {
        return call->error;
    }
    return may_pass(call) ? FIL_E_IO : FIL_E_REFUSED;
}

/** A request is over, for now or for good. */
static int take_one(struct fil_inquiry *inquiry, uint64_t now_ns)
{
    int error = FIL_OK;
    if (is_answered(inquiry)) {
        error = read_answer(inquiry);
    } else if (is_tried_again(inquiry)) {
        pause_it(inquiry, now_ns);
        return FIL_OK;
    } else {
        error = cause_of(&inquiry->call);
    }
    fil_flight_land(&inquiry->all->flight, &inquiry->flight);
    return error;
}

/** Sends those whose pause is over, and says when the next one is. */
static void resume(struct fil_inquiries *all, struct fil_processor_context *context)
{
    uint64_t next_ns = FIL_TASKLET_NEVER;
    fil_list_foreach_safe(link, following, &all->paused) {
        struct fil_inquiry *inquiry = FIL_CONTAINER_OF(link, struct fil_inquiry, pause);
        if (inquiry->again_ns <= context->now_ns) {
            fil_list_remove(link);
            fil_inquiry_send(inquiry);
        } else if (inquiry->again_ns < next_ns) {
            next_ns = inquiry->again_ns;
        }
    }
    context->tick_at_ns = next_ns;
    context->wake_at_ns = next_ns;
}

int fil_inquiries_take_back(struct fil_inquiries *all, struct fil_processor_context *context)
{
    int error = FIL_OK;
    struct fil_link *next = NULL;
    for (struct fil_link *link = fil_stack_take_all(&all->done); link != NULL; link = next) {
        next = link->next;
        int result = take_one(FIL_CONTAINER_OF(link, struct fil_inquiry, done), context->now_ns);
        error = error == FIL_OK ? result : error;
    }
    if (error == FIL_OK) {
        resume(all, context);
    }
    return error;
}

// Ends.

int fil_inquiries_wait(struct fil_inquiries *all, struct fil_processor_context *context)
{
    // A1 pairs with R1.
    if (atomic_load_explicit(&all->outside, memory_order_acquire) == 0) {
        return FIL_OK;
    }
    if (all->flight.out_count == 0) {
        context->wake_at_ns = context->now_ns + LOOK_AGAIN_NS; // else the end of one wakes
    }
    return FIL_E_AGAIN;
}

/** Those that wait for another try are over, those under way are soon. */
static void cancel_all(struct fil_inquiries *all)
{
    for (uint32_t i = 0; i < all->connection->concurrency; i++) {
        struct fil_inquiry *inquiry = fil_flight_slot(&all->flight, i);
        if (!inquiry->flight.is_out) {
            continue;
        }
        if (fil_list_is_linked(&inquiry->pause)) {
            fil_list_remove(&inquiry->pause);
            fil_flight_land(&all->flight, &inquiry->flight);
        } else {
            all->caller->ops->cancel(&inquiry->call);
        }
    }
}

int fil_inquiries_stop(struct fil_inquiries *all, struct fil_processor_context *context)
{
    if (all->flight.memory == NULL) {
        return FIL_OK;
    }
    if (!all->is_stopping) {
        all->is_stopping = true;
        cancel_all(all);
    }
    int error = fil_inquiries_take_back(all, context);
    (void)error; // does not count any more
    return fil_inquiries_wait(all, context);
}
