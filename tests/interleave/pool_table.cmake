# SPDX-License-Identifier: Apache-2.0
# Generic pool and executors: what is only a figure is left out, so that it does not tell states
# apart; and the mutants. See rewrite.cmake.

setting(core/exec/meter.h [[    if (mark == FIL_PROBE_IDLE) {]] [[    if (false) {]])
setting(core/exec/task_queue.c [[    fil_probe_arm(&queue->probe);
]] "")

setting(lib/conc/parker.c
[[    atomic_fetch_add_explicit(&parker->wake_count, 1, memory_order_relaxed);
]] "")

mutant(crew_looks_before_it_announces pool_two_producers core/exec/crew.c
[[    atomic_fetch_or_explicit(word, bit, memory_order_seq_cst);
    bool sleeps = !has_work(crew, index) && !is_stopping(crew);]]
[[    bool sleeps = !has_work(crew, index) && !is_stopping(crew);
    atomic_fetch_or_explicit(word, bit, memory_order_seq_cst);]])

mutant(crew_is_stopped_unheard pool_two_producers core/exec/crew.c
[[    bool sleeps = !has_work(crew, index) && !is_stopping(crew);]]
[[    bool sleeps = !has_work(crew, index);]])

mutant(submit_wakes_before_its_push pool_two_producers core/exec/generic.c
[[    fil_task_queue_push(&generic->normal, task);
    wake_for_normal(generic);
}]]
[[    wake_for_normal(generic);
    fil_task_queue_push(&generic->normal, task);
}]])

mutant(nobody_calls_help pool_meeting core/exec/generic.c
[[        wake_for_normal(generic);
    }
}]]
[[    }
}]])

mutant(reserved_thread_is_not_woken pool_busy_worker core/exec/generic.c
[[    (void)fil_crew_wake_any(&generic->crew, FIL_GENERIC_RESERVED,]]
[[    (void)fil_crew_wake_any(&generic->crew, FIL_GENERIC_RESERVED + 1,]])

mutant(spilled_tasks_are_overlooked pool_overflow core/exec/task_queue.c
[[    return !has_spilled(queue) && fil_mpmc_is_empty(&queue->ring);]]
[[    return fil_mpmc_is_empty(&queue->ring);]])

mutant(two_workers_refill pool_overflow core/exec/task_queue.c
[[    if (atomic_exchange_explicit(&queue->is_refilling, true, memory_order_acquire)) {]]
[[    if (false) {]])

mutant(cancel_overrules_the_end executor_cancel core/exec/executor.c
[[    return atomic_compare_exchange_strong_explicit(&job->state, &state, JOB_CANCELLED,
                                                   memory_order_release, memory_order_relaxed);]]
[[    if (atomic_load_explicit(&job->state, memory_order_acquire) != state) {
        return false;
    }
    atomic_store_explicit(&job->state, JOB_CANCELLED, memory_order_release);
    return true;]])

mutant(submitter_sleeps_over_room executor_room core/exec/room.c
[[        uint32_t turn = atomic_load_explicit(&room->turn, memory_order_seq_cst);
        error = attempt(context);]]
[[        error = attempt(context);
        uint32_t turn = atomic_load_explicit(&room->turn, memory_order_seq_cst);]])

mutant(drain_is_not_told executor_drain core/exec/executor.c
[[    if (is_idle(word - RUNNING_ONE)) {]]
[[    if (is_idle(word)) {]])

mutant(worker_looks_at_the_queue executor_stop core/exec/executor.c
[[    return queued_of(atomic_load_explicit(&executor->word, memory_order_seq_cst)) > 0;]]
[[    return !fil_task_queue_is_empty(&executor->queue);]])
