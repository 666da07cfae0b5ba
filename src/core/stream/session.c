// SPDX-License-Identifier: Apache-2.0
#include "core/stream/session.h"

#include <stddef.h>
#include <stdio.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define STATES_SHIFT      8U
#define SESSIONS_PER_CALL 4096U

struct session {
    int64_t start;
    int64_t end;
    uint32_t next; // of the same key, or of the free ones; plus 1
    uint32_t slot;
    bool is_open;
    uint64_t state[];
};

struct sessions {
    const struct fil_session_config *config;
    struct fil_group group;
    struct fil_segments session_segments;
    struct fil_column items; // struct session, by number
    struct fil_segments head_segments;
    struct fil_column heads; // uint64_t by slot: number of the first session, plus 1
    uint32_t item_limit;     // one behind the highest number ever used
    uint32_t free_item;      // plus 1
    int64_t watermark;
    int64_t earliest; // no open session ends before

    struct fil_early early;
    bool is_closing;
    uint32_t next_item;
    int64_t next_earliest;
    uint32_t saved_item;
    bool is_head_saved;
    bool has_head; // restored
};

uint32_t fil_session_result_bytes(const struct fil_session_config *config)
{
    return (uint32_t)sizeof(struct fil_window_result) + fil_group_key_bytes(&config->group) +
           config->group.aggregate.result_size + fil_early_bytes(&config->early);
}

static int sessions_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct sessions *sessions = self;
    sessions->config = config;
    sessions->watermark = FIL_TIME_NONE;
    sessions->earliest = INT64_MAX;
    sessions->early.told = FIL_TIME_NONE;
    context->tick_at_ns = FIL_TASKLET_NEVER;
    context->delay = sessions->config->lateness;
    uint32_t output_count = sessions->config->gives_late ? 2 : 1;
    if (sessions->config->gap <= 0 || sessions->config->early.every < 0 ||
        sessions->config->lateness < 0 || context->outbox.count != output_count ||
        context->outbox.outlets[0].edge->layout.stride !=
            fil_session_result_bytes(sessions->config)) {
        return FIL_E_INVALID;
    }
    int error = fil_group_init(&sessions->group, context, &sessions->config->group);
    if (error != FIL_OK) {
        return error;
    }
    uint32_t item_size =
        (uint32_t)sizeof(struct session) + sessions->config->group.aggregate.state_size;
    fil_segments_init(&sessions->session_segments, context->budget, item_size, STATES_SHIFT);
    fil_segments_init(&sessions->head_segments, context->budget, sizeof(uint64_t), STATES_SHIFT);
    fil_column_init(&sessions->items, &sessions->session_segments);
    fil_column_init(&sessions->heads, &sessions->head_segments);
    return FIL_OK;
}

static void sessions_close(void *self)
{
    struct sessions *sessions = self;
    if (sessions->session_segments.item_size != 0) {
        fil_column_clear(&sessions->items);
        fil_column_clear(&sessions->heads);
        fil_segments_fini(&sessions->session_segments);
        fil_segments_fini(&sessions->head_segments);
    }
    fil_group_fini(&sessions->group);
}

static const struct fil_aggregate *aggregate_of(const struct sessions *sessions)
{
    return &sessions->config->group.aggregate;
}

static struct session *item_at(struct sessions *sessions, uint32_t number)
{
    return fil_column_at(&sessions->items, number);
}

/** A new session of the slot, empty. */
static int open_session(struct sessions *sessions, uint32_t slot, int64_t start, int64_t end,
                        struct session **out_session)
{
    bool is_reused = sessions->free_item != 0;
    uint32_t number = is_reused ? sessions->free_item - 1 : sessions->item_limit;
    uint64_t *head = fil_column_get(&sessions->heads, slot);
    struct session *session = fil_column_get(&sessions->items, number);
    if (head == NULL || session == NULL) {
        return FIL_E_NOMEM;
    }
    if (is_reused) {
        sessions->free_item = session->next;
    } else {
        sessions->item_limit++;
    }
    session->start = start;
    session->end = end;
    session->slot = slot;
    session->next = (uint32_t)*head;
    session->is_open = true;
    memset(session->state, 0, aggregate_of(sessions)->state_size);
    *head = number + 1;
    sessions->earliest = end < sessions->earliest ? end : sessions->earliest;
    *out_session = session;
    return FIL_OK;
}

static uint32_t number_of_next(uint64_t link)
{
    return (uint32_t)(link - 1);
}

