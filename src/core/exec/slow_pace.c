// SPDX-License-Identifier: Apache-2.0
#include "core/exec/slow_pace.h"

#include <stddef.h>
#include <string.h>

#include "lib/base/assert.h"

/** The culprit's place, or that of the one who was quiet the longest. */
static struct fil_slow_culprit *find_culprit(struct fil_slow_pace *pace, const char *op)
{
    struct fil_slow_culprit *quietest = &pace->culprits[0];
    for (uint32_t i = 0; i < FIL_SLOW_PACE_CULPRITS; i++) {
        struct fil_slow_culprit *culprit = &pace->culprits[i];
        if (culprit->op != NULL && strcmp(culprit->op, op) == 0) {
            return culprit;
        }
        quietest = culprit->asked_ns < quietest->asked_ns ? culprit : quietest;
    }
    *quietest = (struct fil_slow_culprit){.op = op};
    return quietest;
}

bool fil_slow_pace_ask(struct fil_slow_pace *pace, const char *op, uint64_t now_ns,
                       uint64_t *out_untold)
{
    fil_assert(op != NULL);
    struct fil_slow_culprit *culprit = find_culprit(pace, op);
    culprit->asked_ns = now_ns;
    if (now_ns >= pace->minute_end_ns) {
        pace->minute_end_ns = now_ns + FIL_SLOW_PACE_MINUTE_NS;
        pace->line_count = 0;
    }
    if (now_ns < culprit->next_ns || pace->line_count == FIL_SLOW_PACE_LINES) {
        culprit->untold_count++;
        return false;
    }
    *out_untold = culprit->untold_count;
    culprit->untold_count = 0;
    culprit->next_ns = now_ns + FIL_SLOW_PACE_INTERVAL_NS;
    pace->line_count++;
    fil_assert(pace->line_count <= FIL_SLOW_PACE_LINES);
    return true;
}
