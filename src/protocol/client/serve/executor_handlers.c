// SPDX-License-Identifier: Apache-2.0
/** Requests about executors: functions of the member that clients have run (callable.h). */
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "grid/executor/submission.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/client/callable.h"
#include "protocol/client/generated/executor_service.h"
#include "protocol/client/serialization.h"
#include "protocol/client/serve/container_task.h"
#include "protocol/client/serve/object_service.h"
#include "protocol/client/serve/session.h"

static struct fil_submissions *submissions_of(const struct fil_wire_task *task)
{
    return task->session->server->options.submissions;
}

static int refuse(struct fil_wire_task *task, int error, const char *field, const char *reason)
{
    task->fault = (struct fil_wire_fault){.field = field, .reason = reason};
    return error;
}

static int check_served(struct fil_wire_task *task)
{
    return submissions_of(task) != NULL
               ? FIL_OK
               : refuse(task, FIL_E_UNSUPPORTED, "service", "is not served by this member");
}

/** The function that the callable names; the callable is in task->value. */
static int find_function(struct fil_wire_task *task, struct fil_wire_callable *out_callable,
                         const struct fil_function_entry **out_entry)
{
    const struct fil_functions *functions = task->session->server->options.functions;
    const char *reason = NULL;
    int error = fil_wire_callable_decode(task->value, out_callable, &reason);
    if (error != FIL_OK) {
        return refuse(task, error, "callable", reason);
    }
    *out_entry = out_callable->has_ids ? fil_functions_find_ids(functions, out_callable->factory_id,
                                                                out_callable->class_id)
                                       : fil_functions_find(functions, out_callable->name);
    return *out_entry != NULL
               ? FIL_OK
               : refuse(task, FIL_E_UNSUPPORTED, "callable", "names no function of this member");
}

static int read_submit(struct fil_wire_task *task, struct fil_bytes name, struct fil_bytes callable,
                       struct fil_wire_uuid uuid)
{
    struct fil_wire_callable decoded;
    const struct fil_function_entry *entry = NULL;
    int error = check_served(task);
    if (error != FIL_OK) {
        return error;
    }
    if (name.size == 0 || name.size >= FIL_EXECUTOR_NAME_MAX) {
        return refuse(task, FIL_E_INVALID, "name", "must have 1 to 31 bytes");
    }
    task->key.bytes = name;
    task->value = callable;
    task->uuid = uuid;
    task->key.partition_id = FIL_OP_NO_PARTITION;
    return find_function(task, &decoded, &entry);
}

int fil_wire__executor_service_submit_to_partition_read(struct fil_wire_task *task)
{
    struct fil_wire_executor_service_submit_to_partition_request request;
    int error = FIL_WIRE_READ(executor_service_submit_to_partition, task, &request);
    if (error == FIL_OK) {
        error = read_submit(task, request.name, request.callable, request.uuid);
    }
    if (error != FIL_OK) {
        return error;
    }
    if (task->header.partition < 0 ||
        (uint32_t)task->header.partition >= task->session->server->options.partition_count) {
        return refuse(task, FIL_E_INVALID, "partition", "is out of range");
    }
    task->key.partition_id = (fil_partition_id)task->header.partition;
    return FIL_OK;
}

int fil_wire__executor_service_submit_to_member_read(struct fil_wire_task *task)
{
    struct fil_wire_executor_service_submit_to_member_request request;
    int error = FIL_WIRE_READ(executor_service_submit_to_member, task, &request);
    return error == FIL_OK ? read_submit(task, request.name, request.callable, request.uuid)
                           : error;
}

static void unref_work(void *work)
{
    fil_submission_unref(work);
}

static void on_ended(void *context, struct fil_submission *submission, struct fil_runner *runner)
{
    (void)submission;
    fil_wire_call_finish(context, runner, FIL_OK);
}

/** The client is gone: nobody wants the result. */
static void abandon(struct fil_wire_call *call, struct fil_runner *runner)
{
    (void)fil_submission_cancel(call->work, true, runner);
}

