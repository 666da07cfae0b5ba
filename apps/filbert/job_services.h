// SPDX-License-Identifier: Apache-2.0
/** What jobs of `filbert job run` need to ask services: a loop with its thread, and a caller. */
#pragma once

#include "flow/connector.h"
#include "lib/base/attr.h"
#include "lib/net/loop.h"
#include "lib/os/thread.h"
#include "protocol/http/caller.h"

struct job_services {
    struct fil_budget budget;
    struct fil_loop loop;
    struct fil_thread thread;
    struct fil_http_caller caller;
    struct fil_flow_grid grid;
    struct fil_connector connector; // for the engine
    struct fil_message message;     // asks the thread to end
    bool is_over;                   // the thread's own
};

/** FIL_E_NOMEM, FIL_E_SYSTEM; then there is nothing to stop. */
int job_services_start(struct job_services *services) FIL_NODISCARD;

/** The engine has ended. */
void job_services_stop(struct job_services *services);
