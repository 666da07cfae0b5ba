// SPDX-License-Identifier: Apache-2.0
/**
 * The C client through a restart of its member, for tests/integration/c_client_test.py, which stops
 * and starts the member when this program says so: a line of output, then a line of input.
 *
 *     api_restart ADDRESS [thread]    with a thread of the client's own, or on this one
 */
#include <filbert/filbert.h>
#include <stdio.h>
#include <string.h>

#define TURNS_MAX  60000 // of a millisecond or more
#define WRITES_MAX 100

struct world {
    struct fil_client *client;
    struct fil_client *other; // gives up soon
    struct fil_map *map;
    struct fil_map *elsewhere;
    bool has_thread;
    _Atomic int told;   // changes
    _Atomic int answer; // of what was begun without waiting: 1 null, 2 a value, below 0 an error
};

static void on_change(void *context, const struct fil_map_change *change)
{
    struct world *world = context;
    (void)change;
    world->told++;
}

static void on_value(void *context, int error, const struct fil_value *value)
{
    struct world *world = context;
    world->answer = error != FIL_OK ? error : fil_value_is_null(value) ? 1 : 2;
}

static void turn(struct world *world)
{
    (void)fil_client_step(world->other, world->has_thread ? 1 : 0);
    if (!world->has_thread)
        (void)fil_client_step(world->client, 1);
}

static void say(const char *words)
{
    printf("%s\n", words);
    fflush(stdout);
}

static long long read_number(struct fil_map *map)
{
    struct fil_value value = {0};
    int error = fil_map_get(map, fil_i64(1), &value);
    long long number = error != FIL_OK             ? error
                       : fil_value_is_null(&value) ? 0
                                                   : fil_value_i64(&value);
    fil_value_release(&value);
    return number;
}

/** A write that had left when the connection was lost may or may not have run, and who waits only
 * briefly may have to ask more than once. */
static int write_number(struct fil_map *map, long long number)
{
    int error = FIL_E_INDETERMINATE;
    for (int i = 0; i < WRITES_MAX && (error == FIL_E_INDETERMINATE || error == FIL_E_TIMEOUT); i++)
        error = fil_map_set(map, fil_i64(1), fil_i64(number));
    return error;
}

static int open_world(struct world *world, const char *address)
{
    struct fil_client_options options = {.address = address,
                                         .has_thread = world->has_thread,
                                         .retry_first_ms = 10,
                                         .retry_max_ms = 50};
    struct fil_client_options brief = {
        .address = address, .call_timeout_ms = 200, .retry_first_ms = 10, .retry_max_ms = 50};
    struct fil_subscription *subscription = NULL;
    struct fil_map_subscribe_options changes = {.changed = on_change, .context = world};
    int error = fil_client_connect(&world->client, &options);
    if (error == FIL_OK)
        error = fil_client_connect(&world->other, &brief);
    if (error != FIL_OK)
        return error;
    world->map = fil_map(fil_client_grid(world->client), "restart");
    world->elsewhere = fil_map(fil_client_grid(world->other), "restart");
    error = fil_map_subscribe(world->map, &changes, &subscription);
    return error == FIL_OK ? fil_map_cache_near(world->map, NULL) : error;
}

static int begin(struct world *world)
{
    int error = fil_map_set(world->map, fil_i64(1), fil_i64(10));
    for (int i = 0; i < TURNS_MAX && error == FIL_OK && world->told == 0; i++)
        turn(world);
    if (error == FIL_OK && (world->told == 0 || read_number(world->map) != 10))
        error = FIL_E_NOT_FOUND;
    say("stop the member");
    return getchar() == '\n' ? error : FIL_E_CLOSED;
}

/** Who waits briefly gives up, who waits longer is answered by the next member. */
static int bear(struct world *world)
{
    long long number = read_number(world->elsewhere);
    if (number != FIL_E_TIMEOUT)
        return FIL_E_INVALID;
    int error = fil_map_get_async(world->map, fil_i64(1), on_value, world);
    say("start it again");
    for (int i = 0; i < TURNS_MAX && error == FIL_OK && world->answer == 0; i++)
        turn(world);
    return error == FIL_OK && world->answer != 1 ? FIL_E_TIMEOUT : error;
}

/** The listener is registered again, some time after the first call has been answered. */
static int hear(struct world *world)
{
    int before = world->told;
    int error = FIL_OK;
    for (int i = 0; i < TURNS_MAX && error == FIL_OK && world->told == before; i++) {
        error = write_number(world->map, 20 + i);
        turn(world);
    }
    return error == FIL_OK && world->told == before ? FIL_E_TIMEOUT : error;
}

/** The near cache takes up its work some time after the connection has. */
static bool hit_cache(struct world *world, struct fil_client_stats *out_stats)
{
    fil_client_stats(world->client, out_stats);
    for (int i = 0; i < TURNS_MAX && out_stats->near_hit_count == 0; i++) {
        turn(world);
        (void)read_number(world->map);
        fil_client_stats(world->client, out_stats);
    }
    return out_stats->near_hit_count > 0;
}

/** What another client writes is seen through the near cache. */
static int see(struct world *world)
{
    int error = write_number(world->elsewhere, 7);
    for (int i = 0; i < TURNS_MAX && error == FIL_OK && read_number(world->map) != 7; i++)
        turn(world);
    struct fil_client_stats stats;
    bool is_well = hit_cache(world, &stats) && read_number(world->map) == 7 && stats.loss_count > 0;
    return error == FIL_OK && !is_well ? FIL_E_NOT_FOUND : error;
}

int main(int argc, char **argv)
{
    static int (*const steps[])(struct world *) = {begin, bear, hear, see};
    static const char *const names[] = {"begin", "bear", "hear", "see"};
    static struct world world;
    world.has_thread = argc > 2 && strcmp(argv[2], "thread") == 0;
    int error = open_world(&world, argc > 1 ? argv[1] : NULL);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && error == FIL_OK; i++) {
        error = steps[i](&world);
        if (error != FIL_OK)
            fprintf(stderr, "%s: %s\n", names[i], fil_error_text(error));
    }
    fil_client_close(world.other);
    fil_client_close(world.client);
    say(error == FIL_OK ? "all is well" : "it failed");
    return error == FIL_OK ? 0 : 1;
}
