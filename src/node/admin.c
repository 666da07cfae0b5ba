// SPDX-License-Identifier: Apache-2.0
#include "node/admin.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define BACKLOG         16
#define CONNECTIONS_MAX 64U

static int init_parts(struct fil_admin *admin, const struct fil_admin_options *options)
{
    struct fil_io_stage_options stage = options->stage;
    admin->http = (struct fil_http_server){.env = stage.loop.env,
                                           .service = options->service,
                                           .budget = stage.loop.budget,
                                           .guard = options->guard,
                                           .has_pages_only = true};
    admin->protocol = (struct fil_protocol){.ops = &fil_http_protocol, .context = &admin->http};
    stage.name = "admin";
    stage.loop.protocols = &admin->protocol;
    stage.loop.protocol_count = 1;
    stage.loop.limits.connections_max = CONNECTIONS_MAX;
    int error = fil_io_stage_init(&admin->stage, &admin->loop, &stage);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_acceptor_init(&admin->acceptor,
                              &(struct fil_acceptor_options){.env = stage.loop.env,
                                                             .address = options->address,
                                                             .backlog = BACKLOG,
                                                             .connections_max = CONNECTIONS_MAX,
                                                             .loops = &admin->loop,
                                                             .loop_count = 1});
    if (error != FIL_OK) {
        fil_io_stage_fini(&admin->stage);
    }
    return error;
}

int fil_admin_new(struct fil_admin **out_admin, const struct fil_admin_options *options)
{
    struct fil_admin *admin = fil_alloc_aligned(FIL_CACHE_LINE, sizeof(*admin));
    if (admin == NULL) {
        return FIL_E_NOMEM;
    }
    int error = init_parts(admin, options);
    if (error != FIL_OK) {
        fil_free(admin);
        return error;
    }
    *out_admin = admin;
    return FIL_OK;
}

void fil_admin_free(struct fil_admin *admin)
{
    if (admin == NULL) {
        return;
    }
    fil_assert(!admin->thread.is_started);
    fil_acceptor_fini(&admin->acceptor);
    fil_io_stage_fini(&admin->stage);
    fil_free(admin);
}

static void run_acceptor(void *context)
{
    struct fil_admin *admin = context;
    fil_role_enter(&fil_role_acceptor);
    fil_role_assert_acceptor();
    // A1 pairs with R1: whoever stops it has decided before we see it.
    while (!atomic_load_explicit(&admin->is_stopping, memory_order_acquire)) {
        (void)fil_acceptor_cycle(&admin->acceptor, FIL_WAIT_FOREVER);
    }
}

int fil_admin_start(struct fil_admin *admin)
{
    int error = fil_io_stage_start(&admin->stage);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_thread_start(&admin->thread, "admin-accept", run_acceptor, admin);
    if (error != FIL_OK) {
        fil_io_stage_stop(&admin->stage);
        (void)fil_io_stage_join(&admin->stage); // nobody can have connected
    }
    return error;
}

void fil_admin_stop(struct fil_admin *admin)
{
    // R1 pairs with A1.
    atomic_store_explicit(&admin->is_stopping, true, memory_order_release);
    fil_acceptor_wake(&admin->acceptor);
    fil_thread_join(&admin->thread);
    fil_io_stage_stop(&admin->stage);
    fil_io_stage_hurry(&admin->stage); // whoever only looks on does not hold up the end
    (void)fil_io_stage_join(&admin->stage);
}
