// SPDX-License-Identifier: Apache-2.0
/** What the options of section `map` mean for the member's maps. */
#pragma once

#include "grid/map/config.h"
#include "lib/base/attr.h"
#include "node/options.h"

/** What maps are like that no rule of map.named fits. */
struct fil_map_config fil_map_options_defaults(const struct fil_options *options);

/** The rules of map.named: how many, or FIL_E_CONFIG and why in out_problem. */
int fil_map_options_rules(const struct fil_options *options,
                          struct fil_map_rule out_rules[FIL_MAP_RULES_MAX],
                          char out_problem[FIL_OPTION_REASON_MAX + 1]) FIL_NODISCARD;
