// SPDX-License-Identifier: Apache-2.0
#include "node/hints.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/assert.h"

struct fil_address fil_hint_reachable(const struct fil_address *bound)
{
    static const uint8_t any[16];
    struct fil_address address = *bound;
    size_t size = bound->is_ipv6 ? 16 : 4;
    if (memcmp(address.ip, any, size) == 0) {
        address.ip[0] = bound->is_ipv6 ? 0 : 127;
        address.ip[size - 1] = 1;
    }
    return address;
}

const char *fil_hint_redis_flags(const struct fil_address *address, char text[FIL_HINT_FLAGS_MAX])
{
    char url[FIL_ADDRESS_TEXT_MAX];
    (void)fil_address_format(address, url);
    bool is_usual = strncmp(url, "127.0.0.1:", 10) == 0;
    // redis-cli takes the host without brackets.
    int host_size = (int)(strrchr(url, ':') - url) - (address->is_ipv6 ? 2 : 0);
    const char *host = url + (address->is_ipv6 ? 1 : 0);
    int size = is_usual ? snprintf(text, FIL_HINT_FLAGS_MAX, "-p %u", address->port)
                        : snprintf(text, FIL_HINT_FLAGS_MAX, "-h %.*s -p %u", host_size, host,
                                   address->port);
    fil_assert(size > 0 && (size_t)size < FIL_HINT_FLAGS_MAX);
    return text;
}
