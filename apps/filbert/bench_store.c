// SPDX-License-Identifier: Apache-2.0
#include "bench_store.h"

#include <string.h>

#include "core/store/store.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/attr.h"
#include "lib/base/hash.h"

#define KEY_BYTES    16U
#define VALUE_BYTES  100U
#define GROUP        16U
#define ROUNDS       3U
#define READS        (UINT32_C(1) << 21)
#define READS_QUICK  (UINT32_C(1) << 14)
#define BUDGET_BYTES (UINT64_C(1) << 40)
#define SLICE        256U // entries that one slice of clear removes

static const struct fil_store_options options = {.hash_seed = 1};

/** Nanoseconds an operation, each the best of a few rounds, and bytes. */
struct figures {
    uint32_t entry_count;
    double put_ns;
    double get_ns;
    double group_ns;
    double overwrite_ns;
    double remove_ns;
    double worst_put_us;
    double worst_remove_us;
    double worst_slice_us;
    double overhead_bytes;
};

/** The worst operation of a run that is repeated: what is worst every time, and not by accident of
 * the machine. */
struct worst {
    uint32_t *least_ns; // of each operation, over the rounds
    uint32_t count;
};

struct rig {
    struct fil_env *env;
    struct fil_budget budget;
    struct fil_store store;
    struct worst puts;
    struct worst removes;
    uint32_t read_count;
    uint64_t found;
};

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
    value = (value ^ value >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
    return value ^ value >> 33;
}

static void make_key(uint8_t key[KEY_BYTES], uint64_t number)
{
    uint64_t words[2] = {number, mix(number)};
    memcpy(key, words, KEY_BYTES);
}

static uint64_t hash_of(const uint8_t key[KEY_BYTES])
{
    return fil_hash(fil_bytes_make(key, KEY_BYTES), options.hash_seed);
}

static void note_worst(struct worst *worst, uint32_t index, uint64_t ns, bool is_first)
{
    uint32_t capped = ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;
    if (is_first || capped < worst->least_ns[index]) {
        worst->least_ns[index] = capped;
    }
}

static double worst_us(const struct worst *worst)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < worst->count; i++) {
        found = worst->least_ns[i] > found ? worst->least_ns[i] : found;
    }
    return found / 1e3;
}

static double keep_least(double figure, double value, uint32_t round)
{
    return round == 0 || value < figure ? value : figure;
}

static int fill(struct rig *rig, struct figures *figures, uint32_t round)
{
    static const uint8_t value[VALUE_BYTES] = {1};
    static const struct fil_store_write plainly = {0};
    uint8_t key[KEY_BYTES];
    uint64_t begin_ns = fil_env_now_ns(rig->env);
    uint64_t before_ns = begin_ns;
    for (uint32_t i = 0; i < figures->entry_count; i++) {
        make_key(key, i);
        int error = fil_store_put(&rig->store, hash_of(key), fil_bytes_make(key, KEY_BYTES),
                                  fil_bytes_make(value, VALUE_BYTES), &plainly, NULL);
        if (error != FIL_OK) {
            return error;
        }
        uint64_t now_ns = fil_env_now_ns(rig->env);
        note_worst(&rig->puts, i, now_ns - before_ns, round == 0);
        before_ns = now_ns;
    }
    double put_ns = (double)(before_ns - begin_ns) / figures->entry_count;
    figures->put_ns = keep_least(figures->put_ns, put_ns, round);
    figures->overhead_bytes =
        (double)fil_store_bytes(&rig->store) / figures->entry_count - KEY_BYTES - VALUE_BYTES;
    return FIL_OK;
}

static uint64_t next_number(uint64_t *state, uint32_t entry_count)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((*state >> 32) * entry_count) >> 32;
}

static void read_singly(struct rig *rig, struct figures *figures, uint32_t round)
{
    uint8_t key[KEY_BYTES];
    uint64_t state = round;
    uint64_t begin_ns = fil_env_now_ns(rig->env);
    for (uint32_t i = 0; i < rig->read_count; i++) {
        struct fil_bytes value;
        make_key(key, next_number(&state, figures->entry_count));
        rig->found +=
            fil_store_get(&rig->store, hash_of(key), fil_bytes_make(key, KEY_BYTES), 0, &value);
    }
    double ns = (double)(fil_env_now_ns(rig->env) - begin_ns) / rig->read_count;
    figures->get_ns = keep_least(figures->get_ns, ns, round);
}

static void read_in_groups(struct rig *rig, struct figures *figures, uint32_t round)
{
    uint8_t keys[GROUP][KEY_BYTES];
    struct fil_store_lookup lookups[GROUP];
    uint64_t state = round;
    uint64_t begin_ns = fil_env_now_ns(rig->env);
    for (uint32_t i = 0; i < rig->read_count; i += GROUP) {
        for (uint32_t j = 0; j < GROUP; j++) {
            make_key(keys[j], next_number(&state, figures->entry_count));
            lookups[j].key = fil_bytes_make(keys[j], KEY_BYTES);
            lookups[j].hash = hash_of(keys[j]);
        }
        rig->found += fil_store_find_many(&rig->store, lookups, GROUP, 0);
    }
    double ns = (double)(fil_env_now_ns(rig->env) - begin_ns) / rig->read_count;
    figures->group_ns = keep_least(figures->group_ns, ns, round);
}

