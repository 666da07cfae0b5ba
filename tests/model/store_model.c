// SPDX-License-Identifier: Apache-2.0
#include "tests/model/store_model.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/attr.h"
#include "lib/base/hash.h"
#include "lib/base/prng.h"

#define BUDGET_BYTES (UINT64_C(1) << 30)
#define KEY_BYTES    320U
#define VALUE_MAX    80000U
#define MANY         24U
#define BYTES_AHEAD  150000U
#define START_MS     UINT64_C(1700000000000)
#define ATTRIBUTES   50U

/** What the array knows of a key. */
struct entry {
    bool is_there;
    uint32_t size;
    uint32_t stamp; // from which the value's bytes are made
    uint64_t expires_ms;
    uint64_t max_idle_ms;
    uint64_t access_ms;
    uint64_t version;
    uint32_t hits;
    uint32_t life; // which life of the key this is
};

struct model {
    struct model_setting setting;
    struct fil_budget budget;
    struct fil_store_options options;
    struct fil_index_definition indexes[2];
    struct fil_store store;
    uint64_t now_ms;
    uint32_t stamp;
    uint32_t life;
    struct entry entries[MODEL_KEYS_MAX];
    // A cursor that is kept over many steps.
    uint64_t cursor;
    uint32_t scan_life; // lives that began before the scan did are owed a visit
    uint16_t scanned[MODEL_KEYS_MAX];
    // A snapshot likewise.
    bool has_cut;
    bool is_starved; // memory has failed since it began
    bool is_failing; // memory fails in this step
    uint64_t cut_ms;
    struct entry cut[MODEL_KEYS_MAX];
    uint16_t cut_seen[MODEL_KEYS_MAX];
    // Which keys a search has found.
    uint8_t found[MODEL_KEYS_MAX];
    const char *problem;
};

static struct model model;
static uint64_t hash_mask;

static uint64_t hash_of(struct fil_bytes key)
{
    return fil_hash(key, 99) & hash_mask;
}

static void note(bool is_well, const char *problem)
{
    if (!is_well && model.problem == NULL) {
        model.problem = problem;
    }
}

/** Most keys are short; some are too long for the short head. */
static struct fil_bytes key_of(uint32_t number, char text[KEY_BYTES])
{
    int size = snprintf(text, KEY_BYTES, "key:%u", number);
    if (number % 61 == 0) {
        memset(text + size, 'k', (size_t)(KEY_BYTES - 10 - (uint32_t)size));
        size = KEY_BYTES - 10;
    }
    return fil_bytes_make(text, (size_t)size);
}

static uint32_t number_of(struct fil_bytes key)
{
    uint32_t number = 0;
    for (size_t i = 4; i < key.size && key.data[i] != 'k'; i++) {
        number = number * 10 + (uint32_t)(key.data[i] - '0');
    }
    return number;
}

static uint8_t value_bytes[VALUE_MAX];

static struct fil_bytes value_of(uint32_t stamp, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        value_bytes[i] = (uint8_t)(stamp + i * 7);
    }
    return fil_bytes_make(value_bytes, size);
}

static uint64_t end_of(const struct entry *entry)
{
    uint64_t idle = entry->max_idle_ms == FIL_STORE_NEVER ? FIL_STORE_NEVER
                                                          : entry->access_ms + entry->max_idle_ms;
    return entry->expires_ms < idle ? entry->expires_ms : idle;
}

static bool is_live(const struct entry *entry)
{
    return entry->is_there && end_of(entry) > model.now_ms;
}

/** Compares without the buffer of value_of, which may be what a put is reading from. */
static bool has_value(const struct entry *entry, struct fil_bytes value)
{
    bool is_equal = value.size == entry->size;
    for (uint32_t i = 0; is_equal && i < entry->size; i++) {
        is_equal = value.data[i] == (uint8_t)(entry->stamp + i * 7);
    }
    return is_equal;
}

