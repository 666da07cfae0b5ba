// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/serve/news.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/client/serve/call.h"

/** An event that its client will not hear of. */
static void count_lost(struct fil_wire_session *session)
{
    fil_counter_add_shared(&session->events_lost, 1);
    fil_counter_add_shared(&session->server->stats.events_lost, 1);
}

void fil_wire_news_free(struct fil_wire_news *news)
{
    if (news != NULL) {
        fil_chunk_queue_clear(&news->queue);
        fil_free(news);
    }
}

struct fil_wire_news *fil_wire_news_new(struct fil_wire_session *session, struct fil_runner *runner)
{
    fil_assert(runner->chunks != NULL);
    struct fil_wire_news *news = fil_alloc_zero(1, sizeof(*news));
    if (news == NULL) {
        count_lost(session);
        return NULL;
    }
    fil_chunk_queue_init(&news->queue);
    fil_wire_writer_init(&news->writer, &news->queue, runner->chunks, FIL_WIRE_FRAME_MAX);
    return news;
}

uint64_t fil_wire_news_send(struct fil_wire_news *news, struct fil_wire_session *session,
                            struct fil_runner *runner, int error)
{
    struct fil_connection *connection = session->connection;
    if (error != FIL_OK) {
        count_lost(session);
        fil_wire_news_free(news);
        return 0;
    }
    size_t size = news->queue.size_bytes;
    // Relaxed: bounds and figures; the stack orders what is sent.
    uint64_t before = atomic_fetch_add_explicit(&session->news_bytes, size, memory_order_relaxed);
    fil_counter_add_shared(&session->server->stats.events, 1);
    (void)fil_stack_push(&session->news, &news->link);
    fil_connection_hold(connection);
    fil_runner_notify(runner, connection);
    return before + size;
}

void fil_wire_news_deliver(struct fil_wire_news *news, struct fil_wire_session *session,
                           struct fil_runner *runner)
{
    int error = fil_wire_writer_finish(&news->writer);
    if (fil_wire_news_send(news, session, runner, error) > session->news_bytes_max / 2) {
        fil_runner_end_turn(runner);
    }
}

/** Takes the oldest off the chain; NULL at its end. */
static struct fil_wire_news *take(struct fil_wire_session *session, struct fil_link **link)
{
    if (*link == NULL) {
        return NULL;
    }
    struct fil_wire_news *news = FIL_CONTAINER_OF(*link, struct fil_wire_news, link);
    *link = news->link.next;
    // Relaxed: as in send.
    uint64_t before = atomic_fetch_sub_explicit(&session->news_bytes, news->queue.size_bytes,
                                                memory_order_relaxed);
    fil_assert(before >= news->queue.size_bytes);
    return news;
}

void fil_wire_news_drop(struct fil_wire_session *session)
{
    struct fil_link *link = fil_stack_take_all(&session->news);
    for (struct fil_wire_news *news = take(session, &link); news != NULL;
         news = take(session, &link)) {
        count_lost(session);
        fil_wire_news_free(news);
    }
}

/** Whether as much waits for a reader that does not read as may wait. */
static bool is_full(const struct fil_wire_session *session, const struct fil_wire_news *news)
{
    const struct fil_output *output = &session->connection->output;
    return output->is_blocked &&
           output->queue.size_bytes + news->queue.size_bytes > session->news_bytes_max;
}

void fil_wire_news_collect(struct fil_wire_session *session)
{
    struct fil_output *output = &session->connection->output;
    if (output->error != FIL_OK) {
        fil_wire_news_drop(session);
        return;
    }
    struct fil_link *link = fil_stack_take_all(&session->news);
    for (struct fil_wire_news *news = take(session, &link); news != NULL;
         news = take(session, &link)) {
        if (FIL_UNLIKELY(is_full(session, news))) {
            count_lost(session);
        } else {
            fil_wire_call_move(output, &news->queue);
        }
        fil_wire_news_free(news);
    }
}
