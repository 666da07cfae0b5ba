// SPDX-License-Identifier: Apache-2.0
/** filbert bench resp, memcached, hazelcast, http: load against any server that speaks it. */
#pragma once

extern const char bench_load_help[];

/** The words begin with the name of the protocol. Returns the exit code. */
int bench_load(int count, char **words);
