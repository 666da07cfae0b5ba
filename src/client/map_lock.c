// SPDX-License-Identifier: Apache-2.0
/** Maps: locks of single keys. */
#include "client/map_internal.h"
#include "filbert/map.h"
#include "protocol/client/generated/map.h"

static const struct fil_client_op lock_op = {
    .request = &fil_wire_map_lock_request_layout, .is_retryable = true, .has_no_deadline = true};
static const struct fil_client_op try_lock_op = {.request = &fil_wire_map_try_lock_request_layout,
                                                 .answer = FIL_CLIENT_ANSWER_BOOL,
                                                 .is_retryable = true,
                                                 .has_no_deadline = true};
static const struct fil_client_op unlock_op = {.request = &fil_wire_map_unlock_request_layout,
                                               .is_retryable = true};

int fil_map_lock(struct fil_map *map, struct fil_value key)
{
    struct fil_map_draft draft;
    if (map == NULL) {
        return FIL_E_INVALID;
    }
    fil_client__map_draft(&draft, map, &key, NULL);
    struct fil_wire_map_lock_request fields = {.thread_id = fil_client__map_thread(),
                                               .ttl = -1,
                                               .reference_id =
                                                   fil_client__map_reference(map->client),
                                               .name = fil_client__map_name(map),
                                               .key = draft.key.bytes};
    return fil_client__map_submit(
        map, &draft,
        &(struct fil_map_request){.op = &lock_op, .fields = &fields, .key = draft.key.bytes},
        &(struct fil_map_outlet){0});
}

int fil_map_try_lock(struct fil_map *map, struct fil_value key, uint64_t wait_ms,
                     bool *out_is_locked)
{
    struct fil_map_draft draft;
    struct fil_value answer = {0};
    if (map == NULL || out_is_locked == NULL || wait_ms > INT64_MAX) {
        return FIL_E_INVALID;
    }
    fil_client__map_draft(&draft, map, &key, NULL);
    struct fil_wire_map_try_lock_request fields = {.thread_id = fil_client__map_thread(),
                                                   .lease = -1,
                                                   .timeout = (int64_t)wait_ms,
                                                   .reference_id =
                                                       fil_client__map_reference(map->client),
                                                   .name = fil_client__map_name(map),
                                                   .key = draft.key.bytes};
    int error = fil_client__map_submit(
        map, &draft,
        &(struct fil_map_request){.op = &try_lock_op, .fields = &fields, .key = draft.key.bytes},
        &(struct fil_map_outlet){.out_value = &answer});
    *out_is_locked = fil_value_i64(&answer) != 0;
    return error;
}

int fil_map_unlock(struct fil_map *map, struct fil_value key)
{
    struct fil_map_draft draft;
    if (map == NULL) {
        return FIL_E_INVALID;
    }
    fil_client__map_draft(&draft, map, &key, NULL);
    struct fil_wire_map_unlock_request fields = {.thread_id = fil_client__map_thread(),
                                                 .reference_id =
                                                     fil_client__map_reference(map->client),
                                                 .name = fil_client__map_name(map),
                                                 .key = draft.key.bytes};
    return fil_client__map_submit(
        map, &draft,
        &(struct fil_map_request){.op = &unlock_op, .fields = &fields, .key = draft.key.bytes},
        &(struct fil_map_outlet){0});
}
