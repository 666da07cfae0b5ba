// SPDX-License-Identifier: Apache-2.0
#include "client_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "lib/base/alloc.h"
#include "lib/base/bytes.h"
#include "remote.h"

const char client_help[] =
    "usage: filbert client list [--address A:P] [-o json]\n"
    "\n"
    "Lists the clients of the open client protocol that are connected to a member.\n"
    "\n"
    "  --address A:P  the member (127.0.0.1:5701, or the variable FILBERT_ADDRESS)\n"
    "  --timeout T    how long to wait (1s)\n"
    "  -o json        print JSON\n";

#define CELL_MAX 64U

/** A column of the table, and the field of the member's JSON that it shows. */
struct column {
    const char *title;
    const char *field;
    int width;
};

static const struct column columns[] = {
    {"NAME", "\"name\": ", 24},
    {"TYPE", "\"type\": ", 5},
    {"VERSION", "\"version\": ", 9},
    {"ADDRESS", "\"address\": ", 22},
    {"CONNECTED_MS", "\"connected_ms\": ", 13},
    {"REQUESTS", "\"requests\": ", 10},
    {"LISTENERS", "\"listeners\": ", 9},
    {"EVENTS_LOST", "\"events_lost\": ", 11},
};

/** The field's value in a line of the member's JSON, without quotes. */
static const char *cell_of(const char *line, const char *field, char cell[CELL_MAX])
{
    const char *from = strstr(line, field);
    size_t size = 0;
    if (from != NULL) {
        from += strlen(field);
        bool is_text = *from == '"';
        from += is_text;
        size = strcspn(from, is_text ? "\"" : ",}");
        size = size < CELL_MAX - 1 ? size : CELL_MAX - 1;
        memcpy(cell, from, size);
    }
    cell[size] = '\0';
    return cell;
}

static void print_table(char *body)
{
    for (size_t i = 0; i < FIL_COUNT_OF(columns); i++) {
        (void)printf("%-*s ", columns[i].width, columns[i].title);
    }
    (void)putchar('\n');
    char *line = strstr(body, "\n  {");
    while (line != NULL) {
        char *next = strstr(line + 1, "\n  {");
        if (next != NULL) {
            *next = '\0';
        }
        for (size_t i = 0; i < FIL_COUNT_OF(columns); i++) {
            char cell[CELL_MAX];
            (void)printf("%-*s ", columns[i].width, cell_of(line, columns[i].field, cell));
        }
        (void)putchar('\n');
        line = next;
        if (next != NULL) {
            *next = '\n';
        }
    }
}

int command_client(int count, char **words)
{
    struct remote_flags flags;
    char *body = NULL;
    if (!remote_take_flags(&flags, "client", count, words)) {
        return EXIT_USAGE;
    }
    if (flags.word_count != 1 || strcmp(flags.words[0], "list") != 0) {
        (void)fprintf(stderr, "filbert: client does list: see filbert help client\n");
        return EXIT_USAGE;
    }
    if (!remote_http_get(&flags, "/v1/clients", &body)) {
        return EXIT_FAILED;
    }
    if (flags.is_json) {
        (void)fputs(body, stdout);
    } else {
        print_table(body);
    }
    fil_free(body);
    return EXIT_OK;
}
