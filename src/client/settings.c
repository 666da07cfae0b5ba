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

/** One address of the list, without the comma. */
static int take_address(struct fil_client_settings *settings, const char *text, size_t size,
                        char *problem, size_t problem_size)
{
    char address[FIL_ADDRESS_TEXT_MAX];
    while (size > 0 && *text == ' ') {
        text++;
        size--;
    }
    bool is_short = size < sizeof(address);
    (void)snprintf(address, sizeof(address), "%.*s", is_short ? (int)size : 0, text);
    if (settings->seed_count == FIL_CLIENT_SEEDS_MAX || !is_short ||
        fil_address_parse(address, &settings->seeds[settings->seed_count]) != FIL_OK) {
        (void)snprintf(problem, problem_size,
                       "'%.*s' is not an address: write an IP address and a port, as in %s",
                       (int)(size < 100 ? size : 100), text, DEFAULT_ADDRESS);
        return FIL_E_ADDRESS;
    }
    settings->seed_count++;
    return FIL_OK;
}

static int take_addresses(struct fil_client_settings *settings, const char *text, char *problem,
                          size_t size)
{
    int error = FIL_OK;
    while (error == FIL_OK) {
        size_t length = strcspn(text, ",");
        error = take_address(settings, text, length, problem, size);
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

static uint64_t time_ns(uint64_t ms, uint64_t fallback_ms)
{
    uint64_t chosen = ms == 0 ? fallback_ms : ms;
    return (chosen < TIME_MS_MAX ? chosen : TIME_MS_MAX) * NS_PER_MS;
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
