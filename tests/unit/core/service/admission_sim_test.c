// SPDX-License-Identifier: Apache-2.0
/**
 * Admission in a simulated pool: two workers, exponential service times of 1 ms, Poisson arrivals,
 * a deadline of 100 ms, virtual time. One test a promise: without admission overload collapses (so
 * the test does overload); with it goodput stays near capacity and answers near the target, however
 * high the load; nobody is refused at half load; a stall is told at once; a slow-down and a step
 * are survived; critical requests and small tenants get through; Finagle's rule works too, and its
 * callers wait to hear "no".
 */
#include <math.h>
#include <stdlib.h>

#include "core/service/admission.h"
#include "lib/base/alloc.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

#define MS          UINT64_C(1000000)
#define SECOND      (1000 * MS)
#define WORKERS     2U
#define DEADLINE    (100 * MS)
#define REJECT_COST UINT64_C(20000) // of a worker, for a refusal after the dequeue
#define QUEUE_MAX   65536U
#define CAPACITY    2000.0 // a second

/** A request and what became of it. */
struct visit {
    uint64_t arrived_ns;
    uint64_t service_ns;
    struct fil_admission_bid bid;
    uint32_t kind; // priority or tenant, for the figures
};

struct scene {
    enum fil_admission_mode mode;
    double load;
    uint64_t length_ns;
    uint64_t slow_from_ns; // service times are slow_factor times as long in between
    uint64_t slow_to_ns;
    double slow_factor;
    uint64_t stall_from_ns; // no worker takes anything in between
    uint64_t stall_to_ns;
    bool has_priorities; // 10 % critical, 60 % normal, 30 % batch
    double small_tenant; // share of tenant 2; 0: no tenants
};

struct figures {
    uint64_t offered;
    uint64_t good; // answered in time
    uint64_t late;
    uint64_t refused;
    uint64_t refused_at_once;
    uint64_t answers;
    uint64_t latencies[1001]; // by ms
    uint64_t offered_of[3];
    uint64_t good_of[3];
};

struct simulation {
    const struct scene *scene;
    struct fil_admission admission;
    struct fil_prng prng;
    struct visit *queue;
    uint64_t head;
    uint64_t tail;
    uint64_t free_ns[WORKERS];
    struct figures figures;
};

static double exponential(struct fil_prng *prng, double mean)
{
    return -mean * log(1.0 - fil_prng_real(prng));
}

static bool is_between(uint64_t now_ns, uint64_t from_ns, uint64_t to_ns)
{
    return now_ns >= from_ns && now_ns < to_ns;
}

static struct visit make_visit(struct simulation *simulation, uint64_t now_ns)
{
    const struct scene *scene = simulation->scene;
    struct visit visit = {.arrived_ns = now_ns};
    double service = exponential(&simulation->prng, 1e6);
    visit.service_ns = (uint64_t)service;
    visit.bid.deadline_ns = now_ns + DEADLINE;
    double dice = fil_prng_real(&simulation->prng);
    if (scene->has_priorities) {
        visit.bid.priority = dice < 0.1   ? FIL_PRIORITY_CRITICAL
                             : dice < 0.7 ? FIL_PRIORITY_NORMAL
                                          : FIL_PRIORITY_BATCH;
        visit.kind = visit.bid.priority;
    } else if (scene->small_tenant > 0) {
        visit.kind = dice < scene->small_tenant ? 2 : 1;
        visit.bid.tenant = visit.kind;
    }
    return visit;
}

static void admit(struct simulation *simulation, struct visit visit)
{
    struct figures *figures = &simulation->figures;
    figures->offered++;
    figures->offered_of[visit.kind]++;
    if (fil_admission_arrive(&simulation->admission, &visit.bid, visit.arrived_ns) !=
        FIL_ADMISSION_ADMITTED) {
        figures->refused++;
        figures->refused_at_once++;
        return;
    }
    assert_true(simulation->tail - simulation->head < QUEUE_MAX);
    simulation->queue[simulation->tail % QUEUE_MAX] = visit;
    simulation->tail++;
}

