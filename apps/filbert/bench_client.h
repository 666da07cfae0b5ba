// SPDX-License-Identifier: Apache-2.0
/** filbert bench client: what the C client itself can do. */
#pragma once

extern const char bench_client_help[];

/** The words begin with "client". Returns the exit code. */
int bench_client(int count, char **words);
