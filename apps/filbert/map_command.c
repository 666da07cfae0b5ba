// SPDX-License-Identifier: Apache-2.0
#include "map_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "filbert/client.h"
#include "remote.h"

#define NS_PER_MS UINT64_C(1000000)

const char map_help[] =
    "usage: filbert map get MAP KEY\n"
    "       filbert map put MAP KEY VALUE [--ttl T]\n"
    "       filbert map remove MAP KEY\n"
    "       filbert map size MAP\n"
    "       filbert map keys MAP\n"
    "       filbert map clear MAP\n"
    "       filbert map destroy MAP\n"
    "\n"
    "Reads and changes maps of a running member, of Filbert or of Hazelcast.\n"
    "\n"
    "  --address A:P      a member (127.0.0.1:5701, or the variable FILBERT_ADDRESS)\n"
    "  --cluster NAME     the name of its cluster (dev)\n"
    "  --type NAME        of the value: string, int, long, double, bool or json (string)\n"
    "  --key-type NAME    of the key, likewise; 7 as int and as long are two keys\n"
    "  --ttl T            put: the entry goes away after this time, as in 10s\n"
    "  --timeout T        how long to wait (1s for the connection, 2m for the answer)\n"
    "  -o json            print JSON\n"
    "  --                 what follows is no flag, even if it begins with '-'\n"
    "\n"
    "Texts are printed as they are, arrays of bytes and unknown types in hexadecimal.\n"
    "Exit code 1 when get or remove finds no such key.\n";

/** One use of the command: what it was told, and what it works with. */
struct errand {
    struct remote_flags flags;
    struct fil_client *client;
    struct fil_map *map;
    struct fil_value key;
    struct fil_value value;
};

static const char *map_name(const struct errand *errand)
{
    return errand->flags.words[1];
}

static int fail(struct errand *errand, int error)
{
    char what[64];
    (void)snprintf(what, sizeof(what), "map %s", errand->flags.words[0]);
    return remote_complain(errand->client, what, error);
}

/** Shows the value of a key; a key without one is a failure. */
static int show_found(const struct errand *errand, const struct fil_value *value, bool is_shown)
{
    if (errand->flags.is_json) {
        remote_print_json(value);
        (void)putchar('\n');
    } else if (fil_value_is_null(value)) {
        (void)fprintf(stderr, "filbert: the map '%s' has no key '%s'\n", map_name(errand),
                      errand->flags.words[2]);
    } else if (is_shown) {
        remote_print_value(value);
        (void)putchar('\n');
    }
    return fil_value_is_null(value) ? EXIT_FAILED : EXIT_OK;
}

static int run_get(struct errand *errand)
{
    struct fil_value value = {0};
    int error = fil_map_get(errand->map, errand->key, &value);
    int code = error == FIL_OK ? show_found(errand, &value, true) : fail(errand, error);
    fil_value_release(&value);
    return code;
}

static int run_put(struct errand *errand)
{
    struct fil_value old = {0};
    uint64_t ttl_ms = (errand->flags.ttl_ns + NS_PER_MS - 1) / NS_PER_MS;
    int error = ttl_ms > 0 ? fil_map_set_ttl(errand->map, errand->key, errand->value, ttl_ms)
                           : fil_map_put(errand->map, errand->key, errand->value, &old);
    if (error == FIL_OK && errand->flags.is_json) {
        remote_print_json(&old); // what the key had before
        (void)putchar('\n');
    }
    fil_value_release(&old);
    return error == FIL_OK ? EXIT_OK : fail(errand, error);
}

static int run_remove(struct errand *errand)
{
    struct fil_value old = {0};
    int error = fil_map_remove(errand->map, errand->key, &old);
    int code = error == FIL_OK ? show_found(errand, &old, false) : fail(errand, error);
    fil_value_release(&old);
    return code;
}

static int run_size(struct errand *errand)
{
    uint64_t count = 0;
    int error = fil_map_count(errand->map, &count);
    if (error == FIL_OK) {
        (void)printf("%" PRIu64 "\n", count);
    }
    return error == FIL_OK ? EXIT_OK : fail(errand, error);
}

static int run_keys(struct errand *errand)
{
    struct fil_values keys = {0};
    int error = fil_map_keys(errand->map, &keys);
    if (error != FIL_OK) {
        return fail(errand, error);
    }
    (void)printf("%s", errand->flags.is_json ? "[" : "");
    for (size_t i = 0; i < keys.count; i++) {
        if (errand->flags.is_json) {
            (void)printf("%s", i == 0 ? "" : ", ");
            remote_print_json(&keys.items[i]);
        } else {
            remote_print_value(&keys.items[i]);
            (void)putchar('\n');
        }
    }
    (void)printf("%s", errand->flags.is_json ? "]\n" : "");
    fil_values_release(&keys);
    return EXIT_OK;
}

static int run_clear(struct errand *errand)
{
    int error = fil_map_clear(errand->map);
    return error == FIL_OK ? EXIT_OK : fail(errand, error);
}

static int run_destroy(struct errand *errand)
{
    int error = fil_map_destroy(errand->map);
    return error == FIL_OK ? EXIT_OK : fail(errand, error);
}

struct action {
    const char *name;
    int word_count; // its own, the map's name, key, value
    int (*run)(struct errand *errand);
};

static const struct action actions[] = {
    {"get", 3, run_get},         {"put", 4, run_put},   {"remove", 3, run_remove},
    {"size", 2, run_size},       {"keys", 2, run_keys}, {"clear", 2, run_clear},
    {"destroy", 2, run_destroy},
};

static const struct action *find_action(const struct remote_flags *flags)
{
    const char *name = flags->word_count > 0 ? flags->words[0] : "";
    for (size_t i = 0; i < FIL_COUNT_OF(actions); i++) {
        if (strcmp(actions[i].name, name) == 0) {
            if (flags->word_count == actions[i].word_count) {
                return &actions[i];
            }
            (void)fprintf(stderr, "filbert: map %s takes %s: see filbert help map\n", name,
                          actions[i].word_count == 2   ? "a map"
                          : actions[i].word_count == 3 ? "a map and a key"
                                                       : "a map, a key and a value");
            return NULL;
        }
    }
    (void)fprintf(stderr,
                  "filbert: map does get, put, remove, size, keys, clear or destroy, not '%s'\n",
                  name);
    return NULL;
}

static bool parse_words(struct errand *errand)
{
    const struct remote_flags *flags = &errand->flags;
    return (flags->word_count < 3 ||
            remote_parse_value(flags->key_type, flags->words[2], &errand->key)) &&
           (flags->word_count < 4 ||
            remote_parse_value(flags->type, flags->words[3], &errand->value));
}

int command_map(int count, char **words)
{
    struct errand errand = {0};
    if (!remote_take_flags(&errand.flags, "map", count, words)) {
        return EXIT_USAGE;
    }
    const struct action *action = find_action(&errand.flags);
    if (action == NULL || !parse_words(&errand)) {
        return EXIT_USAGE;
    }
    if (!remote_connect(&errand.flags, &errand.client)) {
        return EXIT_FAILED;
    }
    errand.map = fil_map(fil_client_grid(errand.client), map_name(&errand));
    int code = EXIT_USAGE;
    if (errand.map == NULL) {
        (void)fprintf(stderr, "filbert: the name of a map has 1 to 255 bytes\n");
    } else {
        code = action->run(&errand);
    }
    fil_client_close(errand.client);
    return code;
}
