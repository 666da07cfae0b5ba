// SPDX-License-Identifier: Apache-2.0
/**
 * A queue, a set and a ring buffer: the same calls whichever member has them.
 *
 *     filbert start &
 *     build/release/bin/example_structures [ADDRESS]
 */
#include <filbert/filbert.h>
#include <stdio.h>

static int use_queue(struct fil_grid *grid)
{
    struct fil_queue *queue = fil_queue(grid, "example-queue");
    struct fil_value item = {0};
    uint64_t size = 0;
    bool is_added = false;
    int error = fil_queue_clear(queue);
    if (error == FIL_OK) {
        error = fil_queue_offer(queue, fil_str("first"), 0, &is_added);
    }
    if (error == FIL_OK) {
        error = fil_queue_offer(queue, fil_str("second"), 0, NULL);
    }
    if (error == FIL_OK) {
        error = fil_queue_poll(queue, 1000, &item);
    }
    if (error == FIL_OK) {
        error = fil_queue_size(queue, &size);
    }
    if (error == FIL_OK) {
        printf("queue: added %d, took %s, %d left\n", is_added, fil_value_str(&item), (int)size);
    }
    fil_value_release(&item);
    if (error == FIL_OK) {
        error = fil_queue_peek(queue, &item);
    }
    if (error == FIL_OK) {
        printf("queue: next is %s\n", fil_value_str(&item));
    }
    fil_value_release(&item);
    if (error == FIL_OK) {
        error = fil_queue_clear(queue);
    }
    // Nobody offers any more: it waits as long as it was told to, and gets nothing.
    if (error == FIL_OK) {
        error = fil_queue_poll(queue, 10, &item);
    }
    if (error == FIL_OK) {
        printf("queue: then %s\n", fil_value_is_null(&item) ? "nothing" : "something");
    }
    return error;
}

static int use_set(struct fil_grid *grid)
{
    struct fil_set *set = fil_set(grid, "example-set");
    uint64_t size = 0;
    bool is_new = false, is_new_again = true, contains = true;
    int error = fil_set_clear(set);
    if (error == FIL_OK) {
        error = fil_set_add(set, fil_i64(7), &is_new);
    }
    if (error == FIL_OK) {
        error = fil_set_add(set, fil_i64(7), &is_new_again);
    }
    if (error == FIL_OK) {
        error = fil_set_size(set, &size);
    }
    if (error == FIL_OK) {
        error = fil_set_remove(set, fil_i64(7), NULL);
    }
    if (error == FIL_OK) {
        error = fil_set_contains(set, fil_i64(7), &contains);
    }
    if (error == FIL_OK) {
        printf("set: new %d, again %d, size %d, then %d\n", is_new, is_new_again, (int)size,
               contains);
    }
    return error;
}

static int use_ringbuffer(struct fil_grid *grid)
{
    struct fil_ringbuffer *buffer = fil_ringbuffer(grid, "example-ringbuffer");
    struct fil_value item = {0};
    uint64_t capacity = 0;
    uint64_t size = 0;
    int64_t first = 0;
    int64_t last = 0;
    int64_t head = 0;
    int64_t tail = 0;
    int error = fil_ringbuffer_add(buffer, fil_str("one"), &first);
    if (error == FIL_OK) {
        error = fil_ringbuffer_add(buffer, fil_str("two"), &last);
    }
    if (error == FIL_OK) {
        error = fil_ringbuffer_read(buffer, first, &item);
    }
    if (error == FIL_OK) {
        error = fil_ringbuffer_head(buffer, &head);
    }
    if (error == FIL_OK) {
        error = fil_ringbuffer_tail(buffer, &tail);
    }
    if (error == FIL_OK) {
        error = fil_ringbuffer_size(buffer, &size);
    }
    if (error == FIL_OK) {
        error = fil_ringbuffer_capacity(buffer, &capacity);
    }
    if (error == FIL_OK) {
        printf("ring buffer: read %s, %d apart, %s\n", fil_value_str(&item), (int)(last - first),
               tail == last && head <= first && size <= capacity ? "in order" : "out of order");
    }
    fil_value_release(&item);
    return error;
}

int main(int argc, char **argv)
{
    struct fil_client *client = NULL;
    struct fil_client_options options = {.address = argc > 1 ? argv[1] : NULL};
    int error = fil_client_connect(&client, &options);
    if (error != FIL_OK) {
        fprintf(stderr, "%s (%s)\n", fil_error_text(error), fil_client_connect_problem());
        return 1;
    }
    error = use_queue(fil_client_grid(client));
    if (error == FIL_OK) {
        error = use_set(fil_client_grid(client));
    }
    if (error == FIL_OK) {
        error = use_ringbuffer(fil_client_grid(client));
    }
    if (error != FIL_OK) {
        fprintf(stderr, "%s\n", fil_error_text(error));
    }
    fil_client_close(client);
    return error == FIL_OK ? 0 : 1;
}
