// SPDX-License-Identifier: Apache-2.0
/**
 * Lines that somebody sends over TCP: the source connects, and reads until the other one closes.
 *
 * It never waits in a system call but for a few milliseconds in its poller, on a thread of its own.
 * There is nothing to go back to: after a failure it connects anew, and what had come and is in no
 * snapshot is lost.
 */
#pragma once

#include "core/stream/lines.h"
#include "lib/os/address.h"

struct fil_socket_source_config {
    struct fil_address address;
    fil_parse_fn parse; // NULL: the line is the record; the edge's records have their own sizes
    void *context;
    struct fil_source_time time;
};

extern const struct fil_processor_ops fil_socket_source_ops; // one output; the first instance reads
