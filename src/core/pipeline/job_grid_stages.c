// SPDX-License-Identifier: Apache-2.0
// The stages of a job file that are about structures of the member.
#include <string.h>

#include "core/pipeline/job_file_internal.h"
#include "core/pipeline/pipeline_internal.h"
#include "lib/base/assert.h"
#include "lib/base/writer.h"

#define WORDS_BYTES 128U

/** Whether a mapping has the name. */
static const yaml_node_t *find(struct fil_job_reader *reader, const yaml_node_t *node,
                               const char *name)
{
    const char *key = NULL;
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    if (node->type != YAML_MAPPING_NODE) {
        return NULL;
    }
    while (fil_job_reader__next(reader, node, &position, &key, &value)) {
        if (strcmp(key, name) == 0) {
            return value;
        }
    }
    return NULL;
}

int fil_job_reader__word(struct fil_job_reader *reader, const yaml_node_t *node,
                         const char *const *words, int count)
{
    const char *text = fil_job_reader__text(reader, node, "a word");
    for (int i = 0; text != NULL && i < count; i++) {
        if (strcmp(words[i], text) == 0) {
            return i;
        }
    }
    if (text != NULL) {
        char all[WORDS_BYTES];
        struct fil_writer writer;
        fil_writer_init(&writer, all, sizeof(all));
        for (int i = 0; i < count; i++) {
            (void)fil_writer_text(&writer, i == 0 ? "" : i + 1 == count ? " or " : ", ");
            (void)fil_writer_text(&writer, words[i]);
        }
        fil_job_reader__blame(reader, node, "'%s' is not known here: it is %s", text,
                              fil_writer_terminate(&writer));
    }
    return -1;
}

static bool read_flag(struct fil_job_reader *reader, const yaml_node_t *node)
{
    static const char *const words[] = {"false", "true"};
    return fil_job_reader__word(reader, node, words, 2) == 1;
}

/** What may stand in a source of a structure. */
struct source {
    const char *kind;
    const yaml_node_t *type;
    struct fil_read_grid options;
};

static void read_source_option(struct fil_job_reader *reader, struct source *source,
                               const char *key, const yaml_node_t *value)
{
    static const char *const froms[] = {"oldest", "now"};
    if (strcmp(key, source->kind) == 0) {
        source->options.name = fil_job_reader__text(reader, value, "a name");
    } else if (strcmp(key, "type") == 0) {
        source->type = value;
    } else if (strcmp(key, "key") == 0) {
        source->options.key = fil_job_reader__text(reader, value, "the key");
    } else if (strcmp(key, "from") == 0) {
        source->options.is_from_now = fil_job_reader__word(reader, value, froms, 2) == 1;
    } else if (strcmp(key, "lossy") == 0) {
        source->options.is_lossy = read_flag(reader, value);
    } else if (strcmp(key, "lag") == 0) {
        (void)fil_job_reader__duration(reader, value, &source->options.lag);
    } else {
        fil_job_reader__blame(reader, value, "a source of a %s has no '%s'", source->kind, key);
    }
}

static void add_source(struct fil_job_reader *reader, const yaml_node_t *node,
                       struct source *source)
{
    const char *key = NULL;
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    while (fil_job_reader__next(reader, node, &position, &key, &value)) {
        read_source_option(reader, source, key, value);
    }
    if (!reader->has_failed && source->type == NULL) {
        fil_job_reader__blame(reader, node, "a source of a %s needs a type", source->kind);
    }
    const struct fil_type *type =
        reader->has_failed ? NULL : fil_job_reader__type(reader, source->type);
    if (type == NULL) {
        return;
    }
    struct fil_pipeline *pipeline = reader->file->pipeline;
    if (reader->test != NULL) {
        fil_job_reader__feed(reader, type, source->options.lag);
    } else if (source->kind[0] == 'm') {
        reader->stage = fil_read_map(pipeline, type, &source->options);
    } else if (source->kind[0] == 'j') {
        reader->stage = fil_read_journal(pipeline, type, &source->options);
    } else {
        reader->stage = fil_read_ringbuffer(pipeline, type, &source->options);
    }
}

bool fil_job_reader__grid_source(struct fil_job_reader *reader, const yaml_node_t *node)
{
    static const char *const kinds[] = {"map", "journal", "ringbuffer"};
    for (uint32_t i = 0; i < FIL_COUNT_OF(kinds); i++) {
        if (find(reader, node, kinds[i]) != NULL) {
            struct source source = {.kind = kinds[i]};
            add_source(reader, node, &source);
            return true;
        }
    }
    return false;
}