/** The attributes: a short one with many equals, and a long one that few share. */
static bool extract_short(void *context, struct fil_bytes key, struct fil_bytes value,
                          struct fil_index_attribute *out_attribute)
{
    (void)context;
    (void)key;
    if (value.size % 5 == 4) {
        return false;
    }
    uint8_t attribute = (uint8_t)(value.size % ATTRIBUTES);
    fil_index_attribute_set(out_attribute, fil_bytes_make(&attribute, 1));
    return true;
}

static bool extract_long(void *context, struct fil_bytes key, struct fil_bytes value,
                         struct fil_index_attribute *out_attribute)
{
    char attribute[32];
    (void)context;
    (void)key;
    int size = snprintf(attribute, sizeof(attribute), "attribute:%05zu", value.size % 10000);
    fil_index_attribute_set(out_attribute, fil_bytes_make(attribute, (size_t)size));
    return true;
}

static void leave(void *context, struct fil_store *store, enum fil_store_reason reason,
                  struct fil_bytes key, struct fil_bytes value)
{
    (void)context;
    (void)store;
    struct entry *entry = &model.entries[number_of(key)];
    note(entry->is_there, "an entry left that was not there");
    note(has_value(entry, value), "an entry left with another value");
    bool is_ended = end_of(entry) <= model.now_ms;
    note(is_ended == (reason == FIL_STORE_EXPIRED), "an entry left for another reason");
    note(reason == FIL_STORE_EXPIRED || model.setting.eviction != FIL_EVICTION_NONE,
         "an entry was evicted without a policy");
    entry->is_there = false;
}

static uint32_t size_for(uint32_t size)
{
    // Mostly small; sometimes beyond the largest class, rarely beyond the short head.
    if (size % 64 == 0) {
        return size / 64 % 20000;
    }
    return size % 997 == 1 ? 66000 + size % 4000 : size / 64 % 300;
}

static uint64_t time_for(uint32_t time)
{
    switch (time % 8) {
    case 0:
        return time / 8 % 1000;
    case 1:
        return time / 8 % 100000;
    case 2:
        return (uint64_t)(time / 8) * 60;
    default:
        return 0;
    }
}

static struct fil_store_write write_for(const struct model_step *step)
{
    uint64_t ttl = time_for(step->time);
    uint64_t idle = time_for(step->time / 64);
    return (struct fil_store_write){
        .now_ms = model.now_ms,
        .expires_ms = ttl == 0 ? 0 : model.now_ms + ttl,
        .max_idle_ms = idle,
        .condition = step->choice % 8 == 0   ? FIL_STORE_IF_ABSENT
                     : step->choice % 8 == 1 ? FIL_STORE_IF_PRESENT
                                             : FIL_STORE_ALWAYS,
        .keeps_expiry = step->choice / 8 % 4 == 0,
        .wants_old = step->choice / 32 % 2 == 0,
    };
}

static void expect_lifetime(struct entry *entry, const struct fil_store_write *how)
{
    entry->expires_ms = how->expires_ms == 0 ? FIL_STORE_NEVER : how->expires_ms;
    entry->max_idle_ms = how->max_idle_ms == 0 ? FIL_STORE_NEVER : how->max_idle_ms;
}

static void expect_write(struct entry *entry, const struct fil_store_write *how, bool was_live,
                         uint32_t size)
{
    if (!was_live || !how->keeps_expiry) {
        expect_lifetime(entry, how);
    }
    entry->access_ms = model.now_ms;
    entry->version = was_live ? entry->version + 1 : 0;
    entry->hits = was_live ? entry->hits + 1 : 0;
    if (!was_live) {
        model.life++;
        entry->life = model.life;
    }
    entry->is_there = true;
    entry->size = size;
    entry->stamp = model.stamp;
}

/** Whether the limit of bytes holds, but for what one large value may be ahead of its victims. What
 * a snapshot keeps beside is no victim. */
static void check_bytes(void)
{
    uint64_t limit = model.setting.byte_count_max;
    if (limit > 0 && model.setting.eviction != FIL_EVICTION_NONE && model.store.snapshot == NULL) {
        note(model.store.slab.used_bytes <= limit + BYTES_AHEAD, "limit of bytes passed");
    }
}

