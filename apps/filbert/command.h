// SPDX-License-Identifier: Apache-2.0
/** The commands of the filbert program; each returns the exit code. */
#pragma once

/** Exit codes, the same for all commands. */
enum exit_code {
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
};

/** The program as it was called, which is how it can be called again: "build/filbert". */
const char *command_program(void);

int command_start(int count, char **words);
int command_serve(int count, char **words);
int command_config(int count, char **words);
int command_bench(int count, char **words);
int command_map(int count, char **words);
int command_client(int count, char **words);
