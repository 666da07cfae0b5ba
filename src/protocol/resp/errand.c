// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/errand.h"

#include "core/exec/activity.h"
#include "core/exec/generic.h"
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/resp/call.h"
#include "protocol/resp/kept.h"

struct errand {
    struct fil_resp_call call;
    struct fil_task task;
    fil_resp_errand_fn work;
    struct fil_resp_kept kept; // the command
};

static void do_work(struct errand *errand, struct fil_runner *runner)
{
    struct fil_resp_call *call = &errand->call;
    fil_activity_rename(runner, call->name);
    call->reply.pool = runner->chunks;
    errand->work(call->session, &errand->kept.command, &call->reply);
    fil_resp_call_finish(call, runner);
}

static void run(struct fil_task *task)
{
    struct fil_runner *runner = fil_generic_runner();
    fil_assert(runner != NULL);
    do_work(FIL_CONTAINER_OF(task, struct errand, task), runner);
}

/** The peer is gone: the work ends by itself, and nothing waits for anything. */
static void let_it_end(struct fil_resp_call *call, struct fil_runner *runner)
{
    (void)call;
    (void)runner;
}

static void fini(struct fil_resp_call *call)
{
    fil_resp_kept_drop(&FIL_CONTAINER_OF(call, struct errand, call)->kept);
}

static struct errand *make(struct fil_resp_session *session, const struct fil_resp_command *command,
                           fil_resp_errand_fn work) FIL_RUNS_ON(io)
{
    size_t bytes = sizeof(struct errand) + fil_resp_kept_bytes(session, command);
    struct fil_resp_call *call = fil_resp_call_new(session, bytes, NULL);
    if (call == NULL) {
        return NULL;
    }
    struct errand *errand = FIL_CONTAINER_OF(call, struct errand, call);
    if (!fil_resp_keep(session, command, errand + 1, &errand->kept)) {
        fil_resp_call_free(call);
        return NULL;
    }
    errand->task.run = run;
    errand->work = work;
    call->fini = fini;
    call->abandon = let_it_end;
    call->is_traveller = true;
    return errand;
}

/** In a transaction the reply has its place among the others', and they are not on their own. */
static bool can_leave(const struct fil_resp_session *session)
{
    return session->server->options.generic != NULL && session->transaction == NULL &&
           fil_role_is(&fil_role_io);
}

static void send_off(struct fil_resp_session *session, struct errand *errand) FIL_RUNS_ON(io)
{
    struct fil_turn *turn = session->connection->loop->context;
    fil_resp_call_withdraw(session);
    fil_resp_call_await(&errand->call);
    // From here on the errand may be gone.
    if (fil_generic_submit_try(session->server->options.generic, &errand->task) != FIL_OK) {
        do_work(errand, &turn->runner);
    }
}

void fil_resp_errand_run(struct fil_resp_session *session, const struct fil_resp_command *command,
                         fil_resp_errand_fn work)
{
    if (!can_leave(session)) {
        work(session, command, fil_resp_output(session));
        return;
    }
    fil_role_assert_io();
    struct errand *errand = make(session, command, work);
    if (errand == NULL) {
        fil_resp_out_of_memory(fil_resp_output(session));
        return;
    }
    send_off(session, errand);
}