/** A worker takes the next one at this time; returns when it is free again. */
static uint64_t work(struct simulation *simulation, uint64_t now_ns)
{
    const struct scene *scene = simulation->scene;
    struct figures *figures = &simulation->figures;
    struct visit visit = simulation->queue[simulation->head % QUEUE_MAX];
    simulation->head++;
    if (fil_admission_take(&simulation->admission, &visit.bid, visit.arrived_ns, now_ns) !=
        FIL_ADMISSION_ADMITTED) {
        figures->refused++;
        return now_ns + REJECT_COST;
    }
    bool is_slow = is_between(now_ns, scene->slow_from_ns, scene->slow_to_ns);
    uint64_t took =
        is_slow ? (uint64_t)((double)visit.service_ns * scene->slow_factor) : visit.service_ns;
    uint64_t latency = now_ns + took - visit.arrived_ns;
    fil_admission_finish(&simulation->admission, took);
    figures->answers++;
    figures->latencies[latency / MS < 1000 ? latency / MS : 1000]++;
    figures->good += latency <= DEADLINE;
    figures->late += latency > DEADLINE;
    figures->good_of[visit.kind] += latency <= DEADLINE;
    return now_ns + took;
}

/** Lets the workers take what they can before the given time. */
static void work_until(struct simulation *simulation, uint64_t until_ns)
{
    const struct scene *scene = simulation->scene;
    while (simulation->head < simulation->tail) {
        uint32_t next = simulation->free_ns[0] <= simulation->free_ns[1] ? 0 : 1;
        uint64_t arrived = simulation->queue[simulation->head % QUEUE_MAX].arrived_ns;
        uint64_t start = simulation->free_ns[next] > arrived ? simulation->free_ns[next] : arrived;
        if (is_between(start, scene->stall_from_ns, scene->stall_to_ns)) {
            start = scene->stall_to_ns;
        }
        if (start >= until_ns) {
            return;
        }
        simulation->free_ns[next] = work(simulation, start);
    }
}

static struct figures play(const struct scene *scene)
{
    struct simulation simulation = {.scene = scene};
    struct fil_admission_options options = {
        .mode = scene->mode, .worker_max = WORKERS, .cap = QUEUE_MAX / 2};
    assert_int_equal(fil_admission_init(&simulation.admission, &options), FIL_OK);
    fil_prng_init(&simulation.prng, 20);
    simulation.queue = fil_alloc(QUEUE_MAX * sizeof(struct visit));
    assert_non_null(simulation.queue);
    double now = 0;
    while (now < (double)scene->length_ns) {
        now += exponential(&simulation.prng, 1e9 / (CAPACITY * scene->load));
        work_until(&simulation, (uint64_t)now);
        admit(&simulation, make_visit(&simulation, (uint64_t)now));
    }
    work_until(&simulation, UINT64_MAX);
    fil_admission_fini(&simulation.admission);
    fil_free(simulation.queue);
    return simulation.figures;
}

static double goodput(const struct figures *figures, uint64_t length_ns)
{
    return (double)figures->good / (CAPACITY * (double)length_ns / 1e9);
}

static uint64_t percentile_ms(const struct figures *figures, double share)
{
    uint64_t seen = 0;
    for (uint64_t i = 0; i <= 1000; i++) {
        seen += figures->latencies[i];
        if ((double)seen >= share * (double)figures->answers) {
            return i;
        }
    }
    return 1000;
}

static double served(const struct figures *figures, uint32_t kind)
{
    return (double)figures->good_of[kind] / (double)figures->offered_of[kind];
}

static void test_without_admission_overload_collapses(void **state)
{
    (void)state;
    struct scene scene = {.mode = FIL_ADMISSION_NONE, .load = 2, .length_ns = 10 * SECOND};
    struct figures figures = play(&scene);
    assert_true(goodput(&figures, scene.length_ns) < 0.1);
}

