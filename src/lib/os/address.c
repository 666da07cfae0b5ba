// SPDX-License-Identifier: Apache-2.0
#include "lib/os/address.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/bytes.h"

#define PORT_DIGITS_MAX 5U

static_assert(FIL_ADDRESS_TEXT_MAX >= INET6_ADDRSTRLEN + sizeof("[]:65535"),
              "the longest address fits");

/** Decimal without sign, blanks or leading zeros: one port has one spelling. */
static bool parse_port(struct fil_bytes text, uint16_t *out_port)
{
    if (text.size == 0 || text.size > PORT_DIGITS_MAX || (text.size > 1 && text.data[0] == '0')) {
        return false;
    }
    uint32_t port = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
        port = port * 10 + (uint32_t)(text.data[i] - '0');
    }
    if (port > UINT16_MAX) {
        return false;
    }
    *out_port = (uint16_t)port;
    return true;
}

static bool parse_ip(struct fil_bytes host, struct fil_address *address)
{
    char text[INET6_ADDRSTRLEN] = {0};
    if (host.size >= sizeof(text) || memchr(host.data, '\0', host.size) != NULL) {
        return false;
    }
    memcpy(text, host.data, host.size);
    return inet_pton(address->is_ipv6 ? AF_INET6 : AF_INET, text, address->ip) == 1;
}

static bool parse_host(struct fil_bytes host, struct fil_address *address)
{
    if (host.size == 0) {
        return true; // all zeros: every interface
    }
    if (host.data[0] == '[') {
        address->is_ipv6 = true;
        return host.size > 2 && host.data[host.size - 1] == ']' &&
               parse_ip(fil_bytes_make(host.data + 1, host.size - 2), address);
    }
    if (fil_bytes_equal_text(host, "localhost")) {
        host = fil_bytes_of("127.0.0.1");
    }
    return parse_ip(host, address);
}

int fil_address_parse(const char *text, struct fil_address *out_address)
{
    fil_assert(text != NULL);
    fil_assert(out_address != NULL);

    const char *colon = strrchr(text, ':');
    if (colon == NULL) {
        return FIL_E_ADDRESS;
    }
    struct fil_address address = {0};
    if (!parse_host(fil_bytes_make(text, (size_t)(colon - text)), &address) ||
        !parse_port(fil_bytes_of(colon + 1), &address.port)) {
        return FIL_E_ADDRESS;
    }
    *out_address = address;
    return FIL_OK;
}

const char *fil_address_format(const struct fil_address *address, char text[FIL_ADDRESS_TEXT_MAX])
{
    char ip[INET6_ADDRSTRLEN];
    const char *written =
        inet_ntop(address->is_ipv6 ? AF_INET6 : AF_INET, address->ip, ip, sizeof(ip));
    fil_assert(written != NULL);
    int size = snprintf(text, FIL_ADDRESS_TEXT_MAX, address->is_ipv6 ? "[%s]:%u" : "%s:%u", ip,
                        (unsigned)address->port);
    fil_assert(size > 0);
    fil_assert(size < FIL_ADDRESS_TEXT_MAX);
    return text;
}
