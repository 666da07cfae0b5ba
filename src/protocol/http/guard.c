// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/guard.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/attr.h"
#include "lib/os/address.h"

static bool is_listed(const char *list, struct fil_bytes wanted)
{
    struct fil_bytes rest = fil_bytes_of(list == NULL ? "" : list);
    while (rest.size > 0) {
        size_t size = fil_bytes_find(rest, ',');
        struct fil_bytes item = fil_bytes_trim(fil_bytes_make(rest.data, size));
        if (fil_bytes_equal_text(item, "*") || fil_bytes_equal_nocase(item, wanted)) {
            return true;
        }
        size += size < rest.size;
        rest = fil_bytes_make(rest.data + size, rest.size - size);
    }
    return false;
}

/** Without the port; what stands in brackets is full of colons. */
static struct fil_bytes cut_port(struct fil_bytes host)
{
    size_t size = host.size;
    while (size > 0 && host.data[size - 1] >= '0' && host.data[size - 1] <= '9') {
        size--;
    }
    bool has_port = size > 0 && host.data[size - 1] == ':';
    return fil_bytes_make(host.data, has_port ? size - 1 : host.size);
}

/** An IP address, which is no name that anybody could point elsewhere. */
static bool is_literal(struct fil_bytes name)
{
    char text[FIL_ADDRESS_TEXT_MAX];
    struct fil_address address;
    if (name.size > sizeof(text) - sizeof(":0")) {
        return false;
    }
    memcpy(text, name.data, name.size);
    memcpy(text + name.size, ":0", sizeof(":0"));
    return fil_address_parse(text, &address) == FIL_OK;
}

static bool is_known(const struct fil_http_guard *guard, struct fil_bytes host)
{
    struct fil_bytes name = cut_port(host);
    return name.size == 0 || fil_bytes_equal_nocase(name, fil_bytes_of("localhost")) ||
           is_literal(name) || is_listed(guard->hosts, name);
}

/** Whether the page is of the host and port that it asks, however TLS may be ended before us. */
static bool is_at_home(struct fil_bytes origin, struct fil_bytes host)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < FIL_COUNT_OF(schemes); i++) {
        size_t size = strlen(schemes[i]);
        if (origin.size > size &&
            fil_bytes_equal_nocase(fil_bytes_make(origin.data, size), fil_bytes_of(schemes[i]))) {
            return fil_bytes_equal_nocase(fil_bytes_make(origin.data + size, origin.size - size),
                                          host);
        }
    }
    return false;
}

const char *fil_http_guard_check(struct fil_http_guard *guard,
                                 const struct fil_http_request *request)
{
    if (!is_known(guard, request->host)) {
        fil_counter_add_shared(&guard->refused_hosts, 1);
        return "this member does not know the name that the Host header has: use an address, or "
               "add the name to http.hosts";
    }
    const struct fil_http_header *origin = fil_http_headers_find(&request->headers, "origin");
    if (origin != NULL && !is_at_home(origin->value, request->host) &&
        !is_listed(guard->origins, origin->value)) {
        fil_counter_add_shared(&guard->refused_origins, 1);
        return "pages of other origins may not ask this member: add the origin to http.origins if "
               "they should";
    }
    return NULL;
}
