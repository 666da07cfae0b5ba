# SPDX-License-Identifier: Apache-2.0
# The kernel's explored copies: smaller bounds, so that small cases reach them; the mutants, each
# with the case that must find it out; and a race. See rewrite.cmake.

setting(core/exec/partition_stage.c [[#define PARTITIONS_PER_CYCLE 16U]]
                                    [[#define PARTITIONS_PER_CYCLE 2U]])
setting(core/exec/partition_stage.c [[#define OPS_PER_CLAIM        64U]]
                                    [[#define OPS_PER_CLAIM        2U]])

setting(core/exec/stealing.c [[#define WATCH_NS_MAX UINT64_C(800000)]]
                             [[#define WATCH_NS_MAX UINT64_C(100000)]])

# The word.

mutant(stale_ticket_is_believed_by_a_thief priority_stolen core/exec/partition.c
[[    if (!move_state(partition, STATE_QUEUED, STATE_RUNNING)) {
        return false;
    }]]
[[    atomic_store_explicit(&partition->state, STATE_RUNNING, memory_order_seq_cst);]])

mutant(stale_ticket_is_believed_by_the_home priority_against_enter core/exec/partition.c
[[    if (!move_state(partition, STATE_QUEUED, STATE_RUNNING)) {
        return false;
    }]]
[[    atomic_store_explicit(&partition->state, STATE_RUNNING, memory_order_seq_cst);]])

mutant(leave_overlooks_a_note enter_against_deliver core/exec/partition.c
[[        if (FIL_LIKELY(move_state(partition, STATE_RUNNING, STATE_IDLE))) {
            return;
        }]]
[[        atomic_store_explicit(&partition->state, STATE_IDLE, memory_order_seq_cst);
        return;]])

mutant(deliver_takes_no_note two_delivers core/exec/partition.c
[[            if (move_state(partition, STATE_RUNNING, STATE_NOTED)) {]]
[[            if (true) {]])

mutant(enter_goes_back_to_idle enter_against_deliver core/exec/partition.c
[[    fil_partition_leave(partition);
    return false;]]
[[    partition->runner = NULL;
    (void)move_state(partition, STATE_RUNNING, STATE_IDLE);
    return false;]])

mutant(deliver_moves_the_word_first two_delivers core/exec/partition.c
[[    (void)fil_stack_push_chain(&partition->mail, &newest->link, &oldest->link);
    schedule(partition, runner);]]
[[    schedule(partition, runner);
    (void)fil_stack_push_chain(&partition->mail, &newest->link, &oldest->link);]])

mutant(mail_is_reversed more_than_one_claim core/exec/partition.c
[[        fil_op_line__append(line, op);
        op = next;]]
[[        op->link.next = line->first == NULL ? NULL : &line->first->link;
        line->first = op;
        line->last = line->last == NULL ? op : line->last;
        op = next;]])

mutant(loop_overtakes_what_it_has_staged turn_against_enter core/exec/turn.c
[[    if (FIL_UNLIKELY(!turn->can_enter || share->newest != NULL)) {]]
[[    if (FIL_UNLIKELY(!turn->can_enter)) {]])

# Tickets and wake-ups.

mutant(leave_gives_no_ticket leave_with_mail core/exec/partition.c
[[    list_ticket(partition, runner);
    // The lane is looked at last]]
[[    // The lane is looked at last]])

mutant(wake_before_ticket wake_each_hand_over core/exec/partition.c
[[    (void)fil_tickets_put(&home->tickets, fil_exec__ticket_of(runner->exec, partition->id));
    fil_runner_owe_wake(runner, partition->home);]]
[[    fil_runner_owe_wake(runner, partition->home);
    (void)fil_tickets_put(&home->tickets, fil_exec__ticket_of(runner->exec, partition->id));]])

mutant(no_wake_is_owed home_parks_against_deliver core/exec/partition.c
[[    (void)fil_tickets_put(&home->tickets, fil_exec__ticket_of(runner->exec, partition->id));
    fil_runner_owe_wake(runner, partition->home);]]
[[    (void)fil_tickets_put(&home->tickets, fil_exec__ticket_of(runner->exec, partition->id));]])

mutant(no_look_after_prepare home_parks_against_deliver core/exec/partition_stage.c
[[    bool has_work = has_tickets(stage) || fil_partition_stage__can_steal(stage) ||]]
[[    bool has_work =]])

mutant(look_before_prepare home_parks_against_deliver core/exec/partition_stage.c
[[    fil_parker_prepare(&stage->parker);
    int64_t limit_ns = fil_partition_stage__begin_watch(stage);
    bool has_work = has_tickets(stage) || fil_partition_stage__can_steal(stage) ||
                    atomic_load_explicit(&stage->is_stopping, memory_order_seq_cst);]]
[[    int64_t limit_ns = fil_partition_stage__begin_watch(stage);
    bool has_work = has_tickets(stage) || fil_partition_stage__can_steal(stage) ||
                    atomic_load_explicit(&stage->is_stopping, memory_order_seq_cst);
    fil_parker_prepare(&stage->parker);]])

mutant(ticket_is_taken_in_two_steps more_than_one_claim core/exec/tickets.c
[[        if (atomic_fetch_and_explicit(&tickets->words[word], ~bit, memory_order_seq_cst) & bit) {]]
[[        uint64_t seen = atomic_load_explicit(&tickets->words[word], memory_order_seq_cst);
        atomic_store_explicit(&tickets->words[word], seen & ~bit, memory_order_seq_cst);
        if (seen & bit) {]])

mutant(urgency_is_judged_inside priority_stays_urgent core/exec/partition.c
[[    bool has_urgent_line = partition->priority_line.first != NULL;
    partition->runner = NULL;
    // S1. From running or noted: others only move running to noted, which means the same here.
    atomic_store_explicit(&partition->state, STATE_QUEUED, memory_order_seq_cst);
    list_ticket(partition, runner);
    // The lane is looked at last: the urgent ticket of a priority operation that came while we were
    // inside may have been taken and found stale.
    if (has_urgent_line || !fil_stack_is_empty(&partition->priority_mail)) {]]
[[    bool is_urgent = partition->priority_line.first != NULL ||
                     !fil_stack_is_empty(&partition->priority_mail);
    partition->runner = NULL;
    atomic_store_explicit(&partition->state, STATE_QUEUED, memory_order_seq_cst);
    list_ticket(partition, runner);
    if (is_urgent) {]])

# Stealing.

mutant(busy_home_is_left_alone stuck_home_is_helped core/exec/stealing.c
[[    bool is_needed = now_ns > since_ns + PATIENCE_NS || !is_watched(exec);]]
[[    bool is_needed = now_ns > since_ns + PATIENCE_NS;]])

mutant(what_waits_behind_a_run_calls_nobody stuck_home_is_helped core/exec/stealing.c
[[    if (exec->options.has_stealing && !fil_tickets_seem_empty(&stage->tickets) &&]]
[[    if (false &&]])

mutant(who_was_woken_to_help_keeps_it_to_itself two_stuck_of_three core/exec/stealing.c
[[    if (!stage->has_risen) {]]
[[    if (true) {]])

mutant(watch_has_no_limit stuck_home_is_helped core/exec/stealing.c
[[    return (int64_t)stage->watch_ns;]]
[[    return FIL_WAIT_FOREVER;]])

mutant(watch_ends_unseen stuck_home_is_helped core/exec/stealing.c
[[        stage->is_watching = false;
        // S4: the look at the tickets comes after it, in the next cycle.
        atomic_store_explicit(&stage->exec->is_watched, false, memory_order_seq_cst);]]
[[        stage->is_watching = false;]])

# Parked operations.

mutant(chore_before_cancel cancel_against_park core/exec/partition.c
[[    atomic_store_explicit(&op->is_cancelled, true, memory_order_release);
    add_chore(partition, FIL_PARTITION_CHORE_CANCEL, runner);]]
[[    add_chore(partition, FIL_PARTITION_CHORE_CANCEL, runner);
    atomic_store_explicit(&op->is_cancelled, true, memory_order_release);]])

mutant(deadline_is_read_before_the_flag_is_cleared deadline_of_what_a_caller_parks
    core/exec/alarm.c
[[        atomic_store_explicit(&partition->is_told, false, memory_order_seq_cst);
        uint64_t until_ns = atomic_load_explicit(&partition->parked_until_ns, memory_order_seq_cst);]]
[[        uint64_t until_ns = atomic_load_explicit(&partition->parked_until_ns, memory_order_seq_cst);
        atomic_store_explicit(&partition->is_told, false, memory_order_seq_cst);]])

mutant(who_was_told_is_not_woken_again deadline_sooner_than_the_one_told core/exec/alarm.c
[[        (void)fil_stack_push(&alarm->told, &partition->told_link);
    }]]
[[        (void)fil_stack_push(&alarm->told, &partition->told_link);
    } else {
        return;
    }]])

mutant(alarm_looks_before_it_says_when deadline_of_what_a_caller_parks core/exec/alarm.c
[[    // S3 with tell.
    atomic_store_explicit(&alarm->sleeps_until_ns, next_ns, memory_order_seq_cst);
    uint64_t now_ns = fil_env_now_ns(alarm->exec->options.env);
    if (next_ns <= now_ns || !fil_stack_is_empty(&alarm->told) || is_stopping(alarm)) {
        fil_parker_cancel(&alarm->parker);
        return;
    }]]
[[    uint64_t now_ns = fil_env_now_ns(alarm->exec->options.env);
    if (next_ns <= now_ns || !fil_stack_is_empty(&alarm->told) || is_stopping(alarm)) {
        fil_parker_cancel(&alarm->parker);
        return;
    }
    atomic_store_explicit(&alarm->sleeps_until_ns, next_ns, memory_order_seq_cst);]])

mutant(alarm_wakes_nobody deadline_of_what_a_caller_parks core/exec/alarm.c
[[    fil_runner_pay_wakes(&alarm->runner);]]
[[]])

mutant(alarm_is_not_woken deadline_of_what_a_caller_parks core/exec/runner.c
[[        (void)fil_parker_wake(&runner->exec->alarm.parker);]]
[[]])

mutant(due_at_a_busy_home_calls_nobody deadline_beside_a_stuck_home core/exec/runner.c
[[    bool is_woken = fil_parker_wake(&stage->parker) || fil_exec__help(exec, stage, runner->now_ns);]]
[[    bool is_woken = fil_parker_wake(&stage->parker);]])

mutant(due_at_a_home_that_gets_stuck_calls_nobody deadline_parked_before_its_home_is_stuck
    core/exec/runner.c
[[    bool is_woken = fil_parker_wake(&stage->parker) || fil_exec__help(exec, stage, runner->now_ns);]]
[[    bool is_woken = fil_parker_wake(&stage->parker);]])

mutant(alarm_does_not_look_again deadline_while_all_are_stuck core/exec/alarm.c
[[        keep_in_mind(alarm, partition);]]
[[]])

mutant(alarm_sleeps_over_its_second_look deadline_while_all_are_stuck core/exec/alarm.c
[[    return next_ns < alarm->look_ns ? next_ns : alarm->look_ns;]]
[[    return next_ns;]])

mutant(relief_overlooks_mail relief_against_home core/exec/partition.c
[[    (void)fil_partition__do_chores(partition);
    fil_partition_leave(partition);]]
[[    (void)fil_partition__do_chores(partition);
    partition->runner = NULL;
    atomic_store_explicit(&partition->state, STATE_IDLE, memory_order_seq_cst);]])

mutant(relief_asks_nobody relief_against_home core/exec/partition.c
[[    if (!fil_partition_claim(partition, runner)) {
        return false;
    }
    (void)fil_partition__do_chores(partition);]]
[[    atomic_store_explicit(&partition->state, STATE_RUNNING, memory_order_seq_cst);
    go_in(partition, runner);
    (void)fil_partition__do_chores(partition);]])

mutant(next_deadline_is_forgotten deadline_of_what_a_caller_parks core/exec/partition_wait.c
[[    publish_deadline(partition, next_ns == FIL_WHEEL_NEVER ? FIL_OP_NO_DEADLINE : next_ns);]]
[[]])

mutant(sleep_without_limit deadline_expired_by_a_thief core/exec/alarm.c
[[    bool is_endless = next_ns == FIL_WHEEL_NEVER;]]
[[    bool is_endless = true;]])

# Fences: stores that are no longer ordered before the loads behind them.

mutant(prepare_without_fence home_parks_against_deliver lib/conc/parker.c
[[    atomic_store_explicit(&parker->state, PARKED, memory_order_seq_cst);]]
[[    atomic_store_explicit(&parker->state, PARKED, memory_order_release);]])

mutant(flag_is_cleared_without_fence buffered_deadlines core/exec/alarm.c
[[        atomic_store_explicit(&partition->is_told, false, memory_order_seq_cst);]]
[[        atomic_store_explicit(&partition->is_told, false, memory_order_release);]])

mutant(alarm_says_when_without_fence buffered_deadlines core/exec/alarm.c
[[    atomic_store_explicit(&alarm->sleeps_until_ns, next_ns, memory_order_seq_cst);]]
[[    atomic_store_explicit(&alarm->sleeps_until_ns, next_ns, memory_order_release);]])

# Stop.

mutant(stop_wakes_nobody stop_with_mail core/exec/partition_stage.c
[[    (void)fil_parker_wake(&stage->parker);
    fil_thread_join(&stage->thread);]]
[[    fil_thread_join(&stage->thread);]])

mutant(stop_leaves_what_came_late stop_with_late_submit core/exec/exec.c
[[    bool has_moved = true;]]
[[    bool has_moved = false;]])

mutant(stop_leaves_the_parked stop_with_parked core/exec/exec.c
[[        fil_partition_close(partition, &fil_exec__stage(exec, partition->home)->runner);]]
[[        (void)partition;]])

# What only the thread sanitizer sees: the word moves as it should, but takes no data with it.

race(word_without_order core/exec/partition.c
[[    return atomic_compare_exchange_strong_explicit(&partition->state, &from, to,
                                                   memory_order_seq_cst, memory_order_seq_cst);]]
[[    return atomic_compare_exchange_strong_explicit(&partition->state, &from, to,
                                                   memory_order_relaxed, memory_order_relaxed);]])
