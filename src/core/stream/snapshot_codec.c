// SPDX-License-Identifier: Apache-2.0
// Layout, all numbers little endian:
//
//   magic (8), version (4), id (8), job (text), vertex count (4), part count (4),
//   vertices: name, processor, format (texts), parallelism (4)
//   parts:    vertex (4), instance (4), size (8), entries
//   checksum of all before it (8)
//
// A text is its length (2) and its bytes.
#include <string.h>

#include "core/stream/snapshot_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"
#include "lib/base/reader.h"
#include "lib/base/writer.h"

// 2: keys of 16 bytes are hashed, and so dealt to instances, in another way.
#define VERSION        2U
#define CHECKSUM_BYTES 8U
#define HEAD_BYTES     (8U + 4U + 8U + 4U + 4U)
#define PART_BYTES     (4U + 4U + 8U)

static const uint8_t magic[8] = {'F', 'I', 'L', 'S', 'N', 'A', 'P', '\n'};

static size_t text_size(const char *text)
{
    return 2 + strlen(text);
}

static size_t encoded_size(const struct fil_snapshot *snapshot)
{
    size_t size = HEAD_BYTES + text_size(snapshot->job) + CHECKSUM_BYTES;
    for (uint32_t i = 0; i < snapshot->vertex_count; i++) {
        const struct fil_snapshot_vertex *vertex = &snapshot->vertices[i];
        size += text_size(vertex->name) + text_size(vertex->processor) + text_size(vertex->format);
        size += 4;
    }
    size += (size_t)snapshot->part_count * PART_BYTES;
    return size + fil_snapshot_size(snapshot);
}

// The writer keeps that it was too small, so the results need not be looked at one by one.

static void write_text(struct fil_writer *writer, const char *text)
{
    (void)fil_writer_u16_le(writer, (uint16_t)strlen(text));
    (void)fil_writer_text(writer, text);
}

static void write_head(struct fil_writer *writer, const struct fil_snapshot *snapshot)
{
    (void)fil_writer_bytes(writer, fil_bytes_make(magic, sizeof(magic)));
    (void)fil_writer_u32_le(writer, VERSION);
    (void)fil_writer_u64_le(writer, (uint64_t)snapshot->id);
    write_text(writer, snapshot->job);
    (void)fil_writer_u32_le(writer, snapshot->vertex_count);
    (void)fil_writer_u32_le(writer, snapshot->part_count);
    for (uint32_t i = 0; i < snapshot->vertex_count; i++) {
        write_text(writer, snapshot->vertices[i].name);
        write_text(writer, snapshot->vertices[i].processor);
        write_text(writer, snapshot->vertices[i].format);
        (void)fil_writer_u32_le(writer, snapshot->vertices[i].parallelism);
    }
}

static void write_parts(struct fil_writer *writer, const struct fil_snapshot *snapshot)
{
    for (uint32_t i = 0; i < snapshot->part_count; i++) {
        const struct fil_snapshot_part *part = &snapshot->parts[i];
        (void)fil_writer_u32_le(writer, part->vertex);
        (void)fil_writer_u32_le(writer, part->instance);
        (void)fil_writer_u64_le(writer, part->size);
        (void)fil_writer_bytes(writer, fil_bytes_make(part->data, part->size));
    }
}

int fil_snapshot_encode(const struct fil_snapshot *snapshot, uint8_t **out_data, size_t *out_size)
{
    size_t size = encoded_size(snapshot);
    uint8_t *data = fil_alloc(size);
    if (data == NULL) {
        return FIL_E_NOMEM;
    }
    struct fil_writer writer;
    fil_writer_init(&writer, data, size);
    write_head(&writer, snapshot);
    write_parts(&writer, snapshot);
    (void)fil_writer_u64_le(&writer, fil_hash(fil_writer_written(&writer), VERSION));
    fil_assert(!writer.is_full && writer.size == size);
    *out_data = data;
    *out_size = size;
    return FIL_OK;
}

/** A text that fits with its end, without zeros inside. */
static bool read_text(struct fil_reader *reader, char *out_text, size_t capacity)
{
    uint16_t size = 0;
    struct fil_bytes bytes = {0};
    if (!fil_reader_u16_le(reader, &size) || size >= capacity ||
        !fil_reader_take(reader, size, &bytes) || fil_bytes_find(bytes, 0) != size) {
        return false;
    }
    if (size != 0) {
        memcpy(out_text, bytes.data, size);
    }
    out_text[size] = '\0';
    return true;
}