static void put(const struct model_step *step)
{
    char text[KEY_BYTES];
    uint32_t number = step->key % model.setting.key_count;
    struct entry *entry = &model.entries[number];
    struct fil_bytes key = key_of(number, text);
    struct fil_store_write how = write_for(step);
    bool was_live = is_live(entry);
    struct entry before = *entry;
    uint32_t size = size_for(step->size);
    model.stamp++;
    struct fil_store_outcome outcome;
    int error =
        fil_store_put(&model.store, hash_of(key), key, value_of(model.stamp, size), &how, &outcome);
    note(error == FIL_OK || (error == FIL_E_NOMEM && model.is_failing),
         "put answered something else");
    note(outcome.was_there == was_live, "put disagrees on what was there");
    bool may_write =
        how.condition == FIL_STORE_ALWAYS || (how.condition == FIL_STORE_IF_PRESENT) == was_live;
    note(outcome.is_written == (may_write && error == FIL_OK), "put disagrees on the condition");
    if (outcome.was_there && (how.wants_old || !may_write)) {
        note(has_value(&before, outcome.old_value), "put gave another old value");
    }
    if (outcome.is_written) {
        expect_write(entry, &how, was_live, size);
    }
    if (model.setting.entry_count_max > 0 && model.setting.eviction != FIL_EVICTION_NONE) {
        note(fil_store_count(&model.store) <= model.setting.entry_count_max, "limit passed");
    }
    check_bytes();
}

static void get(const struct model_step *step)
{
    char text[KEY_BYTES];
    uint32_t number = step->key % model.setting.key_count;
    struct entry *entry = &model.entries[number];
    struct fil_bytes key = key_of(number, text);
    struct fil_bytes value = {0};
    bool is_peek = step->choice % 4 == 0;
    bool is_found = is_peek ? fil_store_peek(&model.store, hash_of(key), key, model.now_ms, &value)
                            : fil_store_get(&model.store, hash_of(key), key, model.now_ms, &value);
    note(is_found == is_live(entry), "get disagrees on what is there");
    note(!is_found || has_value(entry, value), "get gave another value");
    if (is_found && !is_peek) {
        entry->access_ms = model.now_ms;
        entry->hits++;
    }
}

static void remove_number(uint32_t number, bool wants_old)
{
    char text[KEY_BYTES];
    struct entry *entry = &model.entries[number];
    struct fil_bytes key = key_of(number, text);
    struct fil_bytes old = {0};
    bool was_live = is_live(entry);
    bool is_found =
        fil_store_remove(&model.store, hash_of(key), key, model.now_ms, wants_old ? &old : NULL);
    note(is_found == was_live, "remove disagrees on what was there");
    note(!is_found || !wants_old || has_value(entry, old), "remove gave another value");
    entry->is_there = false;
}

static void edit(const struct model_step *step)
{
    char text[KEY_BYTES];
    uint32_t number = step->key % model.setting.key_count;
    struct entry *entry = &model.entries[number];
    struct fil_bytes key = key_of(number, text);
    uint32_t size = step->choice % 2 == 0 ? entry->size + step->size % 40 : size_for(step->size);
    size = size > VALUE_MAX ? VALUE_MAX : size;
    struct fil_store_edit change;
    int error = fil_store_edit(&model.store, hash_of(key), key, size, model.now_ms, &change);
    note((error == FIL_OK) == is_live(entry), "edit disagrees on what is there");
    if (error != FIL_OK) {
        return;
    }
    uint32_t kept = size < entry->size ? size : entry->size;
    note(change.old_size == entry->size, "edit gave another size");
    note(memcmp(change.value, value_of(entry->stamp, kept).data, kept) == 0, "edit lost bytes");
    for (uint32_t i = kept; i < size; i++) {
        note(change.value[i] == 0, "edit gave bytes that are not zero");
    }
    model.stamp++;
    if (size > 0) {
        memcpy(change.value, value_of(model.stamp, size).data, size);
    }
    note(fil_store_commit(&model.store, &change) == FIL_OK, "commit failed");
    entry->size = size;
    entry->stamp = model.stamp;
    entry->access_ms = model.now_ms;
    entry->version++;
    entry->hits++;
}

