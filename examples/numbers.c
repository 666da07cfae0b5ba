// SPDX-License-Identifier: Apache-2.0
/**
 * A counter, ids, and an estimate of how many different things there were.
 *
 *     build/release/bin/example_numbers            a member in this process
 *     build/release/bin/example_numbers ADDRESS    one elsewhere
 */
#include <filbert/filbert.h>
#include <stdio.h>

static int use_counter(struct fil_grid *grid)
{
    struct fil_pn_counter *visits = fil_pn_counter(grid, "example-visits");
    int64_t before = 0;
    int64_t after = 0;
    int error = fil_pn_counter_get(visits, &before);
    if (error == FIL_OK) {
        error = fil_pn_counter_add(visits, 5, NULL);
    }
    if (error == FIL_OK) {
        error = fil_pn_counter_add(visits, -2, &after);
    }
    if (error == FIL_OK) {
        printf("counter: %d more\n", (int)(after - before));
    }
    return error;
}

static int use_ids(struct fil_grid *grid)
{
    struct fil_flake_ids *ids = fil_flake_ids(grid, "example-ids");
    int64_t last = 0;
    int count = 0;
    int error = FIL_OK;
    // A round trip for each hundred of them.
    while (error == FIL_OK && count < 250) {
        int64_t id = 0;
        error = fil_flake_ids_next(ids, &id);
        count += error == FIL_OK && id > last;
        last = id;
    }
    if (error == FIL_OK) {
        printf("ids: %d, each larger than the one before\n", count);
    }
    return error;
}

static int use_estimator(struct fil_grid *grid)
{
    struct fil_cardinality_estimator *users = fil_cardinality_estimator(grid, "example-users");
    uint64_t estimate = 0;
    int error = FIL_OK;
    for (int i = 0; i < 1000 && error == FIL_OK; i++) {
        error = fil_cardinality_estimator_add(users, fil_i64(i % 100));
    }
    if (error == FIL_OK) {
        error = fil_cardinality_estimator_estimate(users, &estimate);
    }
    if (error == FIL_OK) {
        printf("estimator: %s\n", estimate >= 98 && estimate <= 102 ? "about 100" : "far off");
    }
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
        error = use_counter(grid);
    }
    if (error == FIL_OK) {
        error = use_ids(grid);
    }
    if (error == FIL_OK) {
        error = use_estimator(grid);
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
