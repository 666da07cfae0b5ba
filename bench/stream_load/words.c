// SPDX-License-Identifier: Apache-2.0
/**
 * w1: counts words of two files. Word i is the decimal of i mod 1 M, behind it a blank, or a line's
 * end when i is a multiple of 20; the first half of all words is in FOLDER/words-0.txt, the rest in
 * words-1.txt. The files are written when they are not there or have another size.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/stream_load/bench.h"
#include "core/stream/batch_aggregate.h"
#include "core/stream/files.h"
#include "core/stream/sources.h"
#include "core/stream/transforms.h"
#include "lib/base/endian.h"

#define DISTINCT     UINT64_C(1000000)
#define WORDS_A_LINE 20U
#define WORD_BYTES   16U
#define PATH_BYTES   512U
#define FILES        2U
#define ONES         UINT64_C(0x0101010101010101)

struct word {
    char text[WORD_BYTES]; // zeros behind it
};

struct counted {
    struct word word;
    uint64_t count;
};

struct digest {
    _Atomic int64_t total;
    _Atomic uint64_t distinct;
};

/** Writes one file under another name first: what has the name is complete. */
static bool write_words(const char *path, uint64_t first, uint64_t end)
{
    char part[PATH_BYTES + 8];
    (void)snprintf(part, sizeof(part), "%s.part", path);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        (void)fclose(file);
        return true;
    }
    file = fopen(part, "w");
    if (file == NULL) {
        return false;
    }
    for (uint64_t i = first; i < end; i++) {
        (void)fprintf(file, "%" PRIu64 "%c", i % DISTINCT, i % WORDS_A_LINE == 0 ? '\n' : ' ');
    }
    return fclose(file) == 0 && rename(part, path) == 0;
}

/** The highest bit of the first blank of eight bytes, and maybe of some behind it; 0: none. */
static inline uint64_t find_blank(uint64_t eight)
{
    uint64_t bytes = eight ^ (ONES * ' ');
    return (bytes - ONES) & ~bytes & (ONES << 7);
}

/** A word with a blank behind it, of at most 15 bytes, of which 16 are there; 0: another one. */
static inline uint32_t read_short(const uint8_t *text, struct word *out_word)
{
    uint64_t halves[2] = {fil_load_u64_le(text), fil_load_u64_le(text + 8)};
    uint64_t blank = find_blank(halves[0]);
    bool is_second = blank == 0;
    blank = is_second ? find_blank(halves[1]) : blank;
    if (blank == 0) {
        return 0;
    }
    uint32_t bits = (uint32_t)__builtin_ctzll(blank) - 7;
    uint64_t last = halves[is_second] & ((UINT64_C(1) << bits) - 1);
    fil_store_u64_le((uint8_t *)out_word->text, is_second ? halves[0] : last);
    fil_store_u64_le((uint8_t *)out_word->text + 8, is_second ? last : 0);
    return bits / 8 + (is_second ? 8 : 0);
}

/** Any word; a longer one counts as its beginning. */
static size_t read_word(struct fil_bytes line, size_t at, struct word *out_word)
{
    uint32_t size = 0;
    *out_word = (struct word){{0}};
    for (; at < line.size && line.data[at] != ' '; at++) {
        if (size < WORD_BYTES) {
            out_word->text[size++] = (char)line.data[at];
        }
    }
    return at;
}

/** The words of a line, from the byte at which the cursor stands. */
static uint32_t split(void *context, struct fil_bytes line, uint64_t *cursor, void *out_records,
                      uint32_t room)
{
    (void)context;
    struct word *words = out_records;
    uint32_t count = 0;
    size_t at = *cursor;
    while (count < room) {
        while (at < line.size && line.data[at] == ' ') {
            at++;
        }
        if (at == line.size) {
            break;
        }
        uint32_t size =
            line.size - at >= WORD_BYTES ? read_short(line.data + at, &words[count]) : 0;
        at = size != 0 ? at + size : read_word(line, at, &words[count]);
        count++;
    }
    *cursor = at;
    return count;
}

static int take_digest(void *self, struct fil_processor_context *context, const void *config)
{
    (void)context;
    memcpy(self, &config, sizeof(config));
    return FIL_OK;
}