struct lookup {
    const yaml_node_t *type;
    struct fil_lookup options;
    bool is_inner;
};

static void read_lookup_option(struct fil_job_reader *reader, struct lookup *lookup,
                               const char *key, const yaml_node_t *value)
{
    static const char *const orders[] = {"kept", "any"};
    uint64_t count = 0;
    if (strcmp(key, "map") == 0) {
        lookup->options.map = fil_job_reader__text(reader, value, "a name");
    } else if (strcmp(key, "by") == 0) {
        lookup->options.key = fil_job_reader__text(reader, value, "the key");
    } else if (strcmp(key, "type") == 0) {
        lookup->type = value;
    } else if (strcmp(key, "keep") == 0) {
        lookup->is_inner = fil_job_reader__keep(reader, value);
    } else if (strcmp(key, "order") == 0) {
        lookup->options.is_unordered = fil_job_reader__word(reader, value, orders, 2) == 1;
    } else if (strcmp(key, "concurrency") == 0) {
        if (fil_job_reader__count(reader, value, &count)) {
            lookup->options.concurrency = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
        }
    } else {
        fil_job_reader__blame(reader, value, "a lookup has no '%s'", key);
    }
}

void fil_job_reader__lookup(struct fil_job_reader *reader, const yaml_node_t *node)
{
    struct lookup lookup = {0};
    const char *key = NULL;
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    while (fil_job_reader__next(reader, node, &position, &key, &value)) {
        read_lookup_option(reader, &lookup, key, value);
    }
    if (!reader->has_failed && (lookup.type == NULL || lookup.options.map == NULL)) {
        fil_job_reader__blame(reader, node, "a lookup is a map with type, by a field");
    }
    const struct fil_type *partner =
        reader->has_failed ? NULL : fil_job_reader__type(reader, lookup.type);
    struct fil_job_extension *extension =
        partner == NULL ? NULL : fil_job_reader__extend(reader, node, partner, NULL);
    if (extension == NULL) {
        return;
    }
    extension->is_inner = lookup.is_inner;
    lookup.options.partner = partner;
    lookup.options.type = extension->type;
    lookup.options.join = fil_job_extension__join;
    lookup.options.context = extension;
    if (reader->test != NULL) {
        fil_job_reader__look_up_listed(reader, node, &lookup.options);
    } else {
        reader->stage = fil_stage_lookup(reader->stage, &lookup.options);
    }
}

static void add_map_sink(struct fil_job_reader *reader, const yaml_node_t *node)
{
    static const char *const modes[] = {"put", "if-absent", "remove", "add"};
    const char *key = NULL;
    const char *name = NULL;
    const char *field = NULL;
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    int mode = 0;
    while (fil_job_reader__next(reader, node, &position, &key, &value)) {
        if (strcmp(key, "map") == 0) {
            name = fil_job_reader__text(reader, value, "a name");
        } else if (strcmp(key, "key") == 0) {
            field = fil_job_reader__text(reader, value, "the key");
        } else if (strcmp(key, "mode") == 0) {
            mode = fil_job_reader__word(reader, value, modes, (int)FIL_COUNT_OF(modes));
        } else {
            fil_job_reader__blame(reader, value, "a sink of a map has no '%s'", key);
        }
    }
    if (!reader->has_failed) {
        fil_write_map(reader->stage, name, field, (enum fil_map_write)mode);
        reader->is_written = true;
    }
}

bool fil_job_reader__grid_sink(struct fil_job_reader *reader, const yaml_node_t *node)
{
    static const struct {
        const char *name;
        void (*write)(struct fil_stage *input, const char *name);
    } sinks[] = {{"queue", fil_write_queue},
                 {"list", fil_write_list},
                 {"topic", fil_write_topic},
                 {"ringbuffer", fil_write_ringbuffer}};
    if (find(reader, node, "map") != NULL) {
        add_map_sink(reader, node);
        return true;
    }
    for (uint32_t i = 0; i < FIL_COUNT_OF(sinks); i++) {
        const yaml_node_t *value = find(reader, node, sinks[i].name);
        const char *name = value == NULL ? NULL : fil_job_reader__text(reader, value, "a name");
        if (name != NULL) {
            sinks[i].write(reader->stage, name);
            reader->is_written = true;
            return true;
        }
    }
    return reader->has_failed;
}
