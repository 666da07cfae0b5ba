// SPDX-License-Identifier: Apache-2.0
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/resolve_internal.h"

/** False: neither IPv4 nor IPv6. */
static bool read_address(const struct sockaddr *found, struct fil_address *address)
{
    if (found->sa_family == AF_INET) {
        const struct sockaddr_in *ipv4 = (const struct sockaddr_in *)(const void *)found;
        memcpy(address->ip, &ipv4->sin_addr, sizeof(ipv4->sin_addr));
        return true;
    }
    if (found->sa_family == AF_INET6) {
        const struct sockaddr_in6 *ipv6 = (const struct sockaddr_in6 *)(const void *)found;
        memcpy(address->ip, &ipv6->sin6_addr, sizeof(ipv6->sin6_addr));
        address->is_ipv6 = true;
        return true;
    }
    return false;
}

static int translate(int code)
{
    switch (code) {
    case EAI_MEMORY:
        return FIL_E_NOMEM;
    case EAI_AGAIN:
    case EAI_FAIL:
    case EAI_SYSTEM:
        return FIL_E_UNREACHABLE;
    default:
        return FIL_E_NOT_FOUND;
    }
}

int fil_resolve__host(const char *host, uint16_t port, struct fil_resolved *out_resolved)
{
    fil_assert(host != NULL);
    struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    *out_resolved = (struct fil_resolved){0};
    int failed = getaddrinfo(host, NULL, &wanted, &found);
    if (failed != 0) {
        return translate(failed);
    }
    for (const struct addrinfo *each = found; each != NULL; each = each->ai_next) {
        struct fil_address address = {.port = port};
        if (out_resolved->count < FIL_RESOLVED_MAX && read_address(each->ai_addr, &address)) {
            out_resolved->addresses[out_resolved->count] = address;
            out_resolved->count++;
        }
    }
    freeaddrinfo(found);
    return out_resolved->count > 0 ? FIL_OK : FIL_E_NOT_FOUND;
}