static int submit(struct fil_wire_call *call, const struct fil_submission_request *request)
{
    struct fil_submission *submission = NULL;
    int error = fil_submission_new(submissions_of(&call->task), request, &submission);
    if (error != FIL_OK) {
        return error;
    }
    call->work = submission;
    call->free_work = unref_work;
    call->abandon = abandon;
    return fil_submission_send(submission);
}

/** The characters of a string in JSON stand behind their escapes. */
static int submit_unquoted(struct fil_wire_call *call, struct fil_submission_request *request,
                           const struct fil_wire_callable *callable)
{
    uint8_t *room = fil_alloc(callable->argument.size);
    if (room == NULL) {
        return FIL_E_NOMEM;
    }
    request->argument = fil_bytes_make(room, fil_wire_callable_unquote(callable, room));
    int error = submit(call, request);
    fil_free(room);
    return error;
}

static int start(struct fil_wire_call *call)
{
    fil_role_assert_io();
    struct fil_wire_task *task = &call->task;
    struct fil_wire_callable callable;
    const struct fil_function_entry *entry = NULL;
    fil_wire_call_count_apart(call);
    int error = find_function(task, &callable, &entry);
    if (error != FIL_OK) {
        return error;
    }
    struct fil_submission_request request = {
        .executor = task->key.bytes,
        .entry = entry,
        .argument = callable.argument,
        .has_fields = callable.has_ids,
        .id = {.high = task->uuid.high, .low = task->uuid.low},
        .partition_id = task->key.partition_id,
        .ended = on_ended,
        .context = call,
    };
    return callable.is_quoted ? submit_unquoted(call, &request, &callable) : submit(call, &request);
}

int fil_wire__executor_service_submit_to_partition_start(struct fil_wire_call *call,
                                                         struct fil_runner *runner)
{
    (void)runner;
    return start(call);
}

int fil_wire__executor_service_submit_to_member_start(struct fil_wire_call *call,
                                                      struct fil_runner *runner)
{
    (void)runner;
    return start(call);
}

// Responses.

static struct fil_wire_value value_of(const struct fil_function_call *call)
{
    struct fil_bytes bytes = fil_bytes_make(call->data, call->size);
    if (call->reply == FIL_FUNCTION_NUMBER) {
        return fil_wire_value_integer(FIL_WIRE_DATA_LONG, call->number);
    }
    return fil_wire_value_text(
        call->reply == FIL_FUNCTION_JSON ? FIL_WIRE_DATA_JSON : FIL_WIRE_DATA_STRING, bytes);
}

static void write_value(struct fil_wire_writer *writer, const struct fil_wire_value *value)
{
    size_t size = fil_wire_value_size(value);
    uint8_t *room = fil_wire_writer_frame(writer, 0, size);
    if (room == NULL) {
        return; // the writer knows
    }
    struct fil_writer data;
    fil_writer_init(&data, room, size);
    int error = fil_wire_value_encode(value, &data);
    fil_assert(error == FIL_OK);
}

static int answer_reply(struct fil_wire_task *task, const struct fil_function_call *call)
{
    struct fil_wire_header header = {.type = task->header.type + 1,
                                     .correlation = task->header.correlation};
    (void)fil_wire_writer_open_response(task->writer, &header, 0);
    if (call->reply == FIL_FUNCTION_NOTHING) {
        fil_wire_writer_null(task->writer);
    } else if (call->reply == FIL_FUNCTION_DATA) {
        fil_wire_writer_bytes(task->writer, fil_bytes_make(call->data, call->size));
    } else {
        struct fil_wire_value value = value_of(call);
        write_value(task->writer, &value);
    }
    return fil_wire_writer_finish(task->writer);
}

