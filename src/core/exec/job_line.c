// SPDX-License-Identifier: Apache-2.0
#include "core/exec/job_line.h"

#include "lib/base/assert.h"
#include "lib/base/attr.h"

/** Stands for "this task is a job": jobs are not run through their task. */
static void run_as_job(struct fil_task *task)
{
    fil_assert(task == NULL); // never called
}

void fil_job_init(struct fil_job *job, const struct fil_job_ops *ops)
{
    fil_assert(ops->run != NULL);
    fil_assert(ops->cancel != NULL);
    *job = (struct fil_job){.task.run = run_as_job, .ops = ops, .deadline_ns = FIL_JOB_NO_DEADLINE};
    atomic_init(&job->executor, NULL);
    fil_list_init(&job->guest.link);
}

struct fil_job *fil_job_of(struct fil_task *task)
{
    return task->run == run_as_job ? FIL_CONTAINER_OF(task, struct fil_job, task) : NULL;
}

static struct fil_task *task_of(struct fil_link *link)
{
    return link == NULL ? NULL : FIL_CONTAINER_OF(link, struct fil_task, link);
}

/** Only jobs know what stands before them, because only they leave from the middle. */
static void set_previous(struct fil_task *task, struct fil_task *previous)
{
    struct fil_job *job = task == NULL ? NULL : fil_job_of(task);
    if (job != NULL) {
        job->previous = previous;
    }
}

void fil_job_line_init(struct fil_job_line *line, struct fil_env *env)
{
    fil_assert(env != NULL);
    *line = (struct fil_job_line){.env = env};
    fil_stack_init(&line->arrivals);
    fil_probe_arm(&line->probe);
    fil_mutex_init(&line->mutex);
}

void fil_job_line_fini(struct fil_job_line *line)
{
    fil_assert(line->first == NULL);
    fil_assert(fil_stack_is_empty(&line->arrivals));
    fil_mutex_fini(&line->mutex);
}

void fil_job_line_push(struct fil_job_line *line, struct fil_task *task)
{
    fil_debug_assert(task->run != NULL);
    fil_probe_mark(&line->probe, line->env, task);
    (void)fil_stack_push(&line->arrivals, &task->link);
}

/** Under the mutex. */
static void append(struct fil_job_line *line, struct fil_task *task)
{
    struct fil_job *job = fil_job_of(task);
    task->link.next = NULL;
    if (job != NULL) {
        fil_assert(!job->is_in_line);
        job->is_in_line = true;
        job->previous = line->last;
    }
    if (line->last == NULL) {
        line->first = task;
    } else {
        line->last->link.next = &task->link;
    }
    line->last = task;
}

/** Under the mutex: moves what has arrived to the end of the line. */
static void adopt(struct fil_job_line *line)
{
    struct fil_link *link = fil_stack_take_all(&line->arrivals);
    while (link != NULL) {
        struct fil_task *task = task_of(link);
        link = link->next;
        append(line, task);
    }
}

/** Under the mutex: the task stands behind that one, or is the first when there is none. */
static void unlink_task(struct fil_job_line *line, struct fil_task *task, struct fil_task *previous)
{
    struct fil_task *next = task_of(task->link.next);
    if (previous == NULL) {
        fil_assert(line->first == task);
        line->first = next;
    } else {
        previous->link.next = task->link.next;
    }
    if (next == NULL) {
        line->last = previous;
    }
    set_previous(next, previous);
    struct fil_job *job = fil_job_of(task);
    if (job != NULL) {
        job->is_in_line = false;
    }
}

struct fil_task *fil_job_line_take(struct fil_job_line *line)
{
    fil_mutex_lock(&line->mutex);
    adopt(line);
    struct fil_task *task = line->first;
    if (task != NULL) {
        unlink_task(line, task, NULL);
    }
    fil_mutex_unlock(&line->mutex);
    return task;
}

bool fil_job_line_remove(struct fil_job_line *line, struct fil_job *job)
{
    fil_mutex_lock(&line->mutex);
    adopt(line);
    bool is_here = job->is_in_line;
    if (is_here) {
        unlink_task(line, &job->task, job->previous);
        fil_probe_unmark(&line->probe, &job->task);
    }
    fil_mutex_unlock(&line->mutex);
    return is_here;
}