static bool read_vertex(struct fil_reader *reader, struct fil_snapshot_vertex *vertex)
{
    return read_text(reader, vertex->name, sizeof(vertex->name)) &&
           read_text(reader, vertex->processor, sizeof(vertex->processor)) &&
           read_text(reader, vertex->format, sizeof(vertex->format)) &&
           fil_reader_u32_le(reader, &vertex->parallelism) && vertex->parallelism >= 1 &&
           vertex->parallelism <= FIL_DAG_PARALLELISM_MAX;
}

static int read_part(struct fil_reader *reader, const struct fil_snapshot *snapshot,
                     struct fil_snapshot_part *part)
{
    uint64_t size = 0;
    struct fil_bytes bytes = {0};
    if (!fil_reader_u32_le(reader, &part->vertex) || !fil_reader_u32_le(reader, &part->instance) ||
        !fil_reader_u64_le(reader, &size) || size > fil_reader_remaining(reader) ||
        !fil_reader_take(reader, (size_t)size, &bytes) || part->vertex >= snapshot->vertex_count ||
        part->instance >= snapshot->vertices[part->vertex].parallelism) {
        return FIL_E_MALFORMED;
    }
    if (size == 0) {
        return FIL_OK;
    }
    part->data = fil_alloc((size_t)size);
    if (part->data == NULL) {
        return FIL_E_NOMEM;
    }
    memcpy(part->data, bytes.data, bytes.size);
    part->size = bytes.size;
    part->capacity = bytes.size;
    return fil_snapshot__walk(part);
}

static int read_body(struct fil_reader *reader, struct fil_snapshot *snapshot)
{
    for (uint32_t i = 0; i < snapshot->vertex_count; i++) {
        if (!read_vertex(reader, &snapshot->vertices[i])) {
            return FIL_E_MALFORMED;
        }
    }
    int error = FIL_OK;
    for (uint32_t i = 0; error == FIL_OK && i < snapshot->part_count; i++) {
        error = read_part(reader, snapshot, &snapshot->parts[i]);
    }
    bool is_rest = error == FIL_OK && fil_reader_remaining(reader) != 0;
    return is_rest ? FIL_E_MALFORMED : error;
}

static int read_all(struct fil_reader *reader, struct fil_snapshot **out_snapshot)
{
    struct fil_bytes start = {0};
    uint32_t version = 0;
    int64_t id = 0;
    char job[FIL_DAG_NAME_MAX] = {0};
    uint32_t vertex_count = 0;
    uint32_t part_count = 0;
    if (!fil_reader_take(reader, sizeof(magic), &start) ||
        !fil_bytes_equal(start, fil_bytes_make(magic, sizeof(magic))) ||
        !fil_reader_u32_le(reader, &version) || version != VERSION ||
        !fil_reader_i64_le(reader, &id) || id < 0 || !read_text(reader, job, sizeof(job)) ||
        !fil_reader_u32_le(reader, &vertex_count) || vertex_count > FIL_DAG_VERTICES_MAX ||
        !fil_reader_u32_le(reader, &part_count) ||
        part_count > FIL_DAG_VERTICES_MAX * FIL_DAG_PARALLELISM_MAX) {
        return FIL_E_MALFORMED;
    }
    struct fil_snapshot *snapshot = fil_snapshot__make(vertex_count, part_count);
    if (snapshot == NULL) {
        return FIL_E_NOMEM;
    }
    snapshot->id = id;
    memcpy(snapshot->job, job, sizeof(job));
    *out_snapshot = snapshot;
    return read_body(reader, snapshot);
}

int fil_snapshot_decode(struct fil_bytes bytes, struct fil_snapshot **out_snapshot)
{
    if (bytes.size < HEAD_BYTES + CHECKSUM_BYTES) {
        return FIL_E_MALFORMED;
    }
    struct fil_bytes body = fil_bytes_make(bytes.data, bytes.size - CHECKSUM_BYTES);
    if (fil_hash(body, VERSION) != fil_load_u64_le(bytes.data + body.size)) {
        return FIL_E_MALFORMED;
    }
    struct fil_reader reader;
    fil_reader_init(&reader, body);
    struct fil_snapshot *snapshot = NULL;
    int error = read_all(&reader, &snapshot);
    if (error != FIL_OK) {
        fil_snapshot_unref(snapshot);
        return error;
    }
    *out_snapshot = snapshot;
    return FIL_OK;
}
