# SPDX-License-Identifier: Apache-2.0
# Invocations: threads that are told apart by the explorer, a look at what is under way with each
# submit, no figures; and the mutants. See rewrite.cmake.

setting(lib/mem/pool.c [[static _Thread_local char thread_token;]]
                       [[#define thread_token (*fil_explored_self())]])
setting(core/exec/cell.c [[    static _Atomic uint32_t generations;]]
                         [[    _Atomic uint32_t generations = 0;]])
setting(core/exec/invocation.c [[#define GIVEN_MIN         16U]] [[#define GIVEN_MIN         1U]])
setting(lib/conc/parker.c
[[    atomic_fetch_add_explicit(&parker->wake_count, 1, memory_order_relaxed);
]] "")

mutant(service_sleeps_before_its_last_look plain core/exec/invocation_service.c
[[    publish_wake(service, next_ns);
    if (has_inbox(service)) {]]
[[    bool has_mail = has_inbox(service);
    publish_wake(service, next_ns);
    if (has_mail) {]])

mutant(service_is_urged_before_the_push deadline_of_parked core/exec/invocation.c
[[    (void)fil_stack_push(&service->arrivals, &invocation->arrival_link);
    fil_invocation__urge(service, deadline_ns < sweep_ns ? deadline_ns : sweep_ns);]]
[[    fil_invocation__urge(service, deadline_ns < sweep_ns ? deadline_ns : sweep_ns);
    (void)fil_stack_push(&service->arrivals, &invocation->arrival_link);]])

mutant(given_sets_out_again_unheard given_under_way core/exec/invocation.c
[[        left += give_to_service(invocation, invoker->runner->now_ns);]]
[[        if ((fil_invocation__state(invocation) & OVER) != 0) {
            fil_invocation__drop(invocation, 1);
            continue;
        }
        (void)fil_stack_push(&invoker->service->arrivals, &invocation->arrival_link);
        left++;]])

mutant(deadline_does_not_settle deadline core/exec/invocation_service.c
[[    if ((fil_invocation__mark(invocation, SETTLED) & SETTLED) != 0) {]]
[[    if ((fil_invocation__state(invocation) & SETTLED) != 0) {]])

mutant(adopted_after_its_end plain core/exec/invocation_service.c
[[    if ((fil_invocation__mark(invocation, WATCHED) & OVER) == 0) {]]
[[    bool is_over = (fil_invocation__state(invocation) & OVER) != 0;
    (void)fil_invocation__mark(invocation, WATCHED);
    if (!is_over) {]])

mutant(pause_is_not_told pause core/exec/invocation.c
[[    fil_invocation__urge(service, resume_ns);
]]
[[]])

mutant(block_goes_home_twice plain core/exec/invocation.c
[[    if (before / HOLD == holds) {]]
[[    if (atomic_load_explicit(&invocation->state, memory_order_relaxed) / HOLD == 0) {]])
