// SPDX-License-Identifier: Apache-2.0
#include "filbert/node.h"

#include <string.h>

#include "filbert/client.h"
#include "lib/base/alloc.h"
#include "lib/conf/conf.h"
#include "lib/log/log.h"
#include "lib/os/address.h"
#include "lib/os/cpu.h"
#include "lib/os/env.h"
#include "lib/os/process.h"
#include "node/node.h"
#include "node/options.h"
#include "node/plan.h"

#define STDERR_NUMBER 2

/** What a member in a program needs besides itself. */
struct embedding {
    struct fil_options options;
    struct fil_conf conf;
    struct fil_plan plan;
    struct fil_log *log;
    struct fil_node *node;
    struct fil_client *client;
    bool is_running;
    char address[FIL_ADDRESS_TEXT_MAX];
};

static int complain(struct embedding *embedding, const char *what, int error)
{
    fil_log_event(embedding->log, FIL_LOG_ERROR, "member_failed", FIL_F_TEXT("what", what),
                  FIL_F_TEXT("error", fil_error_text(error)));
    return error;
}

static int start_log(struct embedding *embedding)
{
    bool is_terminal = fil_process_is_terminal(STDERR_NUMBER);
    embedding->log = fil_log_new(&(struct fil_log_options){
        .env = fil_env_real(),
        .fd = STDERR_NUMBER,
        .level = FIL_LOG_INFO,
        .style = {.format = is_terminal ? FIL_LOG_FORMAT_HUMAN : FIL_LOG_FORMAT_LOGFMT},
    });
    return embedding->log == NULL ? FIL_E_NOMEM : fil_log_start(embedding->log);
}

/** What the program says is a default: file and environment may say otherwise. */
static int set_default(struct embedding *embedding, const char *name, const char *value)
{
    return value == NULL ? FIL_OK
                         : fil_conf_set_option(&embedding->conf, name, value, "the program");
}

static int load(struct embedding *embedding, const struct fil_node_options *options)
{
    struct fil_conf *conf = &embedding->conf;
    int error = set_default(embedding, "cluster.name", options->name);
    error = error == FIL_OK ? set_default(embedding, "net.listen", options->listen) : error;
    if (error == FIL_OK && options->config_file != NULL) {
        error = fil_conf_load_file(conf, fil_env_real(), options->config_file);
    }
    int loaded = fil_conf_load_environment(conf, fil_process_environment());
    error = error == FIL_OK ? loaded : error;
    error = error == FIL_OK ? fil_conf_check(conf) : error;
    for (size_t i = 0; i < fil_conf_message_count(conf); i++) {
        fil_log_event(embedding->log, FIL_LOG_ERROR, "configuration_wrong",
                      FIL_F_TEXT("problem", fil_conf_message(conf, i)));
    }
    return error;
}

static int plan(struct embedding *embedding)
{
    struct fil_machine machine;
    fil_machine_read(&machine, "/");
    fil_plan_make(&embedding->plan, &machine, &embedding->options);
    if (embedding->plan.problem[0] != '\0') {
        fil_log_event(embedding->log, FIL_LOG_ERROR, "configuration_wrong",
                      FIL_F_TEXT("problem", embedding->plan.problem));
        return FIL_E_CONFIG;
    }
    fil_log_set_level(embedding->log, embedding->options.log.level);
    return FIL_OK;
}

static int run_member(struct embedding *embedding)
{
    int error = fil_node_new(&embedding->node, &(struct fil_node_setup){
                                                   .env = fil_env_real(),
                                                   .options = &embedding->options,
                                                   .plan = &embedding->plan,
                                                   .conf = &embedding->conf,
                                                   .log = embedding->log,
                                                   .owner = embedding,
                                               });
    if (error != FIL_OK) {
        return complain(embedding, "the member was not made", error);
    }
    error = fil_node_start_threads(embedding->node);
    embedding->is_running = error == FIL_OK;
    return error == FIL_OK ? FIL_OK : complain(embedding, "the threads did not start", error);
}

/** Where the member is reached from here: one that listens on all addresses, on the loopback. */
static void find_address(struct embedding *embedding)
{
    static const uint8_t nowhere[16];
    struct fil_address address = *fil_node_address(embedding->node);
    if (memcmp(address.ip, nowhere, sizeof(nowhere)) == 0) {
        memset(address.ip, 0, sizeof(address.ip));
        address.ip[address.is_ipv6 ? 15 : 0] = address.is_ipv6 ? 1 : 127;
        address.ip[3] = address.is_ipv6 ? 0 : 1;
    }
    (void)fil_address_format(&address, embedding->address);
}

static int reach(struct embedding *embedding)
{
    find_address(embedding);
    int error =
        fil_client_connect(&embedding->client, &(struct fil_client_options){
                                                   .address = embedding->address,
                                                   .cluster = embedding->options.cluster.name,
                                                   .name = "embedded",
                                                   .has_thread = true,
                                               });
    return error == FIL_OK ? FIL_OK : complain(embedding, fil_client_connect_problem(), error);
}

/** Ends all that has begun, in the opposite order. */
static void end(struct embedding *embedding)
{
    if (embedding->client != NULL) {
        fil_client_close(embedding->client);
    }
    if (embedding->is_running) {
        (void)fil_node_stop_threads(embedding->node); // whom it cut is in the log
    }
    fil_node_free(embedding->node);
    if (embedding->log != NULL) {
        fil_log_stop(embedding->log);
        fil_log_free(embedding->log);
    }
    fil_conf_fini(&embedding->conf);
    fil_free(embedding);
}

int fil_node_start(struct fil_node **out_node, const struct fil_node_options *options)
{
    static const struct fil_node_options defaults;
    options = options == NULL ? &defaults : options;
    if (out_node == NULL) {
        return FIL_E_INVALID;
    }
    struct embedding *embedding = fil_alloc_zero(1, sizeof(*embedding));
    if (embedding == NULL) {
        return FIL_E_NOMEM;
    }
    int error = fil_conf_init(&embedding->conf, &fil_options_table, &embedding->options);
    if (error != FIL_OK) {
        fil_free(embedding);
        return error;
    }
    error = start_log(embedding);
    error = error == FIL_OK ? load(embedding, options) : error;
    error = error == FIL_OK ? plan(embedding) : error;
    error = error == FIL_OK ? run_member(embedding) : error;
    error = error == FIL_OK ? reach(embedding) : error;
    if (error != FIL_OK) {
        end(embedding);
        return error;
    }
    *out_node = embedding->node;
    return FIL_OK;
}

static struct embedding *embedding_of(const struct fil_node *node)
{
    return node == NULL ? NULL : fil_node_owner(node);
}

struct fil_grid *fil_node_grid(struct fil_node *node)
{
    const struct embedding *embedding = embedding_of(node);
    return embedding == NULL ? NULL : fil_client_grid(embedding->client);
}

const char *fil_node_address_text(const struct fil_node *node)
{
    const struct embedding *embedding = embedding_of(node);
    return embedding == NULL ? "" : embedding->address;
}

void fil_node_stop(struct fil_node *node)
{
    struct embedding *embedding = embedding_of(node);
    if (embedding != NULL) {
        end(embedding);
    }
}