static int overwrite(struct rig *rig, struct figures *figures, uint32_t round)
{
    static const uint8_t value[VALUE_BYTES] = {2};
    static const struct fil_store_write plainly = {0};
    uint8_t key[KEY_BYTES];
    uint64_t state = round;
    uint64_t begin_ns = fil_env_now_ns(rig->env);
    for (uint32_t i = 0; i < rig->read_count; i++) {
        make_key(key, next_number(&state, figures->entry_count));
        int error = fil_store_put(&rig->store, hash_of(key), fil_bytes_make(key, KEY_BYTES),
                                  fil_bytes_make(value, VALUE_BYTES), &plainly, NULL);
        if (error != FIL_OK) {
            return error;
        }
    }
    double ns = (double)(fil_env_now_ns(rig->env) - begin_ns) / rig->read_count;
    figures->overwrite_ns = keep_least(figures->overwrite_ns, ns, round);
    return FIL_OK;
}

/** Removes half one by one, so that the table shrinks and runs get sparse, and clears the rest. */
static void drain(struct rig *rig, struct figures *figures, uint32_t round)
{
    uint8_t key[KEY_BYTES];
    uint64_t begin_ns = fil_env_now_ns(rig->env);
    uint64_t before_ns = begin_ns;
    uint32_t half = figures->entry_count / 2;
    for (uint32_t i = 0; i < half; i++) {
        make_key(key, i);
        rig->found +=
            fil_store_remove(&rig->store, hash_of(key), fil_bytes_make(key, KEY_BYTES), 0, NULL);
        uint64_t now_ns = fil_env_now_ns(rig->env);
        note_worst(&rig->removes, i, now_ns - before_ns, round == 0);
        before_ns = now_ns;
    }
    rig->removes.count = half;
    figures->remove_ns =
        keep_least(figures->remove_ns, (double)(before_ns - begin_ns) / half, round);
    uint64_t worst_ns = 0;
    for (uint64_t cursor = 0; cursor < FIL_STORE_SCAN_END;) {
        cursor = fil_store_clear(&rig->store, cursor, SLICE);
        uint64_t now_ns = fil_env_now_ns(rig->env);
        worst_ns = now_ns - before_ns > worst_ns ? now_ns - before_ns : worst_ns;
        before_ns = now_ns;
    }
    figures->worst_slice_us = keep_least(figures->worst_slice_us, (double)worst_ns / 1e3, round);
}

static int run_round(struct rig *rig, struct figures *figures, uint32_t round)
{
    fil_store_init(&rig->store, &rig->budget, &options);
    int error = fill(rig, figures, round);
    if (error == FIL_OK) {
        read_singly(rig, figures, round);
        read_in_groups(rig, figures, round);
        error = overwrite(rig, figures, round);
    }
    if (error == FIL_OK) {
        drain(rig, figures, round);
    }
    fil_store_fini(&rig->store);
    return error;
}

static int measure(struct fil_env *env, bool is_quick, struct figures *figures)
{
    struct rig rig = {.env = env, .read_count = is_quick ? READS_QUICK : READS};
    fil_budget_init(&rig.budget, BUDGET_BYTES);
    rig.puts.count = figures->entry_count;
    rig.puts.least_ns = fil_alloc_zero(figures->entry_count, sizeof(uint32_t));
    rig.removes.least_ns = fil_alloc_zero(figures->entry_count, sizeof(uint32_t));
    int error = rig.puts.least_ns == NULL || rig.removes.least_ns == NULL ? FIL_E_NOMEM : FIL_OK;
    for (uint32_t round = 0; error == FIL_OK && round < ROUNDS; round++) {
        error = run_round(&rig, figures, round);
    }
    if (error == FIL_OK) {
        figures->worst_put_us = worst_us(&rig.puts);
        figures->worst_remove_us = worst_us(&rig.removes);
    }
    fil_free(rig.puts.least_ns);
    fil_free(rig.removes.least_ns);
    return error;
}

int bench_store_run(struct fil_env *env, bool is_quick, struct fil_writer *writer)
{
    static const uint32_t counts[] = {100000, 1000000, 10000000};
    static const uint32_t quick_counts[] = {1000, 10000, 20000};
    (void)fil_writer_text(writer, "[\n");
    for (uint32_t i = 0; i < FIL_COUNT_OF(counts); i++) {
        struct figures figures = {.entry_count = is_quick ? quick_counts[i] : counts[i]};
        int error = measure(env, is_quick, &figures);
        if (error != FIL_OK) {
            return error;
        }
        (void)fil_writer_format(
            writer,
            "  {\"entries\": %u, \"put_ns\": %.1f, \"get_ns\": %.1f, \"group_ns\": %.1f,\n"
            "   \"overwrite_ns\": %.1f, \"remove_ns\": %.1f, \"worst_put_us\": %.1f,\n"
            "   \"worst_remove_us\": %.1f, \"worst_slice_us\": %.1f, \"overhead_bytes\": %.1f}%s\n",
            figures.entry_count, figures.put_ns, figures.get_ns, figures.group_ns,
            figures.overwrite_ns, figures.remove_ns, figures.worst_put_us, figures.worst_remove_us,
            figures.worst_slice_us, figures.overhead_bytes,
            i + 1 < FIL_COUNT_OF(counts) ? "," : "");
    }
    (void)fil_writer_text(writer, "]\n");
    return FIL_OK;
}
