// SPDX-License-Identifier: Apache-2.0
/** All submissions together: the line, the table by ids, and the executors that are shut down. */
#include <string.h>

#include "filbert/error.h"
#include "grid/executor/submission_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define STARTS_PER_TASK 32U // then others have their turn on the generic pool

static struct fil_list *bucket_of(struct fil_submissions *submissions, struct fil_submission_id id)
{
    uint64_t mixed = (id.high ^ id.low) * UINT64_C(0x9E3779B97F4A7C15);
    return &submissions->table[(mixed >> 32) & (FIL_SUBMISSIONS_BUCKETS - 1)];
}

struct fil_submission *fil_submissions__find(struct fil_submissions *submissions,
                                             struct fil_submission_id id)
{
    fil_list_foreach(link, bucket_of(submissions, id)) {
        struct fil_submission *submission =
            FIL_CONTAINER_OF(link, struct fil_submission, table_link);
        if (submission->id.high == id.high && submission->id.low == id.low) {
            return submission;
        }
    }
    return NULL;
}

// The line.

bool fil_submissions__queue(struct fil_submissions *submissions, struct fil_submission *submission)
{
    fil_mutex_lock(&submissions->mutex);
    bool has_room = submissions->line_count < submissions->options.line_max;
    bool must_call = has_room && !submissions->is_served;
    if (has_room) {
        submissions->line_count++;
        submissions->is_served = true;
        fil_list_push_back(&submissions->line, &submission->line_link);
        fil_list_push_back(bucket_of(submissions, submission->id), &submission->table_link);
    }
    fil_mutex_unlock(&submissions->mutex);
    if (must_call) {
        fil_generic_submit(submissions->options.generic, &submissions->task);
    }
    return has_room;
}

/** The first in the line; NULL: there is none, and who comes next calls again. */
static struct fil_submission *take_first(struct fil_submissions *submissions)
{
    fil_mutex_lock(&submissions->mutex);
    struct fil_list *link = fil_list_take_front(&submissions->line);
    submissions->is_served = link != NULL;
    submissions->line_count -= link != NULL;
    fil_mutex_unlock(&submissions->mutex);
    return link == NULL ? NULL : FIL_CONTAINER_OF(link, struct fil_submission, line_link);
}

struct fil_submission_lane *fil_submissions__lane(struct fil_submissions *submissions,
                                                  struct fil_executor *executor)
{
    uint32_t i = 0;
    while (i < submissions->lane_count && submissions->lanes[i].executor != executor) {
        i++;
    }
    if (i == submissions->lane_count) {
        fil_assert(i < FIL_SUBMISSION_LANES_MAX);
        submissions->lanes[i].executor = executor;
        submissions->lane_count++;
    }
    return &submissions->lanes[i];
}

/** The calling thread's invoker. */
static struct fil_invoker *invoker_of(struct fil_submissions *submissions,
                                      struct fil_runner *runner)
{
    uint32_t i = 0;
    fil_assert(runner != NULL);
    while (i < submissions->invoker_count && submissions->invokers[i].runner != runner) {
        i++;
    }
    if (i == submissions->invoker_count) {
        fil_assert(i < fil_generic_thread_count(submissions->options.generic));
        fil_invoker_init(&submissions->invokers[i], submissions->options.invocations, runner);
        submissions->invoker_count++;
    }
    return &submissions->invokers[i];
}

static void serve(struct fil_task *task)
{
    struct fil_submissions *submissions = FIL_CONTAINER_OF(task, struct fil_submissions, task);
    submissions->invoker = invoker_of(submissions, fil_generic_runner());
    for (uint32_t i = 0; i < STARTS_PER_TASK; i++) {
        struct fil_submission *submission = take_first(submissions);
        if (submission == NULL) {
            return;
        }
        fil_submission__start(submission);
    }
    fil_generic_submit(submissions->options.generic, task);
}

// Executors that are shut down.

/** Under the mutex: its index, or closed_count. */
static uint32_t find_closed(const struct fil_submissions *submissions, struct fil_bytes name)
{
    uint32_t i = 0;
    while (i < submissions->closed_count && !fil_bytes_equal_text(name, submissions->closed[i])) {
        i++;
    }
    return i;
}

/** Under the mutex. */
static int close_name(struct fil_submissions *submissions, struct fil_bytes name)
{
    if (find_closed(submissions, name) < submissions->closed_count) {
        return FIL_OK;
    }
    if (submissions->closed_count == FIL_SUBMISSIONS_CLOSED_MAX) {
        return FIL_E_LIMIT;
    }
    char *place = submissions->closed[submissions->closed_count];
    memcpy(place, name.data, name.size);
    place[name.size] = '\0';
    submissions->closed_count++;
    return FIL_OK;
}

int fil_submissions_shut_down(struct fil_submissions *submissions, struct fil_bytes name)
{
    if (name.size == 0 || name.size >= FIL_EXECUTOR_NAME_MAX) {
        return FIL_E_INVALID;
    }
    fil_mutex_lock(&submissions->mutex);
    int error = close_name(submissions, name);
    fil_mutex_unlock(&submissions->mutex);
    return error;
}

bool fil_submissions_is_shut_down(struct fil_submissions *submissions, struct fil_bytes name)
{
    fil_mutex_lock(&submissions->mutex);
    bool is_closed = find_closed(submissions, name) < submissions->closed_count;
    fil_mutex_unlock(&submissions->mutex);
    return is_closed;
}

void fil_submissions_revive(struct fil_submissions *submissions, struct fil_bytes name)
{
    fil_mutex_lock(&submissions->mutex);
    uint32_t index = find_closed(submissions, name);
    if (index < submissions->closed_count) {
        submissions->closed_count--;
        memmove(submissions->closed[index], submissions->closed[submissions->closed_count],
                FIL_EXECUTOR_NAME_MAX);
    }
    fil_mutex_unlock(&submissions->mutex);
}

// Life.

static void free_tables(struct fil_submissions *submissions)
{
    fil_free(submissions->table);
    fil_free(submissions->invokers);
    submissions->table = NULL;
    submissions->invokers = NULL;
}

int fil_submissions_init(struct fil_submissions *submissions,
                         const struct fil_submissions_options *options)
{
    *submissions = (struct fil_submissions){.options = *options};
    uint32_t thread_count = fil_generic_thread_count(options->generic);
    submissions->table = fil_alloc_zero(FIL_SUBMISSIONS_BUCKETS, sizeof(*submissions->table));
    submissions->invokers = fil_alloc_zero(thread_count, sizeof(*submissions->invokers));
    if (submissions->table == NULL || submissions->invokers == NULL) {
        free_tables(submissions);
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < FIL_SUBMISSIONS_BUCKETS; i++) {
        fil_list_init(&submissions->table[i]);
    }
    fil_list_init(&submissions->line);
    fil_mutex_init(&submissions->mutex);
    submissions->task.run = serve;
    return FIL_OK;
}

void fil_submissions_fini(struct fil_submissions *submissions)
{
    if (submissions->table == NULL) {
        return;
    }
    fil_assert(fil_list_is_empty(&submissions->line));
    for (uint32_t i = 0; i < submissions->invoker_count; i++) {
        fil_invoker_adopt(&submissions->invokers[i]);
        fil_invoker_fini(&submissions->invokers[i]);
    }
    fil_mutex_fini(&submissions->mutex);
    free_tables(submissions);
}
