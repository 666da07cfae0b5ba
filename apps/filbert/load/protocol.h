// SPDX-License-Identifier: Apache-2.0
/**
 * What a protocol is to the generator: how one request is written, and how replies are told apart.
 *
 * A reply's kind is '-' for an error in every protocol. Replies come in the order of the requests,
 * unless the protocol numbers them: then each request is stamped with a number before it leaves.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/writer.h"
#include "replies.h"
#include "requests.h"

struct load_protocol {
    const char *name;
    bool is_numbered;      // replies come in any order, and tell their number
    uint32_t overhead_max; // bytes of a request besides keys and values, and again for each key

    /** Whether it has the command. */
    bool (*has)(enum load_command command);

    /** Writes one request with all keys 0, and how to find them. */
    struct load_shape (*write)(struct fil_writer *writer, enum load_command command,
                               const struct load_requests_options *options);

    /** The digits of a request's keys were written: mends what depends on them. NULL: nothing. */
    void (*mend)(uint8_t *request, const struct load_shape *shape);

    /** As load_replies_next. */
    int (*next)(struct load_replies *replies, struct fil_bytes *bytes,
                struct load_reply *out_reply);

    /** What a server answers, for the null server; LOAD_COMMAND_COUNT: to the greeting. */
    void (*answer)(struct fil_writer *writer, enum load_command command,
                   const struct load_requests_options *options);

    /** What each connection says first, and is answered once. NULL: nothing. */
    struct load_shape (*greet)(struct fil_writer *writer,
                               const struct load_requests_options *options);
};

extern const struct load_protocol load_protocol_resp;
extern const struct load_protocol load_protocol_memcached;
extern const struct load_protocol load_protocol_hazelcast;
extern const struct load_protocol load_protocol_http;

/** NULL: there is none of that name. */
const struct load_protocol *load_protocol_find(const char *name);

/** A key with the number 0, of key_size bytes. */
void load_protocol_write_key(struct fil_writer *writer, const struct load_requests_options *options,
                             bool is_counter);

/** A value: letters, or "0" for a counter. */
void load_protocol_write_value(struct fil_writer *writer, uint32_t size);
