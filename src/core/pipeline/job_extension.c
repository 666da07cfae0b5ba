// SPDX-License-Identifier: Apache-2.0
// Records with fields of a partner behind their own: the output of lookups and joins.
#include <string.h>

#include "core/pipeline/job_file_internal.h"

bool fil_job_extension__join(void *context, const void *record, const void *partner,
                             void *out_record)
{
    const struct fil_job_extension *extension = context;
    uint8_t *out = out_record;
    if (partner == NULL && extension->is_inner) {
        return false;
    }
    memset(out, 0, extension->type->size);
    for (uint32_t i = 0; i < extension->type->field_count; i++) {
        const struct fil_field *from = extension->sources[i];
        const uint8_t *source = i < extension->own_count ? record : partner;
        if (source != NULL) {
            memcpy(out + extension->type->fields[i].offset, source + from->offset, from->size);
        }
    }
    return true;
}

struct fil_job_extension *fil_job_reader__extend(struct fil_job_reader *reader,
                                                 const yaml_node_t *node,
                                                 const struct fil_type *partner,
                                                 const char *left_out)
{
    const struct fil_type *types[] = {fil_stage_type(reader->stage), partner};
    struct fil_job_draft draft;
    struct fil_job_extension *extension = fil_job_reader__alloc(reader, 1, sizeof(*extension));
    uint32_t count = types[0]->field_count + partner->field_count;
    if (extension == NULL || !fil_job_draft__open(reader, &draft)) {
        return NULL;
    }
    extension->sources = fil_job_reader__alloc(reader, count, sizeof(struct fil_field *));
    extension->own_count = types[0]->field_count;
    extension->type = draft.type;
    for (uint32_t i = 0; extension->sources != NULL && i < count; i++) {
        bool is_own = i < extension->own_count;
        const struct fil_field *field =
            is_own ? &types[0]->fields[i] : &partner->fields[i - extension->own_count];
        if (!is_own && left_out != NULL && strcmp(field->name, left_out) == 0) {
            continue;
        }
        extension->sources[draft.type->field_count] = field;
        if (!fil_job_draft__add(reader, &draft, node, field)) {
            return NULL;
        }
    }
    return extension->sources == NULL ? NULL : extension;
}

bool fil_job_reader__keep(struct fil_job_reader *reader, const yaml_node_t *node)
{
    static const char *const kept[] = {"all", "found"};
    return fil_job_reader__word(reader, node, kept, 2) == 1;
}
