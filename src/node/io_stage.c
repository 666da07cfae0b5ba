// SPDX-License-Identifier: Apache-2.0
#include "node/io_stage.h"

#include <stdio.h>

#include "lib/base/assert.h"

#define DRAIN_STEP_NS INT64_C(10000000)

void fil_io_stage_init(struct fil_io_stage *stage, struct fil_loop *loop, struct fil_log *log,
                       enum fil_idle_kind idle, uint64_t stop_timeout_ns)
{
    *stage = (struct fil_io_stage){.loop = loop, .log = log, .stop_timeout_ns = stop_timeout_ns};
    fil_idle_init(&stage->idle, idle);
}

/** How long the loop may wait in its poller, by what the last turn moved. */
static int64_t wait_ns(struct fil_io_stage *stage, uint32_t moved) FIL_RUNS_ON(io)
{
    if (stage->is_stopping) {
        return DRAIN_STEP_NS;
    }
    if (moved > 0) {
        fil_idle_reset(&stage->idle);
    }
    if (stage->idle.kind == FIL_IDLE_KIND_BLOCK) {
        return FIL_WAIT_FOREVER;
    }
    switch (moved > 0 ? FIL_IDLE_SPIN : fil_idle_next(&stage->idle)) {
    case FIL_IDLE_PARK:
        return FIL_WAIT_FOREVER;
    case FIL_IDLE_YIELD:
        fil_thread_yield();
        return 0;
    case FIL_IDLE_SPIN:
    default:
        return 0;
    }
}

/** True when the stage has nothing left to do. */
static bool drain(struct fil_io_stage *stage) FIL_RUNS_ON(io)
{
    struct fil_loop *loop = stage->loop;
    if (loop->now_ns < stage->stop_deadline_ns) {
        fil_loop_drain(loop);
    } else {
        stage->cut_count += fil_loop_connection_count(loop);
        fil_loop_abort(loop);
    }
    return fil_loop_connection_count(loop) == 0;
}

static void run(void *context)
{
    struct fil_io_stage *stage = context;
    char role[16];
    fil_loop_enter(stage->loop);
    fil_role_assert_io();
    (void)snprintf(role, sizeof(role), "io/%u", stage->loop->index);
    // Without a ring of its own the thread logs through the shared one.
    int attached = fil_log_attach(stage->log, role);
    uint32_t moved = 1;
    for (;;) {
        moved = fil_loop_cycle(stage->loop, wait_ns(stage, moved));
        if (stage->is_stopping && drain(stage)) {
            break;
        }
    }
    if (attached == FIL_OK) {
        fil_log_detach(stage->log);
    }
}

int fil_io_stage_start(struct fil_io_stage *stage)
{
    char name[FIL_THREAD_NAME_MAX];
    (void)snprintf(name, sizeof(name), "io-%u", stage->loop->index);
    return fil_thread_start(&stage->thread, name, run, stage);
}

static void run_stop(struct fil_loop *loop, struct fil_message *message)
{
    fil_role_assert_io();
    struct fil_io_stage *stage = FIL_CONTAINER_OF(message, struct fil_io_stage, stop_message);
    stage->is_stopping = true;
    stage->stop_deadline_ns = loop->now_ns + stage->stop_timeout_ns;
}

void fil_io_stage_stop(struct fil_io_stage *stage)
{
    stage->stop_message.run = run_stop;
    fil_loop_post(stage->loop, &stage->stop_message);
}

uint32_t fil_io_stage_join(struct fil_io_stage *stage)
{
    fil_thread_join(&stage->thread);
    return stage->cut_count;
}
