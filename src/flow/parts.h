// SPDX-License-Identifier: Apache-2.0
/**
 * What sources of structures share: one part for each partition, read by operations, emitted by the
 * processor, saved as the place behind what was emitted.
 *
 *     idle --start--> reading --comes back--> ready --emitted--> idle, or over
 *
 * Operations fill a part's records on whatever thread they run; everything else is the processor's.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/watermark.h"
#include "flow/connector.h"
#include "flow/port.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/list.h"

/** Records that one read brings, about. */
#define FIL_PART_READ_MAX 128U

/** Size, with the end, of what is shown of an entry that cannot be read. */
#define FIL_PART_EXCERPT_MAX 48U

struct fil_parts;

struct fil_part {
    struct fil_call call;
    struct fil_parts *parts;
    struct fil_list link; // among the ready ones
    fil_partition_id partition_id;
    uint64_t place; // where the next read begins: all before it has been emitted
    bool is_placed; // the place is known
    bool is_reading;
    bool is_over;

    // Filled by a read.
    uint64_t next;                      // place behind it
    uint64_t lost;                      // that was overwritten before
    char excerpt[FIL_PART_EXCERPT_MAX]; // of what was not as it should be
    uint8_t *records;
    uint32_t count;
    uint32_t capacity;
    bool is_last; // there is nothing behind it
    int error;

    uint32_t emitted;
};

struct fil_parts {
    const struct fil_connection *connection;
    struct fil_port port;
    const struct fil_op_type *op_type;
    void *structure; // map, or container
    struct fil_part *items;
    uint32_t count;
    uint32_t next_unstarted;
    uint32_t active_max; // parts that are read at once
    uint32_t active;     // reading or ready
    uint32_t over;
    struct fil_list ready;
    struct fil_event_time time;
    uint32_t saved; // of the snapshot that is being taken
    bool is_one;    // one partition, read by the first instance
    bool is_paused; // by a snapshot: nothing was read on behind what it emitted
    bool has_time;  // restored
};

/** FIL_E_NOMEM. Partition `only`, or all of this instance with FIL_OP_NO_PARTITION. */
int fil_parts_open(struct fil_parts *parts, struct fil_processor_context *context,
                   uint32_t partition_count, fil_partition_id only) FIL_NODISCARD;

/** All partitions of the map that the connection names. */
int fil_parts_open_map(struct fil_parts *parts, struct fil_processor_context *context)
    FIL_NODISCARD;

/** From a read, inside the partition: one more record; errors are kept in the part. */
void fil_part_add(struct fil_part *part, struct fil_bytes key, struct fil_bytes value);

/** The processors' functions; the source's struct is a struct fil_parts. */
int fil_parts_complete(void *self, struct fil_processor_context *context);
int fil_parts_save(void *self, struct fil_processor_context *context,
                   struct fil_state_writer *writer);
int fil_parts_restore(void *self, struct fil_processor_context *context, struct fil_bytes key,
                      struct fil_bytes value);
int fil_parts_stop(void *self, struct fil_processor_context *context);
void fil_parts_close(void *self);
