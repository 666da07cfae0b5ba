// SPDX-License-Identifier: Apache-2.0
/**
 * The services whose objects clients may make and destroy, by the names that the protocol gives
 * them. To add one: a line in object_service.c and its two functions; its requests are in
 * handlers.def.
 */
#pragma once

#include "core/exec/runner.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "protocol/client/serve/call.h"

#define FIL_WIRE_MAP_SERVICE       "hz:impl:mapService"
#define FIL_WIRE_MULTI_MAP_SERVICE "hz:impl:multiMapService"
#define FIL_WIRE_EXECUTOR_SERVICE  "hz:impl:executorService"

struct fil_wire_object_service {
    const char *name;

    /** The object is used for the first time, perhaps again: makes what must be there. */
    int (*make)(struct fil_wire_task *task, struct fil_bytes name);

    /**
     * Takes the object's data and listeners away, then fil_wire_call_finish. An error: the call is
     * still the caller's.
     */
    int (*destroy)(struct fil_wire_call *call, struct fil_bytes name, struct fil_runner *runner);
};

/** NULL when there is none of that name. */
const struct fil_wire_object_service *fil_wire_object_service_find(struct fil_bytes name);

// The services of containers: X(noun, service's name). Functions are made of these lines in
// container_service.c.
// clang-format off
#define FIL_WIRE_CONTAINER_SERVICES(X) \
    X(queue, "hz:impl:queueService") \
    X(list, "hz:impl:listService") \
    X(set, "hz:impl:setService") \
    X(ringbuffer, "hz:impl:ringbufferService") \
    X(reliable_topic, "hz:impl:reliableTopicService") \
    X(topic, "hz:impl:topicService") \
    X(replicated, "hz:impl:replicatedMapService") \
    X(pn_counter, "hz:impl:PNCounterService") \
    X(flake, "hz:impl:flakeIdGeneratorService") \
    X(cardinality, "hz:impl:cardinalityEstimatorService")
// clang-format on

// The services' functions.

#define X(noun, service)                                                                      \
    int fil_wire__##noun##_service_make(struct fil_wire_task *task, struct fil_bytes name);   \
    int fil_wire__##noun##_service_destroy(struct fil_wire_call *call, struct fil_bytes name, \
                                           struct fil_runner *runner);
FIL_WIRE_CONTAINER_SERVICES(X)
#undef X

int fil_wire__executor_service_make(struct fil_wire_task *task, struct fil_bytes name);
int fil_wire__executor_service_destroy(struct fil_wire_call *call, struct fil_bytes name,
                                       struct fil_runner *runner);
int fil_wire__multi_map_service_make(struct fil_wire_task *task, struct fil_bytes name);
int fil_wire__multi_map_service_destroy(struct fil_wire_call *call, struct fil_bytes name,
                                        struct fil_runner *runner);
int fil_wire__map_service_make(struct fil_wire_task *task, struct fil_bytes name);
int fil_wire__map_service_destroy(struct fil_wire_call *call, struct fil_bytes name,
                                  struct fil_runner *runner);