static void set_expiry(const struct model_step *step)
{
    char text[KEY_BYTES];
    uint32_t number = step->key % model.setting.key_count;
    struct entry *entry = &model.entries[number];
    struct fil_bytes key = key_of(number, text);
    struct fil_store_write how = write_for(step);
    int error = fil_store_set_expiry(&model.store, hash_of(key), key, &how);
    note((error == FIL_OK) == is_live(entry), "set_expiry disagrees on what is there");
    if (error == FIL_OK) {
        expect_lifetime(entry, &how);
        entry->access_ms = model.now_ms;
    }
}

static void find_many(const struct model_step *step)
{
    static char texts[MANY][KEY_BYTES];
    struct fil_store_lookup lookups[MANY];
    uint32_t live = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t number = (step->key + i * 7) % model.setting.key_count;
        lookups[i].key = key_of(number, texts[i]);
        lookups[i].hash = hash_of(lookups[i].key);
        live += is_live(&model.entries[number]);
    }
    note(fil_store_find_many(&model.store, lookups, MANY, model.now_ms) == live,
         "find_many disagrees on how many are there");
    for (uint32_t i = 0; i < MANY; i++) {
        struct entry *entry = &model.entries[(step->key + i * 7) % model.setting.key_count];
        note((lookups[i].value.data != NULL) == is_live(entry), "find_many disagrees");
        if (lookups[i].value.data != NULL) {
            note(has_value(entry, lookups[i].value), "find_many gave another value");
            entry->access_ms = model.now_ms;
            entry->hits++;
        }
    }
}

static void inspect(const struct model_step *step)
{
    char text[KEY_BYTES];
    uint32_t number = step->key % model.setting.key_count;
    struct entry *entry = &model.entries[number];
    struct fil_bytes key = key_of(number, text);
    struct fil_store_view view;
    bool is_found = fil_store_inspect(&model.store, hash_of(key), key, model.now_ms, &view);
    note(is_found == is_live(entry), "inspect disagrees on what is there");
    if (is_found) {
        note(view.expires_ms == entry->expires_ms, "inspect gave another time to live");
        note(view.max_idle_ms == entry->max_idle_ms, "inspect gave another max idle");
        note(!model.setting.has_statistics || view.version == entry->version,
             "inspect gave another version");
        note(!model.setting.has_statistics || view.hits == entry->hits, "inspect gave other hits");
    }
}

static void visit_scanned(void *context, const struct fil_store_view *view)
{
    (void)context;
    uint32_t number = number_of(view->key);
    struct entry *entry = &model.entries[number];
    note(is_live(entry), "scan showed an entry that is not there");
    note(has_value(entry, view->value), "scan showed another value");
    if (entry->life <= model.scan_life) {
        model.scanned[number]++;
        note(model.scanned[number] == 1, "scan showed an entry twice");
    }
}

static void scan(const struct model_step *step)
{
    if (model.cursor >= FIL_STORE_SCAN_END) {
        model.cursor = 0;
        model.scan_life = model.life;
        memset(model.scanned, 0, sizeof(model.scanned));
    }
    model.cursor = fil_store_scan(&model.store, model.cursor, model.now_ms, step->choice % 64,
                                  visit_scanned, NULL);
    if (model.cursor < FIL_STORE_SCAN_END) {
        return;
    }
    for (uint32_t i = 0; i < model.setting.key_count; i++) {
        bool is_owed = is_live(&model.entries[i]) && model.entries[i].life <= model.scan_life;
        note(!is_owed || model.scanned[i] == 1, "scan left an entry out");
    }
}