static int take_counts(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    (void)context;
    struct digest *digest = *(struct digest *const *)self;
    const struct counted *counts = fil_batch_record(inbox->batch, 0);
    int64_t total = 0;
    uint32_t distinct = inbox->limit - inbox->position;
    for (; inbox->position < inbox->limit; inbox->position++) {
        total += (int64_t)counts[inbox->position].count;
    }
    // Relaxed: read when the job is over.
    atomic_fetch_add_explicit(&digest->total, total, memory_order_relaxed);
    atomic_fetch_add_explicit(&digest->distinct, distinct, memory_order_relaxed);
    return FIL_OK;
}

static const struct fil_processor_ops counts_ops = {
    .name = "counts", .size = sizeof(struct digest *), .init = take_digest, .process = take_counts};

static bool prepare_files(const struct bench_options *options, char paths[FILES][PATH_BYTES])
{
    uint64_t half = options->millions * BENCH_MILLION / FILES;
    bool is_good = true;
    for (uint32_t i = 0; i < FILES; i++) {
        (void)snprintf(paths[i], PATH_BYTES, "%s/words-%" PRIu64 "-%u.txt", options->folder,
                       options->millions, i);
        is_good = write_words(paths[i], half * i, half * (i + 1)) && is_good;
    }
    return is_good;
}

static void run(struct bench_engine *engine, const char *const *paths, bool is_folded,
                struct digest *digest, struct bench_result *result)
{
    const struct fil_file_source_config lines = {.paths = paths, .path_count = FILES};
    const struct fil_flat_map_config words = {.expand = split};
    const struct fil_group_config counts = {.key = {.size = WORD_BYTES},
                                            .aggregate = fil_aggregate_count()};
    const struct fil_edge line = {.kind = FIL_EDGE_ISOLATED, .size_bytes = UINT64_C(2) << 20};
    const struct fil_edge word = {.kind = FIL_EDGE_PARTITIONED,
                                  .layout = {.stride = sizeof(struct word)},
                                  .key = {.size = WORD_BYTES}};
    const struct fil_edge count = {.kind = FIL_EDGE_ISOLATED,
                                   .layout = {.stride = sizeof(struct counted)}};
    struct bench_folded folded;
    bench_fold(&folded, &counts, 0);
    struct fil_dag dag;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "lines", &fil_file_source_ops, &lines, FILES);
    fil_dag_add_vertex(&dag, "words", &fil_flat_map_ops, &words, BENCH_INSTANCES);
    fil_dag_add_vertex(&dag, "counts", &fil_batch_aggregate_ops,
                       is_folded ? &folded.group : &counts, BENCH_INSTANCES);
    fil_dag_add_vertex(&dag, "end", &counts_ops, digest, BENCH_INSTANCES);
    fil_dag_add_edge(&dag, "lines", "words", &line);
    if (is_folded) {
        bench_add_fold(&dag, &folded, "words", "counts", word);
    } else {
        fil_dag_add_edge(&dag, "words", "counts", &word);
    }
    fil_dag_add_edge(&dag, "counts", "end", &count);
    bench_run(engine, &dag, false, result);
    fil_dag_fini(&dag);
}

int bench_words(const struct bench_options *options)
{
    static char paths[FILES][PATH_BYTES];
    const char *const names[FILES] = {paths[0], paths[1]};
    if (!prepare_files(options, paths)) {
        (void)fprintf(stderr, "bench_stream: %s cannot be written\n", paths[0]);
        return 2;
    }
    struct digest digest = {0};
    struct bench_engine engine;
    bench_engine_start(&engine, false);
    uint64_t count = options->millions * BENCH_MILLION;
    struct bench_result result = {.digest_expected = (int64_t)count, .record_count = count};
    run(&engine, names, options->folded != 0, &digest, &result);
    bench_engine_stop(&engine);
    result.digest = digest.total;
    result.result_count = digest.distinct;
    uint64_t distinct = count < DISTINCT ? count : DISTINCT;
    result.took_ns = digest.distinct == distinct ? result.took_ns : 0;
    return bench_tell(options, &result);
}
