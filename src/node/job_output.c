// SPDX-License-Identifier: Apache-2.0
#include "node/job_output.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"

void fil_job_output_init(struct fil_job_output *output, struct fil_budget *budget)
{
    fil_assert(budget != NULL);
    fil_mutex_init(&output->mutex);
    output->budget = budget;
    fil_mutex_lock(&output->mutex);
    output->bytes = NULL;
    output->first = 0;
    output->next = 0;
    output->lines = 0;
    output->missed = 0;
    fil_mutex_unlock(&output->mutex);
}

void fil_job_output_fini(struct fil_job_output *output)
{
    fil_mutex_lock(&output->mutex);
    if (output->bytes != NULL) {
        fil_budget_free(output->budget, output->bytes, FIL_JOB_OUTPUT_BYTES);
        output->bytes = NULL;
    }
    fil_mutex_unlock(&output->mutex);
    fil_mutex_fini(&output->mutex);
}

static char *byte_at(const struct fil_job_output *output, uint64_t place)
    FIL_TSA(requires_capability(output->mutex))
{
    return &output->bytes[place % FIL_JOB_OUTPUT_BYTES];
}

static void drop_line(struct fil_job_output *output) FIL_TSA(requires_capability(output->mutex))
{
    fil_assert(output->first < output->next);
    while (*byte_at(output, output->first) != '\n') {
        output->first++;
    }
    output->first++;
    output->missed++;
    fil_assert(output->first <= output->next);
}

/** Copies to or from the ring, which may end in between. */
static void copy_in(struct fil_job_output *output, struct fil_bytes line)
    FIL_TSA(requires_capability(output->mutex))
{
    size_t offset = output->next % FIL_JOB_OUTPUT_BYTES;
    size_t until_end = FIL_JOB_OUTPUT_BYTES - offset;
    size_t size = line.size < until_end ? line.size : until_end;
    memcpy(output->bytes + offset, line.data, size);
    memcpy(output->bytes, line.data + size, line.size - size);
    output->next += line.size;
}

static int print_locked(struct fil_job_output *output, struct fil_bytes line)
    FIL_TSA(requires_capability(output->mutex))
{
    if (output->bytes == NULL) {
        output->bytes = fil_budget_alloc(output->budget, FIL_JOB_OUTPUT_BYTES);
    }
    if (output->bytes == NULL) {
        return FIL_E_NOMEM;
    }
    while (output->next - output->first + line.size > FIL_JOB_OUTPUT_BYTES) {
        drop_line(output);
    }
    copy_in(output, line);
    output->lines++;
    return FIL_OK;
}

int fil_job_output_print(void *context, struct fil_bytes line)
{
    struct fil_job_output *output = context;
    fil_assert(line.size > 0 && line.data[line.size - 1] == '\n');
    if (line.size > FIL_JOB_OUTPUT_BYTES) {
        return FIL_E_LIMIT;
    }
    fil_mutex_lock(&output->mutex);
    int error = print_locked(output, line);
    fil_mutex_unlock(&output->mutex);
    return error;
}

size_t fil_job_output_read(struct fil_job_output *output, uint64_t *place, char *out_bytes,
                           size_t capacity)
{
    fil_mutex_lock(&output->mutex);
    uint64_t from = *place < output->first ? output->first : *place;
    from = from > output->next ? output->next : from;
    uint64_t left = output->next - from;
    size_t size = left < capacity ? (size_t)left : capacity;
    size_t offset = from % FIL_JOB_OUTPUT_BYTES;
    size_t until_end = FIL_JOB_OUTPUT_BYTES - offset;
    size_t head = size < until_end ? size : until_end;
    if (size > 0) {
        memcpy(out_bytes, output->bytes + offset, head);
        memcpy(out_bytes + head, output->bytes, size - head);
    }
    *place = from;
    fil_mutex_unlock(&output->mutex);
    return size;
}

void fil_job_output_count(struct fil_job_output *output, uint64_t *out_lines, uint64_t *out_missed)
{
    fil_mutex_lock(&output->mutex);
    *out_lines = output->lines;
    *out_missed = output->missed;
    fil_mutex_unlock(&output->mutex);
}