static void test_goodput_and_latency_hold_at_every_load(void **state)
{
    (void)state;
    static const double loads[] = {1.2, 2, 4, 8};
    for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
        struct scene scene = {.load = loads[i], .length_ns = 20 * SECOND};
        struct figures figures = play(&scene);
        assert_true(goodput(&figures, scene.length_ns) >= 0.95);
        // One and a half targets and one service, whose mean is estimated.
        assert_true(percentile_ms(&figures, 0.99) <= 31);
        assert_true(percentile_ms(&figures, 0.999) <= 100);
        assert_true(figures.refused_at_once * 100 >= figures.refused * 99);
    }
}

static void test_nobody_is_refused_without_overload(void **state)
{
    (void)state;
    static const double loads[] = {0.5, 0.8};
    for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
        struct scene scene = {.load = loads[i], .length_ns = 60 * SECOND};
        struct figures figures = play(&scene);
        assert_true(figures.refused * 10000 < figures.offered);
        assert_int_equal(figures.late, 0);
    }
}

static void test_stall_is_told_at_once(void **state)
{
    (void)state;
    struct scene scene = {.load = 0.7,
                          .length_ns = 5 * SECOND,
                          .stall_from_ns = 2 * SECOND,
                          .stall_to_ns = 2 * SECOND + 500 * MS};
    struct figures figures = play(&scene);
    assert_true(figures.refused_at_once > 400);
    assert_true(figures.late * 100 <= figures.answers);
}

static void test_slow_down_is_survived(void **state)
{
    (void)state;
    struct scene scene = {.load = 0.7,
                          .length_ns = 9 * SECOND,
                          .slow_from_ns = 3 * SECOND,
                          .slow_to_ns = 6 * SECOND,
                          .slow_factor = 10};
    struct figures figures = play(&scene);
    assert_true(figures.late * 100 <= figures.answers);
    // All of the good times and a seventh of the bad ones.
    assert_true(figures.good * 100 >= figures.offered * 68);
    scene.mode = FIL_ADMISSION_NONE;
    struct figures control = play(&scene);
    assert_true(control.late > 10 * (figures.late + 1));
}

static void test_critical_requests_get_through(void **state)
{
    (void)state;
    struct scene scene = {.load = 2, .length_ns = 20 * SECOND, .has_priorities = true};
    struct figures figures = play(&scene);
    assert_true(served(&figures, FIL_PRIORITY_CRITICAL) >= 0.99);
    assert_true(served(&figures, FIL_PRIORITY_BATCH) <= 0.10);
    assert_true(goodput(&figures, scene.length_ns) >= 0.95);
}

static void test_small_tenants_get_through(void **state)
{
    (void)state;
    struct scene scene = {.load = 2, .length_ns = 20 * SECOND, .small_tenant = 0.1};
    struct figures figures = play(&scene);
    assert_true(served(&figures, 2) >= 0.98);
    assert_true(goodput(&figures, scene.length_ns) >= 0.92);
    scene.load = 4;
    scene.small_tenant = 0.05;
    figures = play(&scene);
    assert_true(served(&figures, 2) >= 0.98);
}

static void test_finagles_rule_works_and_its_callers_wait(void **state)
{
    (void)state;
    struct scene scene = {.mode = FIL_ADMISSION_FINAGLE, .load = 2, .length_ns = 20 * SECOND};
    struct figures figures = play(&scene);
    assert_true(goodput(&figures, scene.length_ns) >= 0.9);
    assert_true(figures.refused > 0);
    assert_int_equal(figures.refused_at_once, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_admission_overload_collapses),
        cmocka_unit_test(test_goodput_and_latency_hold_at_every_load),
        cmocka_unit_test(test_nobody_is_refused_without_overload),
        cmocka_unit_test(test_stall_is_told_at_once),
        cmocka_unit_test(test_slow_down_is_survived),
        cmocka_unit_test(test_critical_requests_get_through),
        cmocka_unit_test(test_small_tenants_get_through),
        cmocka_unit_test(test_finagles_rule_works_and_its_callers_wait),
    };
    return cmocka_run_group_tests_name("admission_sim", tests, NULL, NULL);
}
