// SPDX-License-Identifier: Apache-2.0
#include "member.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/conf/conf.h"
#include "lib/os/cpu.h"
#include "node/node.h"
#include "node/options.h"
#include "node/plan.h"
#include "setting.h"

#define OPTION_BYTES_MAX 128U

// What every member of the lab has: a free port, and the command that burns processor time.
static const char common_options[] = "net.listen=127.0.0.1:0 debug.commands=true";

struct lab_member {
    struct fil_options options;
    struct fil_conf conf;
    bool has_conf;
    struct fil_node *node;
    bool is_running;
};

static int set_options(struct lab_member *member, const char *options, struct lab_setting_cpus cpus)
{
    char text[OPTION_BYTES_MAX];
    while (lab_setting_next_option(&options, cpus, text, sizeof(text))) {
        int error = fil_conf_set(&member->conf, text, "the lab");
        if (error != FIL_OK) {
            return error;
        }
    }
    return FIL_OK;
}

static int configure(struct lab_member *member, const char *options, struct lab_setting_cpus cpus)
{
    int error = fil_conf_init(&member->conf, &fil_options_table, &member->options);
    if (error != FIL_OK) {
        return error;
    }
    member->has_conf = true;
    error = set_options(member, common_options, cpus);
    if (error == FIL_OK) {
        error = set_options(member, options, cpus);
    }
    return error == FIL_OK ? fil_conf_check(&member->conf) : error;
}

static int start(struct lab_member *member, struct fil_env *env)
{
    struct fil_machine machine;
    struct fil_plan plan;
    fil_machine_read(&machine, "/");
    fil_plan_make(&plan, &machine, &member->options);
    int error = fil_node_new(
        &member->node,
        &(struct fil_node_setup){.env = env, .options = &member->options, .plan = &plan});
    if (error != FIL_OK) {
        return error;
    }
    error = fil_node_start_threads(member->node);
    member->is_running = error == FIL_OK;
    return error;
}

int lab_member_new(struct lab_member **out_member, struct fil_env *env, const char *options,
                   struct lab_setting_cpus cpus)
{
    struct lab_member *member = fil_alloc_zero(1, sizeof(*member));
    if (member == NULL) {
        return FIL_E_NOMEM;
    }
    int error = configure(member, options, cpus);
    if (error == FIL_OK) {
        error = start(member, env);
    }
    if (error != FIL_OK) {
        lab_member_free(member);
        return error;
    }
    *out_member = member;
    return FIL_OK;
}

void lab_member_free(struct lab_member *member)
{
    if (member == NULL) {
        return;
    }
    if (member->is_running) {
        (void)fil_node_stop_threads(
            member->node); // how many connections were cut does not matter here
    }
    fil_node_free(member->node);
    if (member->has_conf) {
        fil_conf_fini(&member->conf);
    }
    fil_free(member);
}

const struct fil_address *lab_member_address(const struct lab_member *member)
{
    fil_assert(member->is_running);
    return fil_node_address(member->node);
}
