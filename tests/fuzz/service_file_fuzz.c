// SPDX-License-Identifier: Apache-2.0
/** Any bytes as a service file: routes or a fault with its place, never a crash. */
#include <stddef.h>
#include <stdint.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/http/service_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fil_service_file file;
    if (size > FIL_SERVICE_FILE_BYTES_MAX) {
        return 0;
    }
    int error = fil_service_file_init(&file, fil_bytes_make(data, size));
    fil_assert(error != FIL_E_MALFORMED || (file.line >= 1 && file.reason[0] != '\0'));
    for (uint32_t i = 0; error == FIL_OK && i < file.entry_count; i++) {
        fil_assert(file.entries[i].route != NULL && file.entries[i].target != NULL);
        fil_assert(file.entries[i].kind != FIL_SERVICE_NOTHING);
    }
    fil_service_file_fini(&file);
    return 0;
}
