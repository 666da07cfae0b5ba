// SPDX-License-Identifier: Apache-2.0
/** All of the public interface by one header, as C99 and, by headers.cpp, as C++17: a use of each
 * part. That each header compiles alone is tested by units that CMake writes. */
#include <filbert/filbert.h>

int main(void)
{
    static struct fil_route_options route;
    static struct fil_websocket_options socket;
    struct fil_value value = fil_str("x");
    struct fil_map *map = fil_map((struct fil_grid *)0, "m");
    if (fil_queue((struct fil_grid *)0, "q") != 0 || fil_set((struct fil_grid *)0, "s") != 0 ||
        fil_ringbuffer((struct fil_grid *)0, "r") != 0) {
        return 1;
    }
    if (route.streams_body || socket.on_open != 0) {
        return 1;
    }
    return map == 0 && !fil_value_is_null(&value) && fil_error_is_retryable(FIL_E_FULL) ? 0 : 1;
}
