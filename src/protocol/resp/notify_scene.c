// SPDX-License-Identifier: Apache-2.0
/** What commands do to their keys, watched while they run. */
#include <string.h>

#include "grid/map/shelf.h"
#include "grid/map/watch.h"
#include "lib/base/assert.h"
#include "lib/mem/budget.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/key.h"
#include "protocol/resp/notify.h"
#include "protocol/resp/notify_internal.h"
#include "protocol/resp/session.h"
#include "protocol/resp/word.h"

#define KEYS_USUAL 4U

/** What is known of a key. */
struct state {
    bool is_there;
    uint64_t expires_ms;
    uint64_t count; // members
};

struct observed {
    struct fil_map *map;
    struct fil_map_watch watch; // with the key
    struct state before;
    struct state after;
    bool is_touched;
    bool is_repeated; // an earlier key of the command is the same
};

/** A command under observation. */
struct scene {
    struct fil_resp_server *server;
    const char *name; // of the command
    const struct fil_resp_notify_rule *rule;
    uint64_t now_ms;
    uint32_t options;
    const char *event; // NULL: the rule's
    struct observed *keys;
    uint32_t count;
};

static struct state look(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms)
{
    struct fil_store_view view;
    enum fil_resp_type type = fil_resp_key_inspect(map, key, now_ms, &view);
    if (type == FIL_RESP_TYPE_NONE) {
        return (struct state){.expires_ms = FIL_STORE_NEVER};
    }
    return (struct state){
        .is_there = true,
        .expires_ms = view.expires_ms,
        .count = type == FIL_RESP_TYPE_STRING ? 0 : fil_value_count(view.value),
    };
}

static void observe(struct observed *observed, struct fil_map *map, const struct fil_map_key *key,
                    uint64_t now_ms)
{
    *observed = (struct observed){.map = map};
    observed->watch.key = *key;
    observed->before = look(map, key, now_ms);
    fil_list_init(&observed->watch.link);
    fil_map_watch_here(map, &observed->watch, now_ms);
}

static void look_again(struct scene *scene)
{
    for (uint32_t i = 0; i < scene->count; i++) {
        struct observed *observed = &scene->keys[i];
        // Relaxed: set and read inside the partition.
        observed->is_touched =
            atomic_load_explicit(&observed->watch.is_touched, memory_order_relaxed);
        fil_map_unwatch_here(observed->map, &observed->watch);
        observed->after = look(observed->map, &observed->watch.key, scene->now_ms);
    }
}

static void tell_key(const struct scene *scene, const struct observed *observed, uint32_t class,
                     const char *event)
{
    fil_resp_notify__tell(scene->server, observed->map, observed->watch.key.bytes, class, event);
}

/** A key that was not there and is now. */
static void tell_new(const struct scene *scene, const struct observed *observed, bool was_there)
{
    if (!was_there && observed->after.is_there) {
        tell_key(scene, observed, FIL_RESP_NOTIFY_NEW, "new");
    }
}

/** A key that has gone with what was done to it. */
static void tell_del(const struct scene *scene, const struct observed *observed)
{
    if (observed->before.is_there && !observed->after.is_there) {
        tell_key(scene, observed, FIL_RESP_NOTIFY_GENERIC, "del");
    }
}

/** What is told of the key besides what the rule says. */
static void tell_more(const struct scene *scene, const struct observed *observed)
{
    if (scene->rule->kind == FIL_RESP_NOTIFY_SETS && fil_resp__set_has_time(scene->options)) {
        tell_key(scene, observed, FIL_RESP_NOTIFY_GENERIC, "expire");
    }
    bool is_trimmed = observed->after.count <= observed->before.count;
    if (scene->rule->kind == FIL_RESP_NOTIFY_ADDS_ENTRY && is_trimmed) {
        tell_key(scene, observed, FIL_RESP_NOTIFY_STREAM, "xtrim");
    }
}

static const char *event_of(const struct scene *scene, const struct observed *observed)
{
    if (scene->rule->kind == FIL_RESP_NOTIFY_EXPIRES) {
        return observed->after.expires_ms == FIL_STORE_NEVER ? "persist" : "expire";
    }
    if (scene->rule->kind == FIL_RESP_NOTIFY_SCORES && fil_resp__zadd_adds(scene->options)) {
        return "zincr";
    }
    return scene->event != NULL ? scene->event : scene->rule->event;
}

