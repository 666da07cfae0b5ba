// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/mutex.h"
#include "lib/os/thread.h"
#include "lib/os/thread_usage.h"

#define FILL_PIPELINE  64U
#define FILL_VALUE_MAX (1U << 20) // larger ones are set one by one
#define NS_PER_S       1e9
#define PROGRESS_NS    INT64_C(1000000000)

struct crew;

/** A generator on its thread. */
struct worker {
    struct load_generator generator;
    struct load_requests requests;
    struct load_plan plan;
    struct fil_thread thread;
    struct crew *crew;
    uint64_t warmup_ns; // closed loop: by a run of its own
    uint64_t cpu_ns;    // written by the thread, read after the join
    uint64_t end_ns;    // the same
};

struct crew {
    const struct load_measure_options *options;
    struct fil_env *env;
    struct worker *workers[LOAD_THREADS_MAX];
    uint32_t count;
    struct load_failure failure; // of the set-up
    struct fil_mutex mutex;
    struct fil_condition ended;
    uint32_t ended_count; // touched with the mutex held
};

static int refuse(struct crew *crew, int error)
{
    crew->failure.code = error;
    (void)snprintf(crew->failure.text, sizeof(crew->failure.text), "%s", fil_error_text(error));
    return error;
}

static int refuse_requests(struct crew *crew, int error)
{
    (void)refuse(crew, error);
    if (error == FIL_E_LIMIT) {
        (void)snprintf(crew->failure.text, sizeof(crew->failure.text),
                       "a pipeline of such requests has more than %u MiB",
                       (unsigned)(LOAD_REQUESTS_BYTES_MAX >> 20));
    }
    return error;
}

/** The part of a total that the worker of this index has. */
static uint64_t share(uint64_t total, uint32_t count, uint32_t index)
{
    return total / count + (index < total % count);
}

static struct load_plan make_plan(const struct load_measure_options *options, struct worker *worker,
                                  uint32_t index)
{
    uint32_t count = options->thread_count;
    uint64_t requests = options->request_count;
    return (struct load_plan){
        .source = load_requests_source(&worker->requests),
        .pipeline = options->requests.pipeline,
        .request_count = requests == LOAD_ALL ? LOAD_ALL : share(requests, count, index),
        .duration_ns = options->duration_ns,
        .interval_ns = options->rate > 0 ? NS_PER_S * count / options->rate : 0,
        .is_random = options->is_random,
        .seed = options->requests.seed + index,
        .warmup_ns = options->rate > 0 ? options->warmup_ns : 0,
        .deadline_ns = options->deadline_ns,
    };
}

static int add_worker(struct crew *crew)
{
    const struct load_measure_options *options = crew->options;
    uint32_t index = crew->count;
    struct worker *worker = fil_alloc_zero(1, sizeof(*worker));
    if (worker == NULL) {
        return refuse(crew, FIL_E_NOMEM);
    }
    crew->workers[index] = worker;
    crew->count++;
    struct load_requests_options requests = options->requests;
    requests.seed += index;
    int error = load_requests_init(&worker->requests, &requests);
    if (error != FIL_OK) {
        return refuse_requests(crew, error);
    }
    worker->plan = make_plan(options, worker, index);
    worker->crew = crew;
    worker->warmup_ns = options->rate > 0 ? 0 : options->warmup_ns;
    uint32_t connections = (uint32_t)share(options->connection_count, options->thread_count, index);
    error = load_generator_open(&worker->generator, crew->env, &options->address, connections);
    if (error == FIL_OK) {
        error =
            load_generator_use(&worker->generator, load_requests_protocol(&requests), &requests);
    }
    if (error != FIL_OK) {
        crew->failure = worker->generator.failure;
    }
    return error;
}

static void free_workers(struct crew *crew)
{
    for (uint32_t i = 0; i < crew->count; i++) {
        load_generator_close(&crew->workers[i]->generator);
        load_requests_fini(&crew->workers[i]->requests);
        fil_free(crew->workers[i]);
    }
}