/** Takes a session out of its key's list; its place is free afterwards. */
static void release_session(struct sessions *sessions, uint32_t number)
{
    struct session *session = item_at(sessions, number);
    uint64_t *head = fil_column_at(&sessions->heads, session->slot);
    if (*head == (uint64_t)number + 1) {
        *head = session->next;
    } else {
        struct session *before = item_at(sessions, number_of_next(*head));
        while (before->next != number + 1) {
            before = item_at(sessions, before->next - 1);
        }
        before->next = session->next;
    }
    session->is_open = false;
    session->next = sessions->free_item;
    sessions->free_item = number + 1;
}

/** The slot's session that a stretch of time touches, other than one; UINT32_MAX: none. */
static uint32_t find_touching(struct sessions *sessions, uint32_t slot, int64_t start, int64_t end,
                              uint32_t except)
{
    const uint64_t *head = fil_column_find(&sessions->heads, slot);
    uint64_t link = head == NULL ? 0 : *head;
    while (link != 0) {
        uint32_t number = number_of_next(link);
        const struct session *session = item_at(sessions, number);
        if (number != except && session->start < end && start < session->end) {
            return number;
        }
        link = session->next;
    }
    return UINT32_MAX;
}

/** After a session has grown: those that it touches now become part of it. */
static void join_touching(struct sessions *sessions, uint32_t number)
{
    struct session *session = item_at(sessions, number);
    const struct fil_aggregate *aggregate = aggregate_of(sessions);
    uint32_t other = find_touching(sessions, session->slot, session->start, session->end, number);
    while (other != UINT32_MAX) {
        const struct session *part = item_at(sessions, other);
        session->start = part->start < session->start ? part->start : session->start;
        session->end = part->end > session->end ? part->end : session->end;
        aggregate->ops->combine(aggregate, session->state, part->state);
        release_session(sessions, other);
        other = find_touching(sessions, session->slot, session->start, session->end, number);
    }
}

static int add(struct sessions *sessions, uint32_t slot, int64_t time, const void *record)
{
    int64_t end = time + sessions->config->gap;
    uint32_t number = find_touching(sessions, slot, time, end, UINT32_MAX);
    struct session *session = NULL;
    if (number != UINT32_MAX) {
        session = item_at(sessions, number);
        session->start = time < session->start ? time : session->start;
        session->end = end > session->end ? end : session->end;
    } else {
        int error = open_session(sessions, slot, time, end, &session);
        if (error != FIL_OK) {
            return error;
        }
    }
    void *state = session->state;
    const struct fil_aggregate *aggregate = aggregate_of(sessions);
    aggregate->ops->accumulate(aggregate, &state, &record, 1);
    if (number != UINT32_MAX) {
        join_touching(sessions, number);
    }
    return FIL_OK;
}

static bool is_late(const struct sessions *sessions, int64_t time)
{
    return time + sessions->config->gap <= sessions->watermark;
}

static bool is_beyond(const struct sessions *sessions, int64_t time)
{
    return time == FIL_TIME_NONE || time > INT64_MAX - 2 * sessions->config->gap;
}

/** Adds a record to the work, or passes it on when it is late; false: no room. */
static bool take(struct sessions *sessions, struct fil_processor_context *context,
                 struct fil_inbox *inbox, uint32_t index)
{
    const struct fil_session_config *config = sessions->config;
    if (is_late(sessions, fil_batch_time(inbox->batch, index))) {
        const struct fil_window_late late = {.stats = config->stats,
                                             .is_given = config->gives_late};
        return fil_window_pass_late(&late, context, inbox, index);
    }
    fil_group_add(&sessions->group, inbox->batch, index);
    return true;
}

static int process_some(struct sessions *sessions, struct fil_processor_context *context,
                        struct fil_inbox *inbox)
{
    struct fil_group_work *work = &sessions->group.work;
    int64_t times[FIL_KEY_TABLE_GROUP] = {0};
    work->count = 0;
    uint32_t taken = 0;
    bool has_room = true;
    while (has_room && work->count < FIL_KEY_TABLE_GROUP &&
           inbox->position + taken < inbox->limit) {
        uint32_t index = inbox->position + taken;
        times[work->count] = fil_batch_time(inbox->batch, index);
        if (is_beyond(sessions, times[work->count])) {
            return fil_processor_blame_time(context, times[work->count]);
        }
        has_room = take(sessions, context, inbox, index);
        taken += has_room;
    }
    int error = fil_group_find(&sessions->group);
    for (uint32_t i = 0; error == FIL_OK && i < work->count; i++) {
        error = add(sessions, work->slots[i], times[i], work->records[i]);
    }
    inbox->position += error == FIL_OK ? taken : 0;
    return error == FIL_OK && !has_room ? FIL_E_FULL : error;
}

