// SPDX-License-Identifier: Apache-2.0
/**
 * Many calls in flight over one connection: each result comes to a callback.
 *
 *     build/release/bin/example_pipeline [ADDRESS [COUNT]]
 */
#include <filbert/filbert.h>
#include <stdio.h>
#include <stdlib.h>

struct tally {
    long right;
    long wrong;
};

static void on_value(void *context, int error, const struct fil_value *value)
{
    struct tally *tally = context;
    if (error == FIL_OK && !fil_value_is_null(value))
        tally->right++;
    else
        tally->wrong++;
}

/** When too many calls are in flight, some results are taken first. */
static int send(struct fil_client *client, struct fil_map *map, long number, struct tally *tally)
{
    int error = fil_map_put_async(map, fil_i64(number), fil_i64(number * number), on_value, tally);
    while (error == FIL_E_FULL) {
        fil_client_step(client, 1000);
        error = fil_map_put_async(map, fil_i64(number), fil_i64(number * number), on_value, tally);
    }
    return error;
}

int main(int argc, char **argv)
{
    struct fil_client *client = NULL;
    struct fil_client_options options = {.address = argc > 1 ? argv[1] : NULL};
    long count = argc > 2 ? strtol(argv[2], NULL, 10) : 10000;
    int error = fil_client_connect(&client, &options);
    if (error != FIL_OK) {
        fprintf(stderr, "%s (%s)\n", fil_error_text(error), fil_client_connect_problem());
        return 1;
    }

    struct tally first = {0};
    struct tally second = {0};
    struct fil_map *squares = fil_map(fil_client_grid(client), "squares");
    error = fil_map_clear(squares);
    for (long i = 0; i < count && error == FIL_OK; i++)
        error = send(client, squares, i, &first);
    fil_client_drain(client);
    for (long i = 0; i < count && error == FIL_OK; i++)
        error = send(client, squares, i, &second);
    fil_client_drain(client);

    printf("%ld entries were new, %ld were there\n", first.wrong, second.right);
    if (error != FIL_OK)
        fprintf(stderr, "%s\n", fil_error_text(error));
    fil_client_close(client);
    return error == FIL_OK && first.wrong == count && second.right == count ? 0 : 1;
}