/** Runs until all is answered, or an error is. */
static int run_unless_refused(struct crew *crew, struct load_generator *generator,
                              const struct load_plan *plan)
{
    int error = load_generator_begin(generator, plan);
    while (error == FIL_OK && load_generator_cycle(generator)) {
        if (fil_counter_read(&generator->figures.errors) > 0) {
            load_generator_end(generator);
        }
    }
    crew->failure = generator->failure;
    if (crew->failure.code == FIL_OK && fil_counter_read(&generator->figures.errors) > 0) {
        crew->failure.code = FIL_E_INVALID;
        (void)snprintf(crew->failure.text, sizeof(crew->failure.text),
                       "the server cannot be filled: it answered '%s'",
                       generator->figures.error_text);
    }
    return crew->failure.code;
}

/** Sets every key once, by the first generator. */
static int fill(struct crew *crew)
{
    struct load_requests requests;
    struct load_requests_options options = crew->options->requests;
    options.command = options.command == LOAD_INCR ? LOAD_PREPARE : LOAD_SET;
    options.distribution = LOAD_SEQUENTIAL;
    options.pipeline = options.value_size <= FILL_VALUE_MAX ? FILL_PIPELINE : 1;
    int error = load_requests_init(&requests, &options);
    if (error != FIL_OK) {
        return refuse_requests(crew, error);
    }
    error = run_unless_refused(crew, &crew->workers[0]->generator,
                               &(struct load_plan){
                                   .source = load_requests_source(&requests),
                                   .pipeline = options.pipeline,
                                   .request_count = options.key_count,
                               });
    load_requests_fini(&requests);
    return error;
}

static uint64_t own_cpu_ns(void)
{
    struct fil_thread_usage usage = {0};
    (void)!fil_thread_usage_read(fil_thread_id(), &usage); // 0 where it is not told
    return usage.cpu_ns;
}

static void count_ended(struct crew *crew)
{
    fil_mutex_lock(&crew->mutex);
    crew->ended_count++;
    fil_condition_signal(&crew->ended);
    fil_mutex_unlock(&crew->mutex);
}

/** The run that is counted; an open loop warms up in it. A failure is kept by the generator. */
static void run_counted(struct worker *worker)
{
    struct load_generator *generator = &worker->generator;
    uint64_t begin_cpu_ns = own_cpu_ns();
    bool is_warming = worker->plan.warmup_ns > 0;
    int error = load_generator_begin(generator, &worker->plan);
    while (error == FIL_OK && load_generator_cycle(generator)) {
        if (is_warming && fil_env_now_ns(generator->env) >= generator->counted_ns) {
            begin_cpu_ns = own_cpu_ns();
            is_warming = false;
        }
    }
    worker->end_ns = fil_env_now_ns(generator->env);
    worker->cpu_ns = own_cpu_ns() - begin_cpu_ns;
}

static void work(void *context)
{
    struct worker *worker = context;
    if (worker->warmup_ns > 0) {
        struct load_plan warmup = worker->plan;
        warmup.duration_ns = worker->warmup_ns;
        warmup.request_count = LOAD_ALL;
        if (load_generator_run(&worker->generator, &warmup) != FIL_OK) {
            worker->end_ns = fil_env_now_ns(worker->generator.env);
            count_ended(worker->crew);
            return;
        }
    }
    run_counted(worker);
    count_ended(worker->crew);
}

static uint64_t count_replies(const struct crew *crew)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < crew->count; i++) {
        count += fil_counter_read(&crew->workers[i]->generator.figures.replies);
    }
    return count;
}

/** Tells of the progress until all threads have ended. */
static void watch(struct crew *crew, uint32_t started)
{
    const struct load_measure_options *options = crew->options;
    uint64_t begin_ns = fil_env_now_ns(crew->env);
    fil_mutex_lock(&crew->mutex);
    while (crew->ended_count < started) {
        int64_t wait_ns = options->progress == NULL ? FIL_WAIT_FOREVER : PROGRESS_NS;
        int waited = fil_condition_wait(&crew->ended, &crew->mutex, wait_ns);
        if (waited == FIL_E_TIMEOUT && options->progress != NULL) {
            options->progress(options->context, fil_env_now_ns(crew->env) - begin_ns,
                              count_replies(crew));
        }
    }
    fil_mutex_unlock(&crew->mutex);
}

static int run_all(struct crew *crew)
{
    uint32_t started = 0;
    int error = FIL_OK;
    while (error == FIL_OK && started < crew->count) {
        struct worker *worker = crew->workers[started];
        error = fil_thread_start(&worker->thread, "load", work, worker);
        started += error == FIL_OK;
    }
    watch(crew, started);
    for (uint32_t i = 0; i < started; i++) {
        fil_thread_join(&crew->workers[i]->thread);
    }
    return error == FIL_OK ? FIL_OK : refuse(crew, error);
}

