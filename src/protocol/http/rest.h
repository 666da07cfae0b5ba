// SPDX-License-Identifier: Apache-2.0
/** What routes onto the grid work on, and to what of it they are bound. */
#pragma once

#include "core/container/directory.h"
#include "core/service/request.h"
#include "grid/map/maps.h"
#include "lib/base/attr.h"

/** Outlives the service. */
struct fil_rest_grid {
    struct fil_directory *directory;
    struct fil_maps *maps;
};

/** The context of such a route; outlives the service. */
struct fil_rest_binding {
    struct fil_rest_grid *grid;
    const char *name; // of the structure; NULL: the parameter "name"
    const char *key;  // the parameter that is the key; NULL: "key"
};

static inline struct fil_bytes fil_rest_name(struct fil_request *request)
{
    const struct fil_rest_binding *binding = fil_request_context(request);
    return fil_bytes_of(binding->name != NULL ? binding->name : fil_param(request, "name"));
}

/**
 * An answer with a copy of the value, which is borrowed from a partition, on the thread that is
 * inside. FIL_E_NOMEM.
 */
int fil_rest_copy_value(struct fil_request *request, struct fil_bytes value,
                        struct fil_reply *out_reply) FIL_NODISCARD;

// rest_maps.c, rest_queues.c, rest_topics.c: handlers of routes whose context is a binding, on the
// loop.

struct fil_reply fil_rest_map_get(struct fil_request *request);
struct fil_reply fil_rest_map_put(struct fil_request *request);
struct fil_reply fil_rest_map_delete(struct fil_request *request);
struct fil_reply fil_rest_map_changes(struct fil_request *request);
struct fil_reply fil_rest_topic_publish(struct fil_request *request);
struct fil_reply fil_rest_topic_messages(struct fil_request *request);
struct fil_reply fil_rest_queue_offer(struct fil_request *request);
struct fil_reply fil_rest_queue_poll(struct fil_request *request);