/** What became of one key, by the usual rules. */
static void tell_usual(const struct scene *scene, const struct observed *observed)
{
    bool was_there = observed->before.is_there || observed->is_repeated;
    bool is_timed =
        scene->rule->kind == FIL_RESP_NOTIFY_SETS && fil_resp__set_has_time(scene->options);
    // A value that is set for a time that has passed is there for Redis until somebody looks.
    bool is_there = observed->after.is_there || is_timed;
    if (!observed->is_touched || (!was_there && !is_there)) {
        return;
    }
    if (!was_there && is_there) {
        tell_key(scene, observed, FIL_RESP_NOTIFY_NEW, "new");
    }
    const char *event = event_of(scene, observed);
    if (event != NULL && (is_there || !scene->rule->is_silent_when_gone)) {
        tell_key(scene, observed, scene->rule->class, event);
        tell_more(scene, observed);
    }
    if (!is_there) {
        tell_del(scene, observed);
    }
}

/** From list to list: what has come is told first. */
static void tell_list_move(const struct scene *scene, const char *push, const char *pop)
{
    const struct observed *source = &scene->keys[0];
    const struct observed *target = &scene->keys[1];
    if (!source->is_touched) {
        return;
    }
    tell_new(scene, target, target->before.is_there);
    tell_key(scene, target, FIL_RESP_NOTIFY_LIST, push);
    tell_key(scene, source, FIL_RESP_NOTIFY_LIST, pop);
    tell_del(scene, source);
}

/** From set to set: what has gone is told first. */
static void tell_set_move(const struct scene *scene)
{
    const struct observed *source = &scene->keys[0];
    const struct observed *target = &scene->keys[1];
    if (!source->is_touched) {
        return;
    }
    tell_key(scene, source, FIL_RESP_NOTIFY_SET, "srem");
    tell_del(scene, source);
    tell_new(scene, target, target->before.is_there);
    if (target->after.count > target->before.count) {
        tell_key(scene, target, FIL_RESP_NOTIFY_SET, "sadd");
    }
}

/** A key under another name: Redis takes away what is there before. */
static void tell_transfer(const struct scene *scene, const char *from, const char *to)
{
    const struct observed *target = &scene->keys[1];
    if (!target->is_touched) {
        return;
    }
    tell_new(scene, target, false);
    if (from != NULL) {
        tell_key(scene, &scene->keys[0], FIL_RESP_NOTIFY_GENERIC, from);
    }
    tell_key(scene, target, FIL_RESP_NOTIFY_GENERIC, to);
}

static bool is_front(const struct fil_resp_command *command, uint32_t index, const char *name)
{
    bool has_words = strstr(name, "lmove") != NULL;
    return has_words ? fil_resp_word_is(command, index, "left") : index == 4;
}

static void tell_pair(const struct scene *scene, const struct fil_resp_command *command)
{
    enum fil_resp_notify_kind kind = scene->rule->kind;
    if (kind == FIL_RESP_NOTIFY_MOVES_ITEM) {
        tell_list_move(scene, is_front(command, 4, scene->name) ? "lpush" : "rpush",
                       is_front(command, 3, scene->name) ? "lpop" : "rpop");
    } else if (kind == FIL_RESP_NOTIFY_MOVES_MEMBER) {
        tell_set_move(scene);
    } else if (kind == FIL_RESP_NOTIFY_RENAMES) {
        tell_transfer(scene, "rename_from", "rename_to");
    } else if (kind == FIL_RESP_NOTIFY_COPIES) {
        tell_transfer(scene, NULL, "copy_to");
    } else {
        tell_transfer(scene, "move_from", "move_to");
    }
}

/** Which of the keys are read, and were not there. */
static void tell_misses(const struct scene *scene, uint32_t target)
{
    const struct fil_resp_notify_rule *rule = scene->rule;
    bool is_reader = rule == NULL || rule->is_reader ||
                     (rule->kind == FIL_RESP_NOTIFY_SETS && fil_resp__set_gets(scene->options));
    // XREAD looks for its keys before it reads them.
    uint32_t passes = strcmp(scene->name, "xread") == 0 ? 2 : 1;
    for (uint32_t step = 0; step < scene->count * passes && is_reader; step++) {
        uint32_t i = step % scene->count;
        const struct observed *observed = &scene->keys[i];
        bool is_written = rule != NULL && rule->kind == FIL_RESP_NOTIFY_STORES && i == target;
        bool is_copy = rule != NULL && rule->kind == FIL_RESP_NOTIFY_COPIES && i == 1;
        if (!observed->before.is_there && !is_written && !is_copy) {
            tell_key(scene, observed, FIL_RESP_NOTIFY_MISS, "keymiss");
        }
    }
}

