// SPDX-License-Identifier: Apache-2.0
/** An IP address with port, as the network functions of the environment take it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"

#define FIL_ADDRESS_TEXT_MAX 64
#define FIL_RESOLVED_MAX     8U // addresses of one name; more are not told

struct fil_address {
    uint8_t ip[16]; // IPv4 in the first four bytes
    uint16_t port;
    bool is_ipv6;
};

/** What a host's name stands for. */
struct fil_resolved {
    uint32_t count;
    struct fil_address addresses[FIL_RESOLVED_MAX];
};

/**
 * Parses "127.0.0.1:5701", "[::1]:5701", "localhost:5701" (IPv4) or ":5701" (all IPv4 interfaces;
 * "[::]:5701" is all interfaces of both kinds). Asks no resolver. FIL_E_ADDRESS for anything else;
 * out_address is untouched then.
 */
int fil_address_parse(const char *text, struct fil_address *out_address) FIL_NODISCARD;

/** Writes "127.0.0.1:5701" or "[::1]:5701"; always terminated. Returns text. */
const char *fil_address_format(const struct fil_address *address, char text[FIL_ADDRESS_TEXT_MAX]);
