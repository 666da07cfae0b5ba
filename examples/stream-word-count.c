// SPDX-License-Identifier: Apache-2.0
/* Word count: sentences become words, equal words are counted, the counts are printed. */
#include <filbert/stream.h>
#include <stdio.h>
#include <string.h>

struct line {
    char text[64];
};
static const struct fil_field line_fields[] = {FIL_TEXT(struct line, text)};
static const struct fil_type line_type = FIL_TYPE(struct line, line_fields);

struct word {
    char word[16];
};
static const struct fil_field word_fields[] = {FIL_TEXT(struct word, word)};
static const struct fil_type word_type = FIL_TYPE(struct word, word_fields);

/** Word number `index` of the line. */
static bool next_word(void *context, const void *record, uint32_t index, void *out_record)
{
    (void)context;
    const char *at = ((const struct line *)record)->text;
    struct word word = {{0}};
    for (; index > 0 && *at != '\0'; index--) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    size_t size = strcspn(at, " ");
    memcpy(word.word, at, size < sizeof(word.word) - 1 ? size : sizeof(word.word) - 1);
    memcpy(out_record, &word, sizeof(word));
    return size > 0;
}

struct count {
    char word[16];
    int64_t count;
};

static int print_count(void *context, const void *record)
{
    (void)context;
    const struct count *count = record;
    return printf("%s %lld\n", count->word, (long long)count->count) > 0 ? FIL_OK : FIL_E_IO;
}

int main(void)
{
    static const struct line lines[] = {
        {"the fox and the hound"}, {"the hound ran"}, {"and ran and ran"}};

    struct fil_pipeline *pipeline = fil_pipeline_new("word-count");
    struct fil_stage *read = fil_read_list(pipeline, &line_type, lines, 3);
    struct fil_stage *words = fil_stage_flat_map(read, &word_type, next_word, NULL);
    const struct fil_group_by by_word = {.key = "word",
                                         .aggregates = {{.kind = FIL_AGGREGATION_COUNT}}};
    fil_write_function(fil_stage_aggregate(words, &by_word), print_count, NULL);

    struct fil_stream *stream = NULL;
    int error = fil_stream_start(&stream, NULL);
    if (error == FIL_OK) {
        error = fil_stream_run(stream, pipeline, NULL);
    }
    if (error != FIL_OK) {
        fprintf(stderr, "%s: %s\n", fil_error_text(error), fil_pipeline_text(pipeline));
    }
    fil_stream_stop(stream);
    fil_pipeline_free(pipeline);
    return error == FIL_OK ? 0 : 1;
}
