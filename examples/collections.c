// SPDX-License-Identifier: Apache-2.0
/**
 * A list, a multimap and a replicated map.
 *
 *     build/release/bin/example_collections            a member in this process
 *     build/release/bin/example_collections ADDRESS    one elsewhere
 */
#include <filbert/filbert.h>
#include <stdio.h>

static int use_list(struct fil_grid *grid)
{
    struct fil_grid_list *list = fil_grid_list(grid, "example-list");
    struct fil_values items = {0};
    int64_t index = 0;
    int error = fil_grid_list_clear(list);
    if (error == FIL_OK) {
        error = fil_grid_list_add(list, fil_str("second"), NULL);
    }
    if (error == FIL_OK) {
        error = fil_grid_list_insert(list, 0, fil_str("first"));
    }
    if (error == FIL_OK) {
        error = fil_grid_list_find(list, fil_str("second"), &index);
    }
    if (error == FIL_OK) {
        error = fil_grid_list_items(list, &items);
    }
    if (error == FIL_OK && items.count == 2) {
        printf("list: %s, %s, which is at %d\n", fil_value_str(&items.items[0]),
               fil_value_str(&items.items[1]), (int)index);
    }
    fil_values_release(&items);
    return error;
}

static int use_multimap(struct fil_grid *grid)
{
    struct fil_multimap *cities = fil_multimap(grid, "example-cities");
    struct fil_values values = {0};
    uint64_t size = 0;
    bool is_added = true;
    int error = fil_multimap_clear(cities);
    if (error == FIL_OK) {
        error = fil_multimap_put(cities, fil_str("France"), fil_str("Paris"), NULL);
    }
    if (error == FIL_OK) {
        error = fil_multimap_put(cities, fil_str("France"), fil_str("Lyon"), NULL);
    }
    if (error == FIL_OK) {
        error = fil_multimap_put(cities, fil_str("France"), fil_str("Lyon"), &is_added);
    }
    if (error == FIL_OK) {
        error = fil_multimap_get(cities, fil_str("France"), &values);
    }
    if (error == FIL_OK) {
        error = fil_multimap_count(cities, &size);
    }
    if (error == FIL_OK) {
        printf("multimap: %d values of France, %d in all, again %d\n", (int)values.count, (int)size,
               is_added);
    }
    fil_values_release(&values);
    return error;
}

static int use_replicated_map(struct fil_grid *grid)
{
    struct fil_replicated_map *rates = fil_replicated_map(grid, "example-rates");
    struct fil_value old = {0};
    struct fil_value rate = {0};
    int error = fil_replicated_map_clear(rates);
    if (error == FIL_OK) {
        error = fil_replicated_map_put(rates, fil_str("EUR"), fil_i64(108), 0, NULL);
    }
    if (error == FIL_OK) {
        error = fil_replicated_map_put(rates, fil_str("EUR"), fil_i64(109), 0, &old);
    }
    if (error == FIL_OK) {
        error = fil_replicated_map_get(rates, fil_str("EUR"), &rate);
    }
    if (error == FIL_OK) {
        printf("replicated map: %d after %d\n", (int)fil_value_i64(&rate),
               (int)fil_value_i64(&old));
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
        error = use_list(grid);
    }
    if (error == FIL_OK) {
        error = use_multimap(grid);
    }
    if (error == FIL_OK) {
        error = use_replicated_map(grid);
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
