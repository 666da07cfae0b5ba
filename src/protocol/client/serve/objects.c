// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/serve/objects.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"

struct object {
    struct fil_list link;
    size_t size;
    struct fil_bytes service; // both point behind the struct
    struct fil_bytes name;
    uint8_t bytes[];
};

void fil_wire_objects_init(struct fil_wire_objects *objects, struct fil_budget *budget)
{
    *objects = (struct fil_wire_objects){.budget = budget};
    fil_mutex_init(&objects->mutex);
    fil_list_init(&objects->list);
}

static void free_object(struct fil_wire_objects *objects, struct object *object)
{
    fil_assert(objects->count > 0);
    fil_list_remove(&object->link);
    objects->count--;
    fil_budget_free(objects->budget, object, object->size);
}

void fil_wire_objects_fini(struct fil_wire_objects *objects)
{
    fil_mutex_lock(&objects->mutex);
    while (!fil_list_is_empty(&objects->list)) {
        free_object(objects, FIL_CONTAINER_OF(objects->list.next, struct object, link));
    }
    fil_mutex_unlock(&objects->mutex);
    fil_mutex_fini(&objects->mutex);
}

static struct object *find(struct fil_wire_objects *objects, struct fil_bytes service,
                           struct fil_bytes name)
{
    fil_list_foreach(link, &objects->list) {
        struct object *object = FIL_CONTAINER_OF(link, struct object, link);
        if (fil_bytes_equal(object->name, name) && fil_bytes_equal(object->service, service)) {
            return object;
        }
    }
    return NULL;
}

static int add(struct fil_wire_objects *objects, struct fil_bytes service, struct fil_bytes name)
{
    size_t size = sizeof(struct object) + service.size + name.size;
    if (objects->count == FIL_WIRE_OBJECTS_MAX) {
        return FIL_E_LIMIT;
    }
    struct object *object = fil_budget_alloc(objects->budget, size);
    if (object == NULL) {
        return FIL_E_NOMEM;
    }
    memcpy(object->bytes, service.data, service.size);
    memcpy(object->bytes + service.size, name.data, name.size);
    object->size = size;
    object->service = fil_bytes_make(object->bytes, service.size);
    object->name = fil_bytes_make(object->bytes + service.size, name.size);
    fil_list_init(&object->link);
    fil_list_push_back(&objects->list, &object->link);
    objects->count++;
    return FIL_OK;
}

int fil_wire_objects_add(struct fil_wire_objects *objects, struct fil_bytes service,
                         struct fil_bytes name, bool *out_is_new)
{
    fil_assert(service.size > 0 && name.size > 0);
    fil_mutex_lock(&objects->mutex);
    *out_is_new = find(objects, service, name) == NULL;
    int error = *out_is_new ? add(objects, service, name) : FIL_OK;
    fil_mutex_unlock(&objects->mutex);
    return error;
}

bool fil_wire_objects_remove(struct fil_wire_objects *objects, struct fil_bytes service,
                             struct fil_bytes name)
{
    fil_mutex_lock(&objects->mutex);
    struct object *object = find(objects, service, name);
    if (object != NULL) {
        free_object(objects, object);
    }
    fil_mutex_unlock(&objects->mutex);
    return object != NULL;
}

bool fil_wire_objects_has(struct fil_wire_objects *objects, struct fil_bytes service,
                          struct fil_bytes name)
{
    fil_mutex_lock(&objects->mutex);
    bool is_known = find(objects, service, name) != NULL;
    fil_mutex_unlock(&objects->mutex);
    return is_known;
}

void fil_wire_objects_visit(struct fil_wire_objects *objects, fil_wire_object_fn visit,
                            void *context)
{
    fil_mutex_lock(&objects->mutex);
    fil_list_foreach(link, &objects->list) {
        const struct object *object = FIL_CONTAINER_OF(link, struct object, link);
        visit(context, object->service, object->name);
    }
    fil_mutex_unlock(&objects->mutex);
}
