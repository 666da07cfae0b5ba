// SPDX-License-Identifier: Apache-2.0
#include "wire.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/thread.h"
#include "model.h"

void lab_wire_init(struct lab_wire *wire, struct lab_model *model, int fd)
{
    fil_assert(fd >= 0);
    wire->env = model->env;
    wire->model = model;
    wire->context = NULL;
    wire->fd = fd;
    wire->input_size = 0;
    fil_resp_decoder_init(&wire->decoder, LAB_WIRE_BYTES, LAB_WIRE_BYTES);
    fil_output_init(&wire->output);
    fil_list_init(&wire->line);
    fil_list_init(&wire->turn_link);
}

void lab_wire_fini(struct lab_wire *wire)
{
    fil_assert(fil_list_is_empty(&wire->line));
    if (wire->fd >= 0) {
        wire->env->ops->close(wire->env, wire->fd);
        wire->fd = -1;
    }
    fil_resp_decoder_fini(&wire->decoder);
    fil_output_fini(&wire->output);
}

/** Handles the complete requests at the front of the input; returns how many bytes they had. */
static size_t decode_all(struct lab_wire *wire, lab_wire_fn handle)
{
    size_t done = 0;
    for (;;) {
        struct fil_resp_command command;
        size_t size = 0;
        struct fil_bytes rest = fil_bytes_make(wire->input + done, wire->input_size - done);
        int error = fil_resp_decode(&wire->decoder, rest, &command, &size);
        done += size;
        if (error != FIL_OK) {
            // The lab's own generator sends nothing malformed.
            fil_assert(error == FIL_E_AGAIN);
            return done;
        }
        struct lab_request request = lab_request_parse(&command);
        handle(wire, &request);
    }
}

bool lab_wire_receive(struct lab_wire *wire, lab_wire_fn handle)
{
    struct fil_env *env = wire->env;
    int64_t received = env->ops->receive(env, wire->fd, wire->input + wire->input_size,
                                         LAB_WIRE_BYTES - wire->input_size);
    if (received == FIL_E_AGAIN) {
        return true;
    }
    if (received <= 0) {
        return false;
    }
    wire->input_size += (size_t)received;
    size_t done = decode_all(wire, handle);
    wire->input_size -= done;
    memmove(wire->input, wire->input + done, wire->input_size);
    fil_assert(wire->input_size < LAB_WIRE_BYTES);
    return true;
}

void lab_wire_flush(struct lab_wire *wire)
{
    struct fil_output *output = &wire->output;
    uint32_t calls = 0;
    if (wire->fd < 0) {
        fil_chunk_queue_clear(&output->queue); // nobody is there any more
    }
    while (output->queue.size_bytes > 0 && output->error == FIL_OK) {
        output->is_blocked = false;
        (void)fil_output_send(output, wire->env, wire->fd, &calls);
        if (output->is_blocked) {
            fil_thread_yield(); // the generator reads all the time
        }
    }
}