static int sessions_process(void *self, struct fil_processor_context *context,
                            struct fil_inbox *inbox)
{
    const struct sessions *sessions = self;
    fil_early_wind(&sessions->config->early, context);
    int error = FIL_OK;
    while (error == FIL_OK && inbox->position < inbox->limit) {
        error = process_some(self, context, inbox);
    }
    return error;
}

static bool emit(struct sessions *sessions, struct fil_processor_context *context,
                 const struct session *session, bool is_early)
{
    const struct fil_session_config *config = sessions->config;
    uint32_t size = fil_session_result_bytes(config);
    uint8_t *room = fil_outbox_reserve(&context->outbox, 0, size);
    if (room == NULL) {
        return false;
    }
    const struct fil_window_result result = {.start = session->start, .end = session->end};
    memcpy(room, &result, sizeof(result));
    fil_group_write_key(&sessions->group, session->slot, room + sizeof(result));
    fil_aggregate_export(&config->group.aggregate, session->state,
                         room + sizeof(result) + fil_group_key_bytes(&config->group));
    fil_early_write(&config->early, is_early, room + size - fil_early_bytes(&config->early));
    fil_outbox_commit(&context->outbox, 0, size, session->end - 1,
                      fil_outbox_wants_hashes(&context->outbox, 0)
                          ? fil_key_table_hash(&sessions->group.table, session->slot)
                          : 0);
    return true;
}

static void end_session(struct sessions *sessions, uint32_t number)
{
    uint32_t slot = item_at(sessions, number)->slot;
    release_session(sessions, number);
    const uint64_t *head = fil_column_at(&sessions->heads, slot);
    if (*head == 0) {
        fil_key_table_remove(&sessions->group.table, slot);
    }
}

static void begin_closing(struct sessions *sessions)
{
    sessions->is_closing = true;
    sessions->next_item = 0;
    sessions->next_earliest = INT64_MAX;
}

/** Emits the sessions that end by then. FIL_E_FULL also when it was enough for one call. */
static int close_until(struct sessions *sessions, struct fil_processor_context *context,
                       int64_t time)
{
    if (!sessions->is_closing) {
        if (sessions->earliest > time) {
            return FIL_OK;
        }
        begin_closing(sessions);
    }
    for (uint32_t i = 0; sessions->next_item < sessions->item_limit; i++) {
        if (i == SESSIONS_PER_CALL) {
            return FIL_E_FULL;
        }
        const struct session *session = item_at(sessions, sessions->next_item);
        if (session->is_open && session->end <= time) {
            if (!emit(sessions, context, session, false)) {
                return FIL_E_FULL;
            }
            end_session(sessions, sessions->next_item);
        } else if (session->is_open && session->end < sessions->next_earliest) {
            sessions->next_earliest = session->end;
        }
        sessions->next_item++;
    }
    sessions->earliest = sessions->next_earliest;
    sessions->is_closing = false;
    return FIL_OK;
}

/** What the open sessions have. FIL_E_FULL also when it was enough for one call. */
static int emit_early(struct sessions *sessions, struct fil_processor_context *context)
{
    struct fil_early *early = &sessions->early;
    fil_early_begin(early);
    for (uint32_t i = 0; early->next_slot < sessions->item_limit; i++) {
        const struct session *session = item_at(sessions, early->next_slot);
        if (i == SESSIONS_PER_CALL ||
            (session->is_open && !emit(sessions, context, session, true))) {
            return FIL_E_FULL;
        }
        early->next_slot++;
    }
    early->is_under_way = false;
    return FIL_OK;
}

static int sessions_watermark(void *self, struct fil_processor_context *context, int64_t time)
{
    struct sessions *sessions = self;
    int result = close_until(sessions, context, time);
    if (result == FIL_OK && time > sessions->watermark) {
        sessions->watermark = time;
    }
    const struct fil_early_config *early = &sessions->config->early;
    if (result == FIL_OK && fil_early_is_due(&sessions->early, early, time)) {
        result = emit_early(sessions, context);
        sessions->early.told =
            result == FIL_OK ? fil_time_floor(time, early->every) : sessions->early.told;
    }
    return result;
}

static int sessions_tick(void *self, struct fil_processor_context *context)
{
    struct sessions *sessions = self;
    int result = emit_early(sessions, context);
    if (result == FIL_OK) {
        context->tick_at_ns = FIL_TASKLET_NEVER;
        // As long as a session is open there is an end to wait for.
        if (sessions->earliest != INT64_MAX) {
            fil_early_wind(&sessions->config->early, context);
        }
    }
    return result;
}

