// SPDX-License-Identifier: Apache-2.0
/** The trace: every action that could be observed, as a running hash and, on request, as text. */
#include <assert.h>

#include "lib/base/assert.h"
#include "tests/support/sim_env_internal.h"

struct words {
    const char *action;
    const char *subject;
    const char *value;
    const char *detail;
};

static const struct words words[] = {
#define ACTION_WORDS(name, text, subject, value, detail) {text, subject, value, detail},
    FIL_SIM_ACTIONS(ACTION_WORDS)
#undef ACTION_WORDS
};

static const char *const fault_names[] = {
#define FAULT_NAME(name, text) text,
    FIL_SIM_FAULTS(FAULT_NAME)
#undef FAULT_NAME
};

static_assert(FIL_COUNT_OF(fault_names) == FIL_SIM_FAULT_COUNT, "every fault has a name");

static void print_number(FILE *out, const char *label, int64_t number)
{
    if (label[0] != '-') {
        (void)fprintf(out, " %s=%lld", label, (long long)number);
    }
}

static void print_action(struct fil_sim *sim, enum fil_sim_action action, int64_t subject,
                         int64_t value, uint64_t detail)
{
    const struct words *word = &words[action];
    (void)fprintf(sim->trace_file, "%llu %s", (unsigned long long)sim->now_ns, word->action);
    print_number(sim->trace_file, word->subject, subject);
    if (action == FIL_SIM_ACTION_FAULT) {
        (void)fprintf(sim->trace_file, " %s", fault_names[value]);
    } else {
        print_number(sim->trace_file, word->value, value);
    }
    print_number(sim->trace_file, word->detail, (int64_t)detail);
    (void)fputc('\n', sim->trace_file);
}

/** One step of a multiplicative hash: cheap also in builds that inline nothing. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 32);
}

void fil_sim__trace(struct fil_sim *sim, enum fil_sim_action action, int64_t subject, int64_t value,
                    uint64_t detail)
{
    uint64_t hash = mix(sim->trace_hash, sim->now_ns);
    hash = mix(hash, (uint64_t)action);
    hash = mix(hash, (uint64_t)subject);
    hash = mix(hash, (uint64_t)value);
    sim->trace_hash = mix(hash, detail);
    if (sim->trace_file != NULL) {
        print_action(sim, action, subject, value, detail);
    }
}

void fil_sim_trace_to(struct fil_sim *sim, FILE *file)
{
    sim->trace_file = file;
}

uint64_t fil_sim_trace_hash(const struct fil_sim *sim)
{
    return sim->trace_hash;
}

bool fil_sim__strikes(struct fil_sim *sim, enum fil_sim_fault fault, int fd)
{
    fil_assert(fault < FIL_SIM_FAULT_COUNT);
    double chance = sim->options.chance[fault];
    // What is off draws nothing: turning one fault on leaves the others' draws recognisable.
    if (chance <= 0 || !fil_prng_chance(&sim->network, chance)) {
        return false;
    }
    sim->fault_counts[fault]++;
    sim->fault_count++;
    fil_sim__trace(sim, FIL_SIM_ACTION_FAULT, fd, (int64_t)fault, 0);
    return true;
}

uint64_t fil_sim_faults(const struct fil_sim *sim, enum fil_sim_fault fault)
{
    fil_assert(fault < FIL_SIM_FAULT_COUNT);
    return sim->fault_counts[fault];
}