static bool is_asked_about(const char *name)
{
    // These look at a key as nobody who uses it.
    return strcmp(name, "object") == 0 || strcmp(name, "memory") == 0 ||
           strcmp(name, "filbert.burn") == 0;
}

/** Begins a scene; false when nothing can come of the command. */
static bool begin(struct scene *scene, struct fil_resp_session *session, const char *name,
                  bool is_write)
{
    *scene = (struct scene){.server = session->server, .name = name};
    if (name == NULL || is_asked_about(name)) {
        return false;
    }
    scene->rule = is_write ? fil_resp_notify__find(name) : NULL;
    uint32_t classes = atomic_load_explicit(&scene->server->notified, memory_order_relaxed);
    return is_write ? scene->rule != NULL : (classes & FIL_RESP_NOTIFY_MISS) != 0;
}

int64_t fil_resp_notify_access(struct fil_resp_access *access)
{
    struct scene scene;
    struct observed observed;
    if (!begin(&scene, access->session, access->name, access->is_write)) {
        return access->run(access);
    }
    scene.now_ms = access->now_ms;
    scene.options = access->options;
    scene.keys = &observed;
    scene.count = 1;
    observe(&observed, access->map, &access->key, access->now_ms);
    int64_t result = access->run(access);
    look_again(&scene);
    if (access->is_put_off) {
        return result;
    }
    tell_misses(&scene, 1);
    if (scene.rule != NULL) {
        tell_usual(&scene, &observed);
    }
    return result;
}

static bool is_repeated(const struct scene *scene, uint32_t index)
{
    const struct observed *last = &scene->keys[index];
    for (uint32_t i = 0; i < index; i++) {
        if (scene->keys[i].map == last->map &&
            fil_bytes_equal(scene->keys[i].watch.key.bytes, last->watch.key.bytes)) {
            return true;
        }
    }
    return false;
}

static void observe_all(struct scene *scene, const struct fil_resp_plan *plan,
                        const struct fil_resp_command *command)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        struct fil_map_key key = fil_resp_plan_place(plan, command, i);
        struct fil_map *map = fil_resp_plan_map(plan, i);
        observe(&scene->keys[i], map, &key, plan->now_ms);
        scene->count++;
        scene->keys[i].is_repeated = is_repeated(scene, i);
    }
}

static void tell_all(const struct scene *scene, const struct fil_resp_command *command,
                     uint32_t target)
{
    tell_misses(scene, target);
    if (scene->rule == NULL) {
        return;
    }
    if (scene->rule->kind >= FIL_RESP_NOTIFY_MOVES_ITEM) {
        tell_pair(scene, command);
        return;
    }
    bool is_store =
        scene->rule->kind == FIL_RESP_NOTIFY_STORES || scene->rule->kind == FIL_RESP_NOTIFY_MERGES;
    for (uint32_t i = 0; i < scene->count; i++) {
        bool is_told =
            is_store ? i == target
                     : !scene->keys[i].is_repeated || scene->rule->kind == FIL_RESP_NOTIFY_SETS;
        if (is_told) {
            tell_usual(scene, &scene->keys[i]);
        }
    }
}

void fil_resp_notify_together(const struct fil_resp_plan *plan,
                              const struct fil_resp_command *command, struct fil_output *output)
{
    struct scene scene;
    struct observed usual[KEYS_USUAL];
    struct fil_budget *budget = plan->session->server->options.budget;
    size_t bytes = plan->count * sizeof(struct observed);
    bool is_observed = begin(&scene, plan->session, plan->name, plan->is_write);
    scene.keys = !is_observed                ? NULL
                 : plan->count <= KEYS_USUAL ? usual
                                             : fil_budget_alloc(budget, bytes);
    if (scene.keys == NULL) {
        fil_counter_add_shared(&plan->session->server->pubsub.lost, is_observed ? 1 : 0);
        plan->run_together(plan, command, output);
        return;
    }
    scene.now_ms = plan->now_ms;
    scene.options = plan->options;
    scene.event = plan->event;
    observe_all(&scene, plan, command);
    plan->run_together(plan, command, output);
    look_again(&scene);
    tell_all(&scene, command, plan->also != 0 ? plan->count - 1 : 0);
    if (scene.keys != usual) {
        fil_budget_free(budget, scene.keys, bytes);
    }
}
