# SPDX-License-Identifier: Apache-2.0
# The event stage: what is only a figure is left out, so that it does not tell states apart; and
# the mutants. See rewrite.cmake.

setting(core/exec/meter.h [[    if (mark == FIL_PROBE_IDLE) {]] [[    if (false) {]])
setting(lib/conc/parker.c
[[    atomic_fetch_add_explicit(&parker->wake_count, 1, memory_order_relaxed);
]] "")

mutant(lane_is_let_go_unseen two_publishers core/exec/lane.c
[[    if (!atomic_compare_exchange_strong_explicit(&lane->word, &word, idle, memory_order_seq_cst,
                                                 memory_order_relaxed)) {
        return false;
    }]]
[[    atomic_store_explicit(&lane->word, idle, memory_order_seq_cst);]])

mutant(every_publisher_schedules two_publishers core/exec/lane.c
[[            *out_must_schedule = (word & FIL_LANE_BUSY) == 0;]]
[[            *out_must_schedule = true;]])

mutant(event_is_linked_before_its_turn two_publishers core/exec/lane.c
[[    struct fil_event *before = atomic_exchange_explicit(&lane->tail, event, memory_order_acq_rel);]]
[[    struct fil_event *before = atomic_load_explicit(&lane->tail, memory_order_acquire);
    atomic_store_explicit(&lane->tail, event, memory_order_release);]])

mutant(moved_lane_stays move core/exec/event.c
[[    fil_lane__schedule(lane);
    return true;]]
[[    fil_lane__schedule(lane);
    return false;]])

mutant(room_is_not_told waiting_publishers core/exec/lane.c
[[    if (moved > 0) {
        fil_room_made(&lane->room);
    }]]
[[]])

mutant(close_takes_a_busy_lane close core/exec/lane.c
[[    if ((before & FIL_LANE_BUSY) != 0) {]]
[[    if (fil_lane__queued(before) != 0) {]])

mutant(listener_is_let_go_early close core/exec/listener.c
[[    atomic_store_explicit(&listener->is_closed, 1, memory_order_release);
    fil_futex_wake(&listener->is_closed, UINT32_MAX);
    fil_listener_unref(listener);]]
[[    fil_listener_unref(listener);
    atomic_store_explicit(&listener->is_closed, 1, memory_order_release);
    fil_futex_wake(&listener->is_closed, UINT32_MAX);]])

mutant(drop_is_not_counted drop core/exec/listener_publish.c
[[        fil_counter_add_shared(&lane->dropped_count, 1);]]
[[]])

mutant(guest_is_not_called guests core/exec/lane.c
[[        fil_lobby_made(&lane->lobby, *out_queued == 0 ? UINT32_MAX : moved);]]
[[]])

mutant(guest_is_not_counted guests core/exec/lobby.c
[[    atomic_fetch_add_explicit(&lobby->count, 1, memory_order_seq_cst);
    fil_mutex_lock(&lobby->mutex);
    fil_list_push_back(&lobby->guests, &guest->link);
    fil_mutex_unlock(&lobby->mutex);]]
[[    fil_mutex_lock(&lobby->mutex);
    fil_list_push_back(&lobby->guests, &guest->link);
    fil_mutex_unlock(&lobby->mutex);]])

mutant(place_given_up_is_not_told given_up core/exec/lane.c
[[    fil_lobby_made(&lane->lobby, fil_lane__queued(before) == 1 ? UINT32_MAX : 1);]]
[[]])

mutant(idle_lane_is_kept given_up core/exec/lane.c
[[    if (must_schedule) {
        fil_lane__schedule(lane);
    }
}

static void append(]]
[[    (void)must_schedule;
}

static void append(]])
