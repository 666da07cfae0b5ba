// SPDX-License-Identifier: Apache-2.0
/**
 * A client in a minute: sets one entry of a map and reads it again.
 *
 *     filbert start &
 *     build/release/bin/example_capitals [ADDRESS]
 */
#include <filbert/filbert.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct fil_client *client = NULL;
    struct fil_client_options options = {.address = argc > 1 ? argv[1] : NULL};
    int error = fil_client_connect(&client, &options);
    if (error != FIL_OK) {
        fprintf(stderr, "%s (%s)\n", fil_error_text(error), fil_client_connect_problem());
        return 1;
    }

    struct fil_map *capitals = fil_map(fil_client_grid(client), "capitals");
    struct fil_value city = {0};
    error = fil_map_set(capitals, fil_str("France"), fil_str("Paris"));
    if (error == FIL_OK)
        error = fil_map_get(capitals, fil_str("France"), &city);
    if (error == FIL_OK)
        printf("%s\n", fil_value_str(&city));
    else
        fprintf(stderr, "%s\n", fil_error_text(error));

    fil_value_release(&city);
    fil_client_close(client);
    return error == FIL_OK ? 0 : 1;
}