static int sessions_complete(void *self, struct fil_processor_context *context)
{
    return close_until(self, context, INT64_MAX - 1);
}

static bool save_session(struct sessions *sessions, struct fil_state_writer *writer,
                         const struct session *session)
{
    const struct fil_key_table *table = &sessions->group.table;
    struct fil_bytes key = fil_key_table_key(table, session->slot);
    uint8_t name[sizeof(session->start) + FIL_KEY_TABLE_KEY_BYTES_MAX];
    memcpy(name, &session->start, sizeof(session->start));
    memcpy(name + sizeof(session->start), key.data, key.size);
    return fil_state_put_keyed(writer, fil_key_table_hash(table, session->slot),
                               fil_bytes_make(name, sizeof(session->start) + key.size),
                               fil_bytes_make(session, sessions->session_segments.item_size));
}

/** With early results by event time, when the last ones were. */
static size_t head_size(const struct sessions *sessions)
{
    return sessions->config->early.every != 0 ? 2 * sizeof(int64_t) : sizeof(int64_t);
}

static int sessions_save(void *self, struct fil_processor_context *context,
                         struct fil_state_writer *writer)
{
    struct sessions *sessions = self;
    (void)context;
    const int64_t head[2] = {sessions->watermark, sessions->early.told};
    if (!sessions->is_head_saved && !fil_state_put_all(writer, fil_bytes_make(NULL, 0),
                                                       fil_bytes_make(head, head_size(sessions)))) {
        return FIL_E_FULL;
    }
    sessions->is_head_saved = true;
    for (; sessions->saved_item < sessions->item_limit; sessions->saved_item++) {
        const struct session *session = item_at(sessions, sessions->saved_item);
        if (session->is_open && !save_session(sessions, writer, session)) {
            return FIL_E_FULL;
        }
    }
    sessions->saved_item = 0;
    sessions->is_head_saved = false;
    return FIL_OK;
}

static int restore_session(struct sessions *sessions, struct fil_bytes key, const uint8_t *bytes)
{
    struct session saved;
    memcpy(&saved, bytes, sizeof(saved));
    uint32_t slot = 0;
    struct session *session = NULL;
    int error = fil_group_find_key(&sessions->group, key, &slot);
    if (error == FIL_OK) {
        error = open_session(sessions, slot, saved.start, saved.end, &session);
    }
    if (error == FIL_OK) {
        memcpy(session->state, bytes + offsetof(struct session, state),
               aggregate_of(sessions)->state_size);
    }
    return error;
}

static int restore_head(struct sessions *sessions, struct fil_bytes value)
{
    int64_t head[2] = {0, FIL_TIME_NONE};
    if (value.size != head_size(sessions)) {
        return FIL_E_MALFORMED;
    }
    memcpy(head, value.data, value.size);
    // Instances differ only with at-least-once: the least loses nothing.
    bool is_first = !sessions->has_head;
    struct fil_early *early = &sessions->early;
    sessions->watermark = is_first || head[0] < sessions->watermark ? head[0] : sessions->watermark;
    early->told = is_first || head[1] < early->told ? head[1] : early->told;
    sessions->has_head = true;
    return FIL_OK;
}

static int sessions_restore(void *self, struct fil_processor_context *context, struct fil_bytes key,
                            struct fil_bytes value)
{
    struct sessions *sessions = self;
    fil_early_wind(&sessions->config->early, context);
    int64_t number;
    if (key.size == 0) {
        return restore_head(sessions, value);
    }
    if (key.size <= sizeof(number) || value.size != sessions->session_segments.item_size) {
        return FIL_E_MALFORMED;
    }
    return restore_session(
        sessions, fil_bytes_make(key.data + sizeof(number), key.size - sizeof(number)), value.data);
}

static void sessions_describe(const void *config, char out_text[FIL_PROCESSOR_FORMAT_MAX])
{
    const struct fil_session_config *session = config;
    char kind[48];
    (void)snprintf(kind, sizeof(kind), "gap %lld%s", (long long)session->gap,
                   session->early.every != 0 ? " with early ones" : "");
    fil_group_describe(&session->group, kind, out_text);
}

const struct fil_processor_ops fil_session_ops = {.name = "session",
                                                  .size = sizeof(struct sessions),
                                                  .init = sessions_init,
                                                  .process = sessions_process,
                                                  .process_watermark = sessions_watermark,
                                                  .tick = sessions_tick,
                                                  .complete = sessions_complete,
                                                  .save = sessions_save,
                                                  .restore = sessions_restore,
                                                  .describe = sessions_describe,
                                                  .close = sessions_close};