static void add_figures(struct load_measure_summary *summary, const struct load_figures *figures)
{
    if (summary->error_count == 0) {
        memcpy(summary->error_text, figures->error_text, sizeof(summary->error_text));
    }
    summary->reply_count += fil_counter_read(&figures->replies);
    summary->error_count += fil_counter_read(&figures->errors);
    summary->miss_count += fil_counter_read(&figures->misses);
    summary->sent_bytes += fil_counter_read(&figures->sent_bytes);
    summary->received_bytes += fil_counter_read(&figures->received_bytes);
    summary->late_count += fil_counter_read(&figures->late);
    summary->refused_count += fil_counter_read(&figures->refused);
    summary->lost_count += fil_counter_read(&figures->lost);
    fil_histogram_merge(&summary->latency_ns, &figures->latency_ns[0]);
    fil_histogram_merge(&summary->refused_ns, &figures->refused_ns);
    fil_histogram_merge(&summary->lag_ns, &figures->lag_ns);
}

static void sum_up(const struct crew *crew, struct load_measure_summary *summary)
{
    uint64_t begin_ns = UINT64_MAX;
    uint64_t end_ns = 0;
    for (uint32_t i = 0; i < crew->count; i++) {
        const struct worker *worker = crew->workers[i];
        const struct load_generator *generator = &worker->generator;
        add_figures(summary, &generator->figures);
        summary->unsent_count += load_generator_unsent_count(generator);
        summary->cpu_ns += worker->cpu_ns;
        begin_ns = generator->counted_ns < begin_ns ? generator->counted_ns : begin_ns;
        end_ns = worker->end_ns > end_ns ? worker->end_ns : end_ns;
        if (summary->failure.code == FIL_OK) {
            summary->failure = generator->failure;
        }
    }
    summary->elapsed_ns = end_ns > begin_ns ? end_ns - begin_ns : 0;
}

void load_measure_clear(struct load_measure_summary *summary)
{
    memset(summary, 0, sizeof(*summary));
    fil_histogram_init(&summary->latency_ns);
    fil_histogram_init(&summary->refused_ns);
    fil_histogram_init(&summary->lag_ns);
}

int load_measure_run(const struct load_measure_options *options, struct fil_env *env,
                     struct load_measure_summary *out_summary)
{
    fil_assert(options->thread_count > 0 && options->thread_count <= LOAD_THREADS_MAX);
    fil_assert(options->connection_count >= options->thread_count);
    load_measure_clear(out_summary);
    struct crew crew = {.options = options, .env = env};
    fil_mutex_init(&crew.mutex);
    fil_condition_init(&crew.ended);
    int error = FIL_OK;
    while (error == FIL_OK && crew.count < options->thread_count) {
        error = add_worker(&crew);
    }
    if (error == FIL_OK && options->has_fill) {
        error = fill(&crew);
    }
    if (error == FIL_OK) {
        error = run_all(&crew);
    }
    if (error == FIL_OK) {
        sum_up(&crew, out_summary);
    } else {
        out_summary->failure = crew.failure;
    }
    free_workers(&crew);
    fil_condition_fini(&crew.ended);
    fil_mutex_fini(&crew.mutex);
    return out_summary->failure.code;
}

void load_measure_add(struct load_measure_summary *summary,
                      const struct load_measure_summary *other)
{
    if (summary->error_count == 0) {
        memcpy(summary->error_text, other->error_text, sizeof(summary->error_text));
    }
    summary->reply_count += other->reply_count;
    summary->error_count += other->error_count;
    summary->miss_count += other->miss_count;
    summary->unsent_count += other->unsent_count;
    summary->sent_bytes += other->sent_bytes;
    summary->received_bytes += other->received_bytes;
    summary->elapsed_ns += other->elapsed_ns;
    summary->cpu_ns += other->cpu_ns;
    summary->late_count += other->late_count;
    summary->refused_count += other->refused_count;
    summary->lost_count += other->lost_count;
    fil_histogram_merge(&summary->latency_ns, &other->latency_ns);
    fil_histogram_merge(&summary->refused_ns, &other->refused_ns);
    fil_histogram_merge(&summary->lag_ns, &other->lag_ns);
    if (summary->failure.code == FIL_OK) {
        summary->failure = other->failure;
    }
}
