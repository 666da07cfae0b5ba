// SPDX-License-Identifier: Apache-2.0
/**
 * Fuzzes JSON merge patches: the input is a document and a patch, parted by a line feed.
 *
 * What must hold for any bytes: a merge that succeeds gives a document that can be read again, and
 * the same patch on it changes nothing any more.
 */
#include <stdint.h>
#include <string.h>

#include "filbert/error.h"
#include "grid/map/json_merge.h"
#include "lib/base/assert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t at = fil_bytes_find(fil_bytes_make(data, size), '\n');
    size_t behind = at < size ? at + 1 : at;
    struct fil_bytes target = fil_bytes_make(data, at);
    struct fil_bytes patch = fil_bytes_make(data + behind, size - behind);
    struct fil_map_buffer once;
    struct fil_map_buffer twice;
    fil_map_buffer_init(&once);
    fil_map_buffer_init(&twice);
    if (fil_json_merge(target, patch, &once) == FIL_OK) {
        int error = fil_json_merge(fil_map_buffer_bytes(&once), patch, &twice);
        // Both together may have more values than one document may.
        fil_assert(error == FIL_OK || error == FIL_E_LIMIT);
        if (error == FIL_OK) {
            fil_assert(fil_bytes_equal(fil_map_buffer_bytes(&once), fil_map_buffer_bytes(&twice)));
        }
    }
    fil_map_buffer_fini(&once);
    fil_map_buffer_fini(&twice);
    return 0;
}