static void clear(const struct model_step *step)
{
    if (step->choice % 16 != 0) {
        return;
    }
    uint64_t cursor = 0;
    while (cursor < FIL_STORE_SCAN_END) {
        uint32_t before = fil_store_count(&model.store);
        cursor = fil_store_clear(&model.store, cursor, 1 + step->size % 50);
        note(before - fil_store_count(&model.store) < 50 + 200, "a slice of clear was long");
    }
    note(fil_store_count(&model.store) == 0, "clear left entries");
    for (uint32_t i = 0; i < model.setting.key_count; i++) {
        model.entries[i].is_there = false;
    }
}

static void visit_cut(void *context, const struct fil_store_view *view)
{
    (void)context;
    uint32_t number = number_of(view->key);
    const struct entry *entry = &model.cut[number];
    note(entry->is_there && end_of(entry) > model.cut_ms, "snapshot showed what was not there");
    note(has_value(entry, view->value), "snapshot showed another value");
    note(view->expires_ms == entry->expires_ms, "snapshot showed another time to live");
    model.cut_seen[number]++;
    note(model.cut_seen[number] == 1, "snapshot showed an entry twice");
}

static void begin_cut(void)
{
    int error = fil_store_snapshot_begin(&model.store, model.now_ms);
    // An earlier one may still be wound up.
    note(error == FIL_OK || error == FIL_E_AGAIN, "snapshot did not begin");
    if (error == FIL_OK) {
        model.has_cut = true;
        model.is_starved = false;
        model.cut_ms = model.now_ms;
        memcpy(model.cut, model.entries, sizeof(model.cut));
        memset(model.cut_seen, 0, sizeof(model.cut_seen));
    }
}

static void go_on_with_cut(const struct model_step *step)
{
    bool is_done = false;
    int error =
        fil_store_snapshot_next(&model.store, step->choice % 100, visit_cut, NULL, &is_done);
    note(error == FIL_OK || (error == FIL_E_NOMEM && model.is_starved), "snapshot broke");
    if (is_done) {
        for (uint32_t i = 0; i < model.setting.key_count; i++) {
            bool was_live = model.cut[i].is_there && end_of(&model.cut[i]) > model.cut_ms;
            note(!was_live || model.cut_seen[i] == 1, "snapshot left an entry out");
        }
    }
    if (is_done || error != FIL_OK || step->size % 64 == 0) {
        fil_store_snapshot_end(&model.store);
        model.has_cut = false;
    }
}

static bool match_found(void *context, const struct fil_store_view *view)
{
    (void)context;
    uint32_t number = number_of(view->key);
    note(is_live(&model.entries[number]), "an index showed what is not there");
    note(model.found[number] == 0, "an index showed an entry twice");
    model.found[number] = 1;
    return true;
}

static void find_by_attribute(const struct model_step *step)
{
    if (!model.setting.has_indexes) {
        return;
    }
    uint8_t attribute = (uint8_t)(step->size % ATTRIBUTES);
    memset(model.found, 0, sizeof(model.found));
    fil_store_find_by(&model.store, &model.indexes[0], fil_bytes_make(&attribute, 1), model.now_ms,
                      match_found, NULL);
    for (uint32_t i = 0; i < model.setting.key_count; i++) {
        const struct entry *entry = &model.entries[i];
        bool is_wanted =
            is_live(entry) && entry->size % 5 != 4 && entry->size % ATTRIBUTES == attribute;
        note(is_wanted == (model.found[i] == 1), "the hash index differs");
    }
}

static bool match_in_order(void *context, const struct fil_store_view *view)
{
    uint64_t *last = context;
    uint64_t attribute = view->value.size % 10000;
    note(*last <= attribute, "the sorted index is not in order");
    *last = attribute;
    return match_found(NULL, view);
}

