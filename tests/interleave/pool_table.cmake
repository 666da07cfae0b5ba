# SPDX-License-Identifier: Apache-2.0
# Generic pool and executors: what is only a figure is left out, so that it does not tell states
# apart; and the mutants. See rewrite.cmake.

setting(core/exec/meter.h [[    if (mark == FIL_PROBE_IDLE) {]] [[    if (false) {]])
setting(core/exec/task_queue.c [[    fil_probe_arm(&queue->probe);
]] "")
setting(core/exec/job_line.c [[    fil_probe_arm(&line->probe);
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

mutant(cancel_overrules_the_end executor_cancel core/exec/job_line.c
[[    if (is_here) {
        unlink_task(line, &job->task, job->previous);]]
[[    fil_mutex_unlock(&line->mutex);
    fil_mutex_lock(&line->mutex);
    if (is_here) {
        unlink_task(line, &job->task, job->previous);]])

mutant(job_on_its_way_is_not_found executor_cancel_makes_room core/exec/job_line.c
[[    adopt(line);
    bool is_here = job->is_in_line;]]
[[    bool is_here = job->is_in_line;]])

mutant(cancelled_job_keeps_its_place executor_cancel_makes_room core/exec/executor.c
[[    (void)leave_queue(executor);]]
[[]])

mutant(cancel_tells_no_room executor_cancel_makes_room core/exec/executor.c
[[    fil_assert(fil_executor__queued_of(word) > 0);
    fil_executor__made_room(executor);]]
[[    fil_assert(fil_executor__queued_of(word) > 0);]])

mutant(outsider_is_forgotten executor_outside core/exec/executor_door.c
[[    fil_room_made(&executor->room);
    fil_lobby_admit(&executor->lobby, take_place, executor);]]
[[    fil_room_made(&executor->room);]])

mutant(outsider_does_not_look_again executor_outside core/exec/executor_door.c
[[    fil_lobby_enter(&executor->lobby, &job->guest, come_in);
    fil_lobby_admit(&executor->lobby, take_place, executor);]]
[[    fil_lobby_enter(&executor->lobby, &job->guest, come_in);]])

mutant(late_outsider_is_left executor_outside_against_stop core/exec/executor_door.c
[[    if (is_closed(word_of(executor)) && fil_lobby_leave(&executor->lobby, &job->guest)) {]]
[[    if (false) {]])

mutant(outsiders_come_in_too_late executor_outside_against_stop core/exec/executor.c
[[    fil_executor_drain(executor);
    atomic_fetch_or_explicit(&executor->word, STOPPING, memory_order_seq_cst);
    fil_crew_stop(&executor->crew);]]
[[    atomic_fetch_or_explicit(&executor->word, STOPPING, memory_order_seq_cst);
    fil_crew_stop(&executor->crew);
    fil_executor_drain(executor);]])

mutant(cancel_looks_inside_only executor_outside_cancel core/exec/executor.c
[[    if (FIL_UNLIKELY(!fil_lobby_is_empty(&executor->lobby))) {]]
[[    if (false) {]])

mutant(stop_forgets_a_canceller executor_cancel_against_stop core/exec/executor.c
[[    if (!fil_executor_is_idle(executor)) {]]
[[    if (false) {]])

mutant(submitter_sleeps_over_room executor_room core/exec/room.c
[[        uint32_t turn = atomic_load_explicit(&room->turn, memory_order_seq_cst);
        error = attempt(context);]]
[[        error = attempt(context);
        uint32_t turn = atomic_load_explicit(&room->turn, memory_order_seq_cst);]])

mutant(drain_is_not_told executor_drain core/exec/executor.c
[[    if (is_idle(word - RUNNING_ONE)) {]]
[[    if (is_idle(word)) {]])

mutant(worker_looks_at_the_queue executor_stop core/exec/executor.c
[[    return fil_executor__queued_of(atomic_load_explicit(&executor->word, memory_order_seq_cst)) > 0;]]
[[    return !fil_stack_is_empty(&executor->line.arrivals);]])
