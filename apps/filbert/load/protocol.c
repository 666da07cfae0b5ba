// SPDX-License-Identifier: Apache-2.0
#include "protocol.h"

#include <string.h>

#include "lib/base/prng.h"

#define PREFIX_BYTES 4U
#define VALUE_SEED   7U

const struct load_protocol *load_protocol_find(const char *name)
{
    static const struct load_protocol *const all[] = {&load_protocol_resp, &load_protocol_memcached,
                                                      &load_protocol_hazelcast,
                                                      &load_protocol_http};
    for (size_t i = 0; i < FIL_COUNT_OF(all); i++) {
        if (strcmp(all[i]->name, name) == 0) {
            return all[i];
        }
    }
    return NULL;
}

void load_protocol_write_key(struct fil_writer *writer, const struct load_requests_options *options,
                             bool is_counter)
{
    uint32_t zeros = options->key_size;
    if (options->key_size >= PREFIX_BYTES + load_requests_digits(options->key_count)) {
        (void)fil_writer_text(writer, is_counter ? "cnt:" : "key:");
        zeros -= PREFIX_BYTES;
    }
    (void)fil_writer_fill(writer, '0', zeros);
}

void load_protocol_write_value(struct fil_writer *writer, uint32_t size)
{
    struct fil_prng prng;
    fil_prng_init(&prng, VALUE_SEED);
    for (uint32_t i = 0; i < size; i++) {
        (void)fil_writer_u8(writer, (uint8_t)('a' + fil_prng_below(&prng, 26)));
    }
}
