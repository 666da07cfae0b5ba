// SPDX-License-Identifier: Apache-2.0
/** A member as a server of its embedding program: implements the servers of filbert/service.h. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "core/service/files.h"
#include "filbert/error.h"
#include "filbert/service.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/conf/conf.h"
#include "lib/log/log.h"
#include "lib/os/cpu.h"
#include "lib/os/env.h"
#include "lib/os/process.h"
#include "lib/os/signals.h"
#include "node/node.h"
#include "node/node_internal.h"
#include "node/options.h"
#include "node/plan.h"

#define RUN_ON_MAX    32U
#define STDERR_NUMBER 2

struct fil_server {
    struct fil_options options;
    struct fil_conf conf;
    struct fil_plan plan;
    struct fil_log *log;
    struct fil_node *node;
    char run_on[RUN_ON_MAX];
    struct fil_route *routes[FIL_SERVICE_ROUTES_MAX]; // until the member has them
    uint32_t route_count;
    struct fil_filter_link *filters[FIL_SERVICE_FILTERS_MAX]; // as well
    uint32_t filter_count;
};

/** Says in the log why there will be no server; returns the error. */
static int complain(struct fil_server *server, const char *what, int error)
{
    fil_log_event(server->log, FIL_LOG_ERROR, "server_failed", FIL_F_TEXT("what", what),
                  FIL_F_TEXT("error", fil_error_text(error)));
    return error;
}

static int start_log(struct fil_server *server)
{
    bool is_terminal = fil_process_is_terminal(STDERR_NUMBER);
    server->log = fil_log_new(&(struct fil_log_options){
        .env = fil_env_real(),
        .fd = STDERR_NUMBER,
        .level = FIL_LOG_INFO,
        .style = {.format = is_terminal ? FIL_LOG_FORMAT_HUMAN : FIL_LOG_FORMAT_LOGFMT},
    });
    if (server->log == NULL) {
        return FIL_E_NOMEM;
    }
    fil_log_set_default(server->log);
    return fil_log_start(server->log);
}

static void end_log(struct fil_server *server)
{
    if (server->log != NULL) {
        fil_log_stop(server->log);
        fil_log_set_default(NULL);
        fil_log_free(server->log);
        server->log = NULL;
    }
}

static int load(struct fil_server *server, const struct fil_server_options *options)
{
    struct fil_conf *conf = &server->conf;
    int error = FIL_OK;
    if (options->config_file != NULL) {
        error = fil_conf_load_file(conf, fil_env_real(), options->config_file);
    }
    // The program's own address is its default: the file and the environment may say otherwise.
    if (options->listen != NULL && error == FIL_OK) {
        error = fil_conf_set_option(conf, "net.listen", options->listen, "the program");
    }
    int loaded = fil_conf_load_environment(conf, fil_process_environment());
    error = error == FIL_OK ? loaded : error;
    error = error == FIL_OK ? fil_conf_check(conf) : error;
    for (size_t i = 0; i < fil_conf_message_count(conf); i++) {
        fil_log_event(server->log, FIL_LOG_ERROR, "configuration_wrong",
                      FIL_F_TEXT("problem", fil_conf_message(conf, i)));
    }
    fil_options_warn_ignored(conf, server->log);
    fil_options_tell(conf, server->log);
    return error;
}

int fil_server_new(struct fil_server **out_server, const struct fil_server_options *options)
{
    static const struct fil_server_options defaults;
    options = options == NULL ? &defaults : options;
    struct fil_server *server = fil_alloc_zero(1, sizeof(*server));
    if (server == NULL) {
        return FIL_E_NOMEM;
    }
    int error = fil_conf_init(&server->conf, &fil_options_table, &server->options);
    if (error != FIL_OK) {
        fil_free(server);
        return error;
    }
    if (options->run_on != NULL) {
        (void)snprintf(server->run_on, sizeof(server->run_on), "%s", options->run_on);
    }
    // Before the first thread, so that all of them leave the signals to run.
    fil_signals_block();
    error = start_log(server);
    error = error == FIL_OK ? load(server, options) : error;
    if (error != FIL_OK) {
        fil_server_free(server);
        return error;
    }
    *out_server = server;
    return FIL_OK;
}

void fil_server_free(struct fil_server *server)
{
    if (server == NULL) {
        return;
    }
    for (uint32_t i = 0; i < server->route_count; i++) {
        fil_route_free(server->routes[i]);
    }
    for (uint32_t i = 0; i < server->filter_count; i++) {
        fil_filter_link_free(server->filters[i]);
    }
    end_log(server);
    fil_conf_fini(&server->conf);
    fil_free(server);
}

static bool has_route(const struct fil_server *server, const char *pattern)
{
    bool is_found = false;
    for (uint32_t i = 0; i < server->route_count; i++) {
        is_found |= strcmp(server->routes[i]->pattern, pattern) == 0;
    }
    return is_found;
}

/** FIL_OK when there is room for one more of this pattern. */
static int check_route(const struct fil_server *server, const char *pattern)
{
    if (pattern == NULL) {
        return FIL_E_INVALID;
    }
    if (server->route_count == FIL_SERVICE_ROUTES_MAX) {
        return FIL_E_LIMIT;
    }
    return has_route(server, pattern) ? FIL_E_EXISTS : FIL_OK;
}

