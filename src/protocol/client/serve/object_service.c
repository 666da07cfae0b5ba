// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/serve/object_service.h"

static const struct fil_wire_object_service services[] = {
    {FIL_WIRE_MAP_SERVICE, fil_wire__map_service_make, fil_wire__map_service_destroy},
    {FIL_WIRE_MULTI_MAP_SERVICE, fil_wire__multi_map_service_make,
     fil_wire__multi_map_service_destroy},
    {FIL_WIRE_EXECUTOR_SERVICE, fil_wire__executor_service_make,
     fil_wire__executor_service_destroy},
#define X(noun, service) \
    {service, fil_wire__##noun##_service_make, fil_wire__##noun##_service_destroy},
    FIL_WIRE_CONTAINER_SERVICES(X)
#undef X
};

const struct fil_wire_object_service *fil_wire_object_service_find(struct fil_bytes name)
{
    for (size_t i = 0; i < FIL_COUNT_OF(services); i++) {
        if (fil_bytes_equal_text(name, services[i].name)) {
            return &services[i];
        }
    }
    return NULL;
}
