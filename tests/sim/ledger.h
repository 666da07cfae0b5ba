// SPDX-License-Identifier: Apache-2.0
/**
 * A place outside of the job where its results arrive, with transactions: what an instance wrote
 * since its last snapshot is handed over by save and becomes visible by commit, or by a restore.
 * Without transactions everything is visible at once.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/processor.h"

#define LEDGER_TRANSACTIONS_MAX 4096U

struct ledger_rows {
    uint8_t *data;
    uint32_t count;
    uint32_t capacity;
};

struct ledger_transaction {
    int64_t epoch;
    uint32_t instance;
    bool is_visible;
    struct ledger_rows rows;
};

struct ledger {
    uint32_t stride;
    bool has_transactions;
    struct ledger_rows visible;
    struct ledger_transaction *transactions;
    uint32_t transaction_count;
    void (*on_act)(void); // with each record, save and commit
};

struct ledger_sink_config {
    struct ledger *ledger;
};

void ledger_init(struct ledger *ledger, uint32_t stride, bool has_transactions);
void ledger_fini(struct ledger *ledger);

/** A visible row. */
void ledger_add(struct ledger *ledger, const void *row);

/** The same rows, each as often. */
bool ledger_equals(struct ledger *ledger, struct ledger *wanted);

/** Each wanted row at least once, and no others. */
bool ledger_contains(struct ledger *ledger, struct ledger *wanted);

/** For each wanted row one that is equal but for its last number, which is not less. */
bool ledger_covers(struct ledger *ledger, struct ledger *wanted);

extern const struct fil_processor_ops ledger_sink_ops;
