// SPDX-License-Identifier: Apache-2.0
/**
 * A topic and a reliable topic: listeners, and one who comes late.
 *
 *     build/release/bin/example_messages            a member in this process
 *     build/release/bin/example_messages ADDRESS    one elsewhere
 */
#include <filbert/filbert.h>
#include <pthread.h>
#include <stdio.h>

/** What was heard, for whoever waits for it. */
struct ear {
    pthread_mutex_t mutex;
    pthread_cond_t heard;
    const char *name;
    int count;
};

static void on_message(void *context, const struct fil_message *message)
{
    struct ear *ear = (struct ear *)context;
    pthread_mutex_lock(&ear->mutex);
    ear->count++;
    printf("%s: %s\n", ear->name, fil_value_str(&message->value));
    pthread_cond_signal(&ear->heard);
    pthread_mutex_unlock(&ear->mutex);
}

static void wait_for(struct ear *ear, int count)
{
    pthread_mutex_lock(&ear->mutex);
    while (ear->count < count) {
        pthread_cond_wait(&ear->heard, &ear->mutex);
    }
    pthread_mutex_unlock(&ear->mutex);
}

static int use_topic(struct fil_grid *grid)
{
    static struct ear ear = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, "topic", 0};
    struct fil_topic *news = fil_topic(grid, "example-news");
    struct fil_subscription *subscription = NULL;
    int error = fil_topic_publish(news, fil_str("nobody listens"));
    if (error == FIL_OK) {
        error = fil_topic_subscribe(news, on_message, &ear, &subscription);
    }
    if (error == FIL_OK) {
        error = fil_topic_publish(news, fil_str("good morning"));
    }
    if (error == FIL_OK) {
        wait_for(&ear, 1);
    }
    fil_subscription_close(subscription);
    return error;
}

static int use_reliable_topic(struct fil_grid *grid)
{
    static struct ear ear = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, "reliable topic",
                             0};
    struct fil_reliable_topic *orders = fil_reliable_topic(grid, "example-orders");
    struct fil_ringbuffer *ring = fil_ringbuffer(grid, "_hz_rb_example-orders");
    struct fil_subscription *subscription = NULL;
    int64_t tail = -1;
    int error = fil_ringbuffer_tail(ring, &tail);
    if (error == FIL_OK) {
        error = fil_reliable_topic_publish(orders, fil_str("before"));
    }
    // Whoever knows a number goes on from there; 0 is the oldest message that is kept.
    if (error == FIL_OK) {
        struct fil_reliable_subscribe_options options = {
            .from = tail + 1, .heard = on_message, .context = &ear};
        error = fil_reliable_topic_subscribe(orders, &options, &subscription);
    }
    if (error == FIL_OK) {
        error = fil_reliable_topic_publish(orders, fil_str("after"));
    }
    if (error == FIL_OK) {
        wait_for(&ear, 2);
    }
    fil_subscription_close(subscription);
    return error;
}

int main(int argc, char **argv)
{
    struct fil_node *node = NULL;
    struct fil_client *client = NULL;
    struct fil_grid *grid = NULL;
    int error = FIL_OK;
    // The data of a member in this process, or of one elsewhere: all else is the same.
    if (argc > 1) {
        error = fil_client_connect(
            &client, &(struct fil_client_options){.address = argv[1], .has_thread = true});
        grid = error == FIL_OK ? fil_client_grid(client) : NULL;
    } else {
        error = fil_node_start(&node, &(struct fil_node_options){.listen = "127.0.0.1:0"});
        grid = error == FIL_OK ? fil_node_grid(node) : NULL;
    }
    if (error == FIL_OK) {
        error = use_topic(grid);
    }
    if (error == FIL_OK) {
        error = use_reliable_topic(grid);
    }
    if (error != FIL_OK) {
        fprintf(stderr, "%s\n", fil_error_text(error));
    }
    if (client != NULL) {
        fil_client_close(client);
    }
    fil_node_stop(node);
    return error == FIL_OK ? 0 : 1;
}
