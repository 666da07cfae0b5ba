// SPDX-License-Identifier: Apache-2.0
/**
 * Services as a YAML file: routes onto structures of the grid, other servers and texts.
 *
 *   routes:
 *     - route: GET /users/{id}       # also PUT and DELETE
 *       map: users
 *       key: id                      # the parameter that is the key
 *     - route: POST /jobs            # adds the body; DELETE takes the first item
 *       queue: jobs
 *     - route: POST /news
 *       topic: news                  # publishes the body
 *     - route: GET /news
 *       messages: news               # of the topic, as server-sent events
 *     - route: GET /users
 *       changes: users               # of the map, likewise
 *     - route: GET /api/{rest}
 *       proxy: [10.0.0.1:80, 10.0.0.2:80]
 *       protocol: http1              # which the servers speak; or http2
 *     - route: GET /
 *       text: "welcome\n"
 *       type: text/plain             # unless it says otherwise
 *       status: 200
 *
 * Everything is checked here; a fault tells line and column.
 *
 * Memory:  what the routes need is in the file's arena, which outlives the service.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

#define FIL_SERVICE_FILE_REASON_MAX 256U
#define FIL_SERVICE_FILE_BYTES_MAX  ((size_t)1 << 20)
#define FIL_SERVICE_FILE_ROUTES_MAX 128U

enum fil_service_kind {
    FIL_SERVICE_NOTHING,
    FIL_SERVICE_MAP,
    FIL_SERVICE_QUEUE,
    FIL_SERVICE_TOPIC,
    FIL_SERVICE_MESSAGES,
    FIL_SERVICE_CHANGES,
    FIL_SERVICE_PROXY,
    FIL_SERVICE_TEXT,
    FIL_SERVICE_FILES,
};

struct fil_service_entry {
    const char *route; // a pattern
    enum fil_service_kind kind;
    const char *target; // name of the structure, servers, folder, or the text
    const char *key;    // of a map: the parameter
    const char *type;   // of a text; NULL: plain
    int status;         // of a text
    bool is_http2;      // servers speak it
};

struct fil_service_file {
    struct fil_arena arena;
    struct fil_service_entry *entries;
    uint32_t entry_count;

    // The first fault: both count from 1.
    size_t line;
    size_t column;
    char reason[FIL_SERVICE_FILE_REASON_MAX];
};

/** FIL_E_MALFORMED with a fault, FIL_E_NOMEM; fini is due in any case. */
int fil_service_file_init(struct fil_service_file *file, struct fil_bytes text) FIL_NODISCARD;
void fil_service_file_fini(struct fil_service_file *file);
