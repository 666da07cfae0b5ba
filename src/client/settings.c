// SPDX-License-Identifier: Apache-2.0
/** The client's options: checked, copied, defaults filled in. */
#include <stdio.h>
#include <string.h>

#include "client/client_internal.h"
#include "lib/base/assert.h"

#define NS_PER_MS       UINT64_C(1000000)
#define TIME_MS_MAX     (UINT64_C(1000) * 60 * 60 * 24 * 365)
#define MIB             (UINT64_C(1) << 20)
#define DEFAULT_ADDRESS "127.0.0.1:5701"
#define DEFAULT_PORT    "5701"
#define DEFAULT_CLUSTER "dev"

static bool copy_text(char out[FIL_CLIENT_NAME_MAX], const char *text, const char *fallback)
{
    const char *from = text == NULL ? fallback : text;
    size_t size = strlen(from);
    if (size >= FIL_CLIENT_NAME_MAX) {
        return false;
    }
    memcpy(out, from, size + 1);
    return true;
}

static bool is_name_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' || byte == '_';
}

/** Whether it can be the name of a host; what ends with a number is a mistyped address. */
static bool is_host(const char *text, size_t size)
{
    const char *dot = size == 0 ? NULL : memrchr(text, '.', size);
    const char *last = dot == NULL ? text : dot + 1;
    size_t last_size = (size_t)(text + size - last);
    for (size_t i = 0; i < size; i++) {
        if (!is_name_byte(text[i])) {
            return false;
        }
    }
    return last_size > 0 && strspn(last, "0123456789") < last_size;
}

/** An address with a port; false: it is neither numbers nor the name of a host. */
static bool read_seed(const char *text, struct fil_client_seed *seed)
{
    char place[FIL_CLIENT_NAME_MAX];
    if (fil_address_parse(text, &seed->address) == FIL_OK) {
        return true;
    }
    const char *colon = strrchr(text, ':');
    size_t size = colon == NULL ? 0 : (size_t)(colon - text);
    (void)snprintf(place, sizeof(place), "0.0.0.0%s", colon == NULL ? "" : colon);
    if (!is_host(text, size) || fil_address_parse(place, &seed->address) != FIL_OK) {
        return false;
    }
    memcpy(seed->host, text, size);
    seed->host[size] = '\0';
    return true;
}

/** Whether a port is written behind; an IPv6 address ends with a bracket when there is none. */
static bool has_port(struct fil_bytes text)
{
    const uint8_t *colon = text.size == 0 ? NULL : memrchr(text.data, ':', text.size);
    return colon != NULL && memchr(colon, ']', (size_t)(text.data + text.size - colon)) == NULL;
}

/** One address of the list, without the comma. */
static int take_address(struct fil_client_settings *settings, struct fil_bytes text, char *problem,
                        size_t problem_size)
{
    char address[FIL_CLIENT_NAME_MAX];
    struct fil_bytes plain = fil_bytes_trim(text);
    bool fits = plain.size > 0 && plain.size + sizeof(":" DEFAULT_PORT) <= sizeof(address);
    (void)snprintf(address, sizeof(address), "%.*s%s", fits ? (int)plain.size : 0,
                   (const char *)plain.data, has_port(plain) ? "" : ":" DEFAULT_PORT);
    if (settings->seed_count == FIL_CLIENT_SEEDS_MAX || !fits ||
        !read_seed(address, &settings->seeds[settings->seed_count])) {
        (void)snprintf(problem, problem_size,
                       "'%.*s' is not an address: write a host or an IP address and a port, as in "
                       "%s, and %u of them at most",
                       (int)(text.size < 100 ? text.size : 100), (const char *)text.data,
                       DEFAULT_ADDRESS, FIL_CLIENT_SEEDS_MAX);
        return FIL_E_ADDRESS;
    }
    settings->has_hosts |= settings->seeds[settings->seed_count].host[0] != '\0';
    settings->seed_count++;
    return FIL_OK;
}

static int take_addresses(struct fil_client_settings *settings, const char *text, char *problem,
                          size_t size)
{
    int error = FIL_OK;
    while (error == FIL_OK) {
        size_t length = strcspn(text, ",");
        error = take_address(settings, fil_bytes_make(text, length), problem, size);
        text += length;
        if (*text == '\0') {
            break;
        }
        text++;
    }
    return error;
}

static bool take_texts(struct fil_client_settings *settings,
                       const struct fil_client_options *options)
{
    settings->has_credentials = options->username != NULL || options->password != NULL;
    return copy_text(settings->cluster, options->cluster, DEFAULT_CLUSTER) &&
           copy_text(settings->name, options->name, "") &&
           copy_text(settings->username, options->username, "") &&
           copy_text(settings->password, options->password, "");
}

uint64_t fil_client__time_ns(uint64_t ms)
{
    return (ms < TIME_MS_MAX ? ms : TIME_MS_MAX) * NS_PER_MS;
}

static uint64_t time_ns(uint64_t ms, uint64_t fallback_ms)
{
    return fil_client__time_ns(ms == 0 ? fallback_ms : ms);
}

static void take_times(struct fil_client_settings *settings,
                       const struct fil_client_options *options)
{
    settings->connect_timeout_ns = time_ns(options->connect_timeout_ms, 10000);
    settings->call_timeout_ns = time_ns(options->call_timeout_ms, 120000);
    settings->heartbeat_interval_ns = time_ns(options->heartbeat_interval_ms, 5000);
    settings->heartbeat_timeout_ns = time_ns(options->heartbeat_timeout_ms, 60000);
    settings->retry_first_ns = time_ns(options->retry_first_ms, 100);
    settings->retry_max_ns = time_ns(options->retry_max_ms, 5000);
    if (settings->retry_max_ns < settings->retry_first_ns) {
        settings->retry_max_ns = settings->retry_first_ns;
    }
}

static uint64_t or_default(uint64_t value, uint64_t fallback)
{
    return value == 0 ? fallback : value;
}

int fil_client__settle(struct fil_client_settings *settings,
                       const struct fil_client_options *options, char *problem, size_t size)
{
    static const struct fil_client_options nothing;
    fil_assert(problem != NULL && size > 0);
    const struct fil_client_options *given = options == NULL ? &nothing : options;
    *settings = (struct fil_client_settings){
        .is_single = given->is_single,
        .repeats_all = given->repeats_all,
        .in_flight_max = (uint32_t)or_default(given->in_flight_max, 4096),
        .request_bytes_max = or_default(given->request_bytes_max, 256 * MIB),
        .message_bytes_max = or_default(given->message_bytes_max, 256 * MIB),
    };
    if (settings->in_flight_max > FIL_CLIENT_IN_FLIGHT_MAX || !take_texts(settings, given)) {
        (void)snprintf(problem, size,
                       "a text of the options is too long, or in_flight_max too high");
        return FIL_E_INVALID;
    }
    take_times(settings, given);
    const char *address = given->address == NULL ? DEFAULT_ADDRESS : given->address;
    return take_addresses(settings, address, problem, size);
}
