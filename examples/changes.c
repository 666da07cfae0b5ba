// SPDX-License-Identifier: Apache-2.0
/**
 * Two clients: one keeps what it reads in a near cache and is told of changes, the other changes.
 *
 *     build/release/bin/example_changes [ADDRESS]
 */
#include <filbert/filbert.h>
#include <stdio.h>

static void on_change(void *context, const struct fil_map_change *change)
{
    int *count = context;
    ++*count;
    printf("%lld is %lld now\n", (long long)fil_value_i64(&change->key),
           (long long)fil_value_i64(&change->value));
}

static long long read(struct fil_map *map)
{
    struct fil_value value = {0};
    long long number = fil_map_get(map, fil_i64(1), &value) == FIL_OK ? fil_value_i64(&value) : -1;
    fil_value_release(&value);
    return number;
}

/** Reads again and again until the change has come through; members tell every ten seconds. */
static int await(struct fil_client *client, struct fil_map *map, long long wanted)
{
    for (int i = 0; i < 15000 && read(map) != wanted; i++)
        fil_client_step(client, 1);
    return read(map) == wanted ? FIL_OK : FIL_E_TIMEOUT;
}

static int watch(struct fil_client *client, struct fil_map *mine, struct fil_map *other)
{
    int count = 0;
    struct fil_client_stats stats;
    struct fil_subscription *subscription = NULL;
    struct fil_map_subscribe_options options = {
        .has_values = true, .changed = on_change, .context = &count};
    int error = fil_map_subscribe(mine, &options, &subscription);
    if (error == FIL_OK)
        error = fil_map_cache_near(mine, NULL);
    for (int i = 1; i <= 3 && error == FIL_OK; i++) {
        error = fil_map_set(other, fil_i64(1), fil_i64(i * 10));
        if (error == FIL_OK)
            error = await(client, mine, i * 10);
        read(mine); // costs no request: nobody has changed it since
    }
    for (int i = 0; i < 1000 && count < 3; i++)
        fil_client_step(client, 10);
    fil_client_stats(client, &stats);
    printf("%d changes were told, %s\n", count,
           stats.near_hit_count > 0 ? "reads came from the near cache" : "nothing was cached");
    fil_subscription_close(subscription);
    return error == FIL_OK && (count < 3 || stats.near_hit_count == 0) ? FIL_E_TIMEOUT : error;
}

int main(int argc, char **argv)
{
    struct fil_client *reader = NULL;
    struct fil_client *writer = NULL;
    struct fil_client_options options = {.address = argc > 1 ? argv[1] : NULL};
    int error = fil_client_connect(&reader, &options);
    if (error == FIL_OK)
        error = fil_client_connect(&writer, &options);
    if (error == FIL_OK)
        error = watch(reader, fil_map(fil_client_grid(reader), "changes"),
                      fil_map(fil_client_grid(writer), "changes"));
    if (error != FIL_OK)
        fprintf(stderr, "%s (%s)\n", fil_error_text(error), fil_client_connect_problem());
    fil_client_close(writer);
    fil_client_close(reader);
    return error == FIL_OK ? 0 : 1;
}