static void find_by_range(const struct model_step *step)
{
    if (!model.setting.has_indexes) {
        return;
    }
    char low[32];
    char high[32];
    uint32_t from = step->size % 300;
    uint32_t to = from + step->time % 200;
    (void)snprintf(low, sizeof(low), "attribute:%05u", from);
    (void)snprintf(high, sizeof(high), "attribute:%05u", to);
    struct fil_store_range range = {.low = fil_bytes_of(low),
                                    .high = fil_bytes_of(high),
                                    .has_low = true,
                                    .has_high = step->choice % 4 != 0,
                                    .is_low_excluded = step->choice / 4 % 2 == 0,
                                    .is_high_excluded = step->choice / 8 % 2 == 0};
    uint64_t last = 0;
    memset(model.found, 0, sizeof(model.found));
    fil_store_find_range(&model.store, &model.indexes[1], &range, model.now_ms, match_in_order,
                         &last);
    for (uint32_t i = 0; i < model.setting.key_count; i++) {
        const struct entry *entry = &model.entries[i];
        uint32_t attribute = entry->size % 10000;
        bool is_above = range.is_low_excluded ? attribute > from : attribute >= from;
        bool is_below =
            !range.has_high || (range.is_high_excluded ? attribute < to : attribute <= to);
        bool is_wanted = is_live(entry) && is_above && is_below;
        note(is_wanted == (model.found[i] == 1), "the sorted index differs");
    }
}

static void check(void)
{
    char text[KEY_BYTES];
    uint32_t there = 0;
    fil_store_check(&model.store);
    for (uint32_t i = 0; i < model.setting.key_count; i++) {
        struct fil_bytes key = key_of(i, text);
        struct fil_bytes value = {0};
        const struct entry *entry = &model.entries[i];
        bool is_found = fil_store_peek(&model.store, hash_of(key), key, model.now_ms, &value);
        note(is_found == is_live(entry), "the entries differ");
        note(!is_found || has_value(entry, value), "the values differ");
        there += entry->is_there;
    }
    note(fil_store_count(&model.store) == there, "the counts differ");
}

static void fill(const struct model_step *step, bool is_putting)
{
    for (uint32_t i = 0; i < 200; i++) {
        struct model_step each = *step;
        each.key = step->key + i;
        each.choice = 2 | step->choice << 3;
        each.size = step->size + i * 64;
        if (is_putting) {
            put(&each);
        } else {
            remove_number(each.key % model.setting.key_count, false);
        }
    }
}

static void starve(const struct model_step *step)
{
    model.is_starved = true;
    model.is_failing = true;
    fil_alloc_fail_after(step->time % 4);
    put(step);
    fil_alloc_fail_after(-1);
    model.is_failing = false;
}

/** Half of the steps find what was guessed, the others what was guessed for one before them. */
static void guess(const struct model_step *step)
{
    char text[KEY_BYTES];
    if (step->time % 2 == 0) {
        struct fil_bytes key = key_of(step->key % model.setting.key_count, text);
        (void)fil_store_guess(&model.store, hash_of(key));
    }
}

static void run_step(const struct model_step *step)
{
    guess(step);
    switch (step->verb) {
    case MODEL_PUT:
        put(step);
        break;
    case MODEL_GET:
        get(step);
        break;
    case MODEL_REMOVE:
        remove_number(step->key % model.setting.key_count, step->choice % 2 == 0);
        break;
    case MODEL_EDIT:
        edit(step);
        break;
    case MODEL_EXPIRY:
        set_expiry(step);
        break;
    case MODEL_MANY:
        find_many(step);
        break;
    case MODEL_INSPECT:
        inspect(step);
        break;
    case MODEL_WAIT:
        model.now_ms += step->choice % 16 == 0 ? step->time % 1000000 : step->time % 500;
        break;
    case MODEL_EXPIRE:
        (void)(step->size % 2 == 0 ? fil_store_expire : fil_store_expire_now)(
            &model.store, model.now_ms, step->choice % 64);
        break;
    case MODEL_SCAN:
        scan(step);
        break;
    case MODEL_CLEAR:
        clear(step);
        break;
    case MODEL_CUT:
        if (model.has_cut) {
            go_on_with_cut(step);
        } else {
            begin_cut();
        }
        break;
    case MODEL_INDEX:
        find_by_attribute(step);
        break;
    case MODEL_RANGE:
        find_by_range(step);
        break;
    case MODEL_STARVE:
        starve(step);
        break;
    case MODEL_FILL:
        fill(step, true);
        break;
    case MODEL_DRAIN:
        fill(step, false);
        break;
    case MODEL_CHECK:
        check();
        break;
    case MODEL_LIE:
        model.entries[step->key % model.setting.key_count].size++;
        break;
    case MODEL_VERBS:
    default:
        note(false, "no such step");
    }
}