static void keep_route(struct fil_server *server, struct fil_route *route)
{
    server->routes[server->route_count] = route;
    server->route_count++;
}

int fil_route(struct fil_server *server, const char *pattern, fil_handler_fn handler,
              const struct fil_route_options *options)
{
    struct fil_route *route = NULL;
    int error = handler == NULL ? FIL_E_INVALID : check_route(server, pattern);
    if (error == FIL_OK) {
        error = fil_route_new(&route, pattern, handler, options);
    }
    if (error == FIL_OK) {
        keep_route(server, route);
    }
    return error;
}

int fil_route_files(struct fil_server *server, const char *pattern, const char *folder,
                    const struct fil_route_options *options)
{
    struct fil_route *route = NULL;
    int error = folder == NULL ? FIL_E_INVALID : check_route(server, pattern);
    if (error == FIL_OK) {
        error = fil_files_route(&route, pattern, folder, options);
    }
    if (error == FIL_OK) {
        keep_route(server, route);
    }
    return error;
}

int fil_filter_add(struct fil_server *server, const char *pattern, const struct fil_filter *filter)
{
    if (filter == NULL || filter->name == NULL || filter->name[0] == '\0') {
        return FIL_E_INVALID;
    }
    if (pattern != NULL &&
        (!has_route(server, pattern) || strlen(pattern) >= FIL_FILTER_PATTERN_MAX)) {
        return FIL_E_NOT_FOUND;
    }
    if (server->filter_count == FIL_SERVICE_FILTERS_MAX) {
        return FIL_E_LIMIT;
    }
    struct fil_filter_link *link = NULL;
    int error = fil_filter_link_new(&link, filter, filter->name);
    if (error == FIL_OK) {
        (void)snprintf(link->pattern, sizeof(link->pattern), "%s", pattern == NULL ? "" : pattern);
        server->filters[server->filter_count] = link;
        server->filter_count++;
    }
    return error;
}

/** Hands the filters over, in their order. */
static int add_filters(struct fil_server *server, struct fil_service *service)
{
    int error = FIL_OK;
    uint32_t given = 0;
    while (given < server->filter_count && error == FIL_OK) {
        struct fil_filter_link *link = server->filters[given];
        char pattern[FIL_FILTER_PATTERN_MAX];
        memcpy(pattern, link->pattern, sizeof(pattern));
        error = fil_service_add_filter(service, pattern[0] == '\0' ? NULL : pattern, link);
        given += error == FIL_OK;
    }
    memmove(server->filters, server->filters + given,
            (server->filter_count - given) * sizeof(struct fil_filter_link *));
    server->filter_count -= given;
    return error;
}

/** Hands the routes over; those that could not be stay with the server. */
static int add_routes(void *context, struct fil_service *service)
{
    struct fil_server *server = context;
    while (server->route_count > 0) {
        int error = fil_service_add(service, server->routes[server->route_count - 1]);
        if (error != FIL_OK) {
            return error;
        }
        server->route_count--;
    }
    return add_filters(server, service);
}

static bool is_end(int signal)
{
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

static int serve(struct fil_server *server)
{
    int error = fil_node_start_threads(server->node);
    if (error != FIL_OK) {
        return complain(server, "the threads did not start", error);
    }
    int signal = 0;
    do {
        error = fil_signals_wait(FIL_WAIT_FOREVER, &signal);
        fil_assert(error == FIL_OK);
    } while (!is_end(signal));
    fil_log_event(server->log, FIL_LOG_INFO, "stopping",
                  FIL_F_TEXT("signal", fil_signals_name(signal)));
    uint32_t cut = fil_node_stop_threads(server->node);
    fil_log_event(server->log, FIL_LOG_INFO, "stopped", FIL_F_U64("connections_cut", cut));
    return cut == 0 ? FIL_OK : FIL_E_TIMEOUT;
}

static int make_and_serve(struct fil_server *server)
{
    int error = fil_node_new(&server->node, &(struct fil_node_setup){
                                                .env = fil_env_real(),
                                                .options = &server->options,
                                                .plan = &server->plan,
                                                .conf = &server->conf,
                                                .log = server->log,
                                                .add_routes = add_routes,
                                                .context = server,
                                                .run_on = server->run_on,
                                            });
    if (error != FIL_OK) {
        return complain(server, "the member was not made", error);
    }
    error = serve(server);
    fil_node_free(server->node);
    server->node = NULL;
    return error;
}

int fil_server_run(struct fil_server *server)
{
    struct fil_machine machine;
    (void)fil_process_raise_descriptor_limit(); // what the machine is read with then
    fil_machine_read(&machine, "/");
    fil_plan_make(&server->plan, &machine, &server->options);
    if (server->plan.problem[0] != '\0') {
        fil_log_event(server->log, FIL_LOG_ERROR, "configuration_wrong",
                      FIL_F_TEXT("problem", server->plan.problem));
        return FIL_E_CONFIG;
    }
    fil_log_set_level(server->log, server->options.log.level);
    return make_and_serve(server);
}
