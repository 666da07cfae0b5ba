// SPDX-License-Identifier: Apache-2.0
/** The server of the benchmarks: routes that do nothing, compute for a millisecond, or sleep. */
#include <filbert/service.h>
#include <stdlib.h>
#include <time.h>

#define STEPS_PER_MS 510000U

static const char hundred[] =
    "0123456789012345678901234567890123456789012345678901234567890123456789"
    "01234567890123456789012345678";

static struct fil_reply hello(struct fil_request *request)
{
    (void)request;
    return fil_reply_bytes(200, "text/plain", hundred, sizeof(hundred) - 1);
}

/** About a millisecond of a processor's time, as in the figures of the peers. */
static struct fil_reply burn(struct fil_request *request)
{
    uint32_t x = 2463534242U;
    for (uint32_t i = 0; i < STEPS_PER_MS; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return fil_reply_text(request, 200, "%u\n", x);
}

static void nap(long ms)
{
    struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)nanosleep(&pause, NULL);
}

static struct fil_reply block(struct fil_request *request)
{
    nap(50); // what a handler should not do on a loop
    return fil_reply_text(request, 200, "slept\n");
}

/** Holds its thread, which others wait for. */
static struct fil_reply stall(struct fil_request *request)
{
    nap(500);
    return fil_reply_text(request, 200, "slept\n");
}

/** Takes its time without a processor's. */
static struct fil_reply wait_a_little(struct fil_request *request)
{
    nap(5);
    return fil_reply_text(request, 200, "slept\n");
}

/** Nine of ten take a millisecond, the tenth takes ten. */
static struct fil_reply mixed(struct fil_request *request)
{
    static _Thread_local unsigned count;
    struct fil_reply reply = burn(request);
    for (unsigned i = 0; count % 10 == 0 && i < 9; i++)
        reply = burn(request);
    count++;
    return reply;
}

/** Behind a proxy: answers after BENCH_DELAY_MS. */
static struct fil_reply delayed(struct fil_request *request)
{
    const char *delay = getenv("BENCH_DELAY_MS");
    long delay_ms = delay == NULL ? 0 : strtol(delay, NULL, 10);
    if (delay_ms > 0)
        nap(delay_ms);
    return hello(request);
}

/** What a refusal costs: the answer of admission, without the queue. */
static struct fil_reply refused(struct fil_request *request)
{
    static const char text[] = "too much to do\n";
    (void)fil_reply_header(request, "Retry-After", "0");
    (void)fil_reply_header(request, "Filbert-Nack", "wait");
    return fil_reply_bytes(503, "text/plain", text, sizeof(text) - 1);
}

int main(void)
{
    struct fil_server *server = NULL;
    int error = fil_server_new(&server, NULL);
    const struct {
        const char *pattern;
        fil_handler_fn handler;
        const char *run_on;
    } routes[] = {
        {"GET /hello", hello, NULL},          {"GET /pooled", hello, "cpu"},
        {"GET /burn", burn, "cpu"},           {"GET /block", block, "block"},
        {"GET /block-inline", block, "loop"}, {"GET /block-cpu", block, "cpu"},
        {"GET /refused", refused, NULL},      {"GET /stall", stall, "cpu"},
        {"GET /nap", wait_a_little, "block"}, {"GET /mixed", mixed, "cpu"},
    };
    for (unsigned i = 0; error == FIL_OK && i < sizeof(routes) / sizeof(routes[0]); i++) {
        struct fil_route_options options = {.run_on = routes[i].run_on, .deadline_ms = 0};
        error = fil_route(server, routes[i].pattern, routes[i].handler, &options);
    }
    const char *delay = getenv("BENCH_DELAY_MS");
    if (error == FIL_OK && delay != NULL) {
        struct fil_route_options options = {.run_on = delay[0] == '0' ? "loop" : "block"};
        error = fil_route(server, "GET /via/*", delayed, &options);
    }
    if (error == FIL_OK && getenv("BENCH_BURN") != NULL)
        error = fil_route(server, "GET /via/*", burn, &(struct fil_route_options){.run_on = "cpu"});
    if (error == FIL_OK)
        error = fil_server_run(server);
    fil_server_free(server);
    return error == FIL_OK ? 0 : 1;
}