static void open_model(const struct model_setting *setting)
{
    memset(&model, 0, sizeof(model));
    model.setting = *setting;
    hash_mask = setting->hash_mask;
    fil_budget_init(&model.budget, BUDGET_BYTES);
    model.indexes[0] =
        (struct fil_index_definition){.kind = FIL_INDEX_HASH, .extract = extract_short};
    model.indexes[1] =
        (struct fil_index_definition){.kind = FIL_INDEX_SORTED, .extract = extract_long};
    model.options = (struct fil_store_options){.hash = hash_of,
                                               .eviction = setting->eviction,
                                               .entry_count_max = setting->entry_count_max,
                                               .byte_count_max = setting->byte_count_max,
                                               .has_statistics = setting->has_statistics,
                                               .gone = leave};
    fil_store_init(&model.store, &model.budget, &model.options);
    for (uint32_t i = 0; setting->has_indexes && i < FIL_COUNT_OF(model.indexes); i++) {
        int error = fil_store_index_open(&model.store, &model.indexes[i]);
        note(error == FIL_OK, "no memory for an index");
    }
    model.store.random = 1;
    model.now_ms = START_MS;
    model.cursor = FIL_STORE_SCAN_END;
}

uint32_t model_run(const struct model_setting *setting, const struct model_step *steps,
                   uint32_t count, const char **out_problem)
{
    open_model(setting);
    uint32_t done = 0;
    while (done < count && model.problem == NULL) {
        run_step(&steps[done]);
        done += model.problem == NULL;
    }
    if (model.problem == NULL) {
        fil_store_check(&model.store);
    }
    fil_store_fini(&model.store);
    if (fil_budget_drawn(&model.budget) != 0) {
        note(false, "memory is still drawn in the end");
    }
    *out_problem = model.problem;
    return model.problem == NULL ? count : done;
}

struct model_setting model_setting_of(uint64_t seed)
{
    static const enum fil_eviction policies[] = {FIL_EVICTION_NONE, FIL_EVICTION_LRU,
                                                 FIL_EVICTION_SIEVE, FIL_EVICTION_LFU,
                                                 FIL_EVICTION_RANDOM};
    static const uint32_t key_counts[] = {3000, 60, MODEL_KEYS_MAX, 500};
    enum fil_eviction eviction = policies[seed % FIL_COUNT_OF(policies)];
    uint32_t key_count = key_counts[seed % FIL_COUNT_OF(key_counts)];
    return (struct model_setting){
        .eviction = eviction,
        .key_count = key_count,
        .entry_count_max = eviction == FIL_EVICTION_NONE ? 0 : key_count / 2,
        .byte_count_max = seed / FIL_COUNT_OF(policies) % 2 == 1 ? 100000 + key_count * 60 : 0,
        .hash_mask = seed % 6 == 5 ? 0x300000007U : UINT64_MAX,
        .has_statistics = seed % 2 == 0,
        .has_indexes = seed % 3 != 0,
    };
}