/** Why there is no reply, in words that say where to look. */
static int answer_failure(struct fil_wire_task *task, const struct fil_submission *submission)
{
    int outcome = fil_submission_outcome(submission);
    const char *problem = fil_submission_problem(submission);
    if (outcome == FIL_E_CLOSED && problem == NULL) {
        return fil_wire_answer_refusal(task, FIL_WIRE_ERROR_REJECTED_EXECUTION,
                                       "the executor was shut down: destroy it to use it again");
    }
    if (outcome == FIL_E_FULL && problem == NULL) {
        return fil_wire_answer_refusal(task, FIL_WIRE_ERROR_REJECTED_EXECUTION,
                                       "the executor has no room: see executor.capacity and "
                                       "invocation.in_flight_max");
    }
    if (problem != NULL) {
        return refuse(task, outcome, submission->entry->function.name, problem);
    }
    return outcome;
}

static int answer(struct fil_wire_task *task)
{
    struct fil_wire_call *call = FIL_CONTAINER_OF(task, struct fil_wire_call, task);
    const struct fil_submission *submission = call->work;
    return fil_submission_outcome(submission) == FIL_OK ? answer_reply(task, &submission->call)
                                                        : answer_failure(task, submission);
}

int fil_wire__executor_service_submit_to_partition_run(struct fil_wire_task *task)
{
    return answer(task);
}

int fil_wire__executor_service_submit_to_member_run(struct fil_wire_task *task)
{
    return answer(task);
}

// Cancelling, and the end.

static int cancel(struct fil_wire_task *task, struct fil_wire_uuid uuid, bool is_interrupt)
{
    struct fil_turn *turn = task->session->connection->loop->context;
    int error = check_served(task);
    if (error != FIL_OK) {
        return error;
    }
    struct fil_submission_id id = {.high = uuid.high, .low = uuid.low};
    return fil_wire_answer_bool(
        task, fil_submissions_cancel(submissions_of(task), id, is_interrupt, &turn->runner));
}

int fil_wire__executor_service_cancel_on_partition_run(struct fil_wire_task *task)
{
    struct fil_wire_executor_service_cancel_on_partition_request request;
    int error = FIL_WIRE_READ(executor_service_cancel_on_partition, task, &request);
    return error == FIL_OK ? cancel(task, request.uuid, request.interrupt) : error;
}

int fil_wire__executor_service_cancel_on_member_run(struct fil_wire_task *task)
{
    struct fil_wire_executor_service_cancel_on_member_request request;
    int error = FIL_WIRE_READ(executor_service_cancel_on_member, task, &request);
    return error == FIL_OK ? cancel(task, request.uuid, request.interrupt) : error;
}

int fil_wire__executor_service_shutdown_run(struct fil_wire_task *task)
{
    struct fil_wire_executor_service_shutdown_request request;
    int error = FIL_WIRE_READ(executor_service_shutdown, task, &request);
    if (error == FIL_OK) {
        error = check_served(task);
    }
    if (error == FIL_OK) {
        error = fil_submissions_shut_down(submissions_of(task), request.name);
    }
    return error == FIL_OK ? fil_wire_answer_empty(task) : error;
}

int fil_wire__executor_service_is_shutdown_run(struct fil_wire_task *task)
{
    struct fil_wire_executor_service_is_shutdown_request request;
    int error = FIL_WIRE_READ(executor_service_is_shutdown, task, &request);
    if (error == FIL_OK) {
        error = check_served(task);
    }
    return error == FIL_OK ? fil_wire_answer_bool(task, fil_submissions_is_shut_down(
                                                            submissions_of(task), request.name))
                           : error;
}

// The service: an executor is made when something is submitted to it.

int fil_wire__executor_service_make(struct fil_wire_task *task, struct fil_bytes name)
{
    if (name.size == 0 || name.size >= FIL_EXECUTOR_NAME_MAX) {
        return refuse(task, FIL_E_INVALID, "name", "must have 1 to 31 bytes");
    }
    return check_served(task);
}

/** Its threads stay: what is gone is that it was shut down. */
int fil_wire__executor_service_destroy(struct fil_wire_call *call, struct fil_bytes name,
                                       struct fil_runner *runner)
{
    int error = check_served(&call->task);
    if (error != FIL_OK) {
        return error;
    }
    fil_submissions_revive(submissions_of(&call->task), name);
    fil_wire_call_finish(call, runner, FIL_OK);
    return FIL_OK;
}
