// SPDX-License-Identifier: Apache-2.0
/** filbert bench resp: load against any server that speaks RESP. */
#pragma once

extern const char bench_resp_help[];

/** The words begin with "resp". Returns the exit code. */
int bench_resp(int count, char **words);