static enum model_verb draw_verb(struct fil_prng *prng, bool is_filling)
{
    static const enum model_verb common[] = {
        MODEL_PUT,    MODEL_PUT,     MODEL_PUT,    MODEL_GET,  MODEL_GET,  MODEL_GET,
        MODEL_REMOVE, MODEL_EDIT,    MODEL_EXPIRY, MODEL_MANY, MODEL_WAIT, MODEL_EXPIRE,
        MODEL_SCAN,   MODEL_INSPECT, MODEL_CUT,    MODEL_SCAN, MODEL_CUT,  MODEL_CUT};
    static const enum model_verb rare[] = {MODEL_CLEAR, MODEL_INDEX, MODEL_RANGE, MODEL_STARVE,
                                           MODEL_CHECK, MODEL_FILL,  MODEL_DRAIN};
    if (fil_prng_below(prng, 200) == 0) {
        enum model_verb verb = rare[fil_prng_below(prng, FIL_COUNT_OF(rare))];
        bool is_bulk = verb == MODEL_FILL || verb == MODEL_DRAIN;
        return is_bulk ? (is_filling ? MODEL_FILL : MODEL_DRAIN) : verb;
    }
    enum model_verb verb = common[fil_prng_below(prng, FIL_COUNT_OF(common))];
    return verb == MODEL_PUT && !is_filling && fil_prng_below(prng, 3) != 0 ? MODEL_REMOVE : verb;
}

void model_write(uint64_t seed, struct model_step *out_steps, uint32_t count)
{
    struct fil_prng prng;
    fil_prng_init(&prng, seed);
    for (uint32_t i = 0; i < count; i++) {
        // Long phases that fill and long ones that empty: the table grows and shrinks.
        out_steps[i].verb = draw_verb(&prng, i / 8000 % 2 == 0);
        out_steps[i].key = (uint32_t)fil_prng_next(&prng);
        out_steps[i].size = (uint32_t)fil_prng_next(&prng);
        out_steps[i].time = (uint32_t)fil_prng_next(&prng);
        out_steps[i].choice = (uint32_t)fil_prng_next(&prng);
    }
}

static bool still_differs(const struct model_setting *setting, const struct model_step *steps,
                          uint32_t count)
{
    const char *problem = NULL;
    (void)model_run(setting, steps, count, &problem);
    return problem != NULL;
}

/** Tries without each run of `width` steps in turn, from the end; returns how many are left. */
static uint32_t thin_out(const struct model_setting *setting, struct model_step *steps,
                         uint32_t count, uint32_t width, struct model_step *scratch)
{
    for (uint32_t end = count; end > 0; end = end > width ? end - width : 0) {
        uint32_t begin = end > width ? end - width : 0;
        memcpy(scratch, steps, begin * sizeof(*steps));
        memcpy(scratch + begin, steps + end, (count - end) * sizeof(*steps));
        uint32_t left = count - (end - begin);
        if (left > 0 && still_differs(setting, scratch, left)) {
            memcpy(steps, scratch, left * sizeof(*steps));
            count = left;
        }
    }
    return count;
}

uint32_t model_shrink(const struct model_setting *setting, struct model_step *steps, uint32_t count)
{
    const char *problem = NULL;
    uint32_t failed = model_run(setting, steps, count, &problem);
    count = failed < count ? failed + 1 : count;
    struct model_step *scratch = fil_alloc_zero(count, sizeof(*scratch));
    if (scratch == NULL) {
        return count;
    }
    for (uint32_t width = count / 2; width > 0; width /= 2) {
        count = thin_out(setting, steps, count, width, scratch);
        width = width > count ? count : width;
    }
    fil_free(scratch);
    return count;
}

void model_print(const struct model_setting *setting, const struct model_step *steps,
                 uint32_t count)
{
    static const char *const names[MODEL_VERBS] = {
        "put",   "get", "remove", "edit",  "expiry", "many", "inspect", "wait",  "expire", "scan",
        "clear", "cut", "index",  "range", "starve", "fill", "drain",   "check", "lie"};
    (void)printf(
        "eviction %d, keys %u, entries at most %u, bytes %u, hash mask %llx, statistics %d, "
        "indexes %d\n",
        (int)setting->eviction, setting->key_count, setting->entry_count_max,
        setting->byte_count_max, (unsigned long long)setting->hash_mask, setting->has_statistics,
        setting->has_indexes);
    for (uint32_t i = 0; i < count; i++) {
        (void)printf("  %-7s key %u size %u time %u choice %u\n", names[steps[i].verb],
                     steps[i].key, steps[i].size, steps[i].time, steps[i].choice);
    }
}
