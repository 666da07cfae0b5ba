// SPDX-License-Identifier: Apache-2.0
/**
 * A member inside this process, with options as a user would set them.
 *
 * Threads: the one that owns it. Its threads run on the cpus of the one that starts it.
 */
#pragma once

#include "lib/base/attr.h"
#include "lib/os/address.h"
#include "lib/os/env.h"
#include "setting.h"

struct lab_member;

/** Stops and frees; clients should have closed their connections. */
void lab_member_free(struct lab_member *member);

/**
 * Starts a member on a free port of this machine. The options are assignments with blanks between
 * them. FIL_E_CONFIG when one of them is wrong; errors of fil_node_new and fil_node_start_threads.
 */
int lab_member_new(struct lab_member **out_member, struct fil_env *env, const char *options,
                   struct lab_setting_cpus cpus) FIL_NODISCARD;

const struct fil_address *lab_member_address(const struct lab_member *member);
