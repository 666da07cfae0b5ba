// SPDX-License-Identifier: Apache-2.0
/* Sessions: clicks of a visitor belong together until there is half an hour of silence. */
#include <filbert/stream.h>
#include <stdio.h>

struct click {
    int64_t minute;
    char visitor[8];
};
static const struct fil_field click_fields[] = {FIL_TIME(struct click, minute),
                                                FIL_TEXT(struct click, visitor)};
static const struct fil_type click_type = FIL_TYPE(struct click, click_fields);

struct session {
    int64_t start;
    int64_t end;
    char visitor[8];
    int64_t clicks;
};

static int print_session(void *context, const void *record)
{
    (void)context;
    const struct session *session = record;
    /* A session ends one gap behind its last click. */
    printf("%s: %lld clicks in %lld minutes\n", session->visitor, (long long)session->clicks,
           (long long)(session->end - session->start - 30));
    return FIL_OK;
}

int main(void)
{
    static const struct click clicks[] = {{0, "ann"},  {5, "ann"},  {7, "bob"},  {29, "ann"},
                                          {40, "bob"}, {60, "ann"}, {61, "bob"}, {95, "bob"}};
    struct fil_pipeline *pipeline = fil_pipeline_new("sessions");
    struct fil_stage *read = fil_read_list(pipeline, &click_type, clicks, 8);
    const struct fil_group_by by_visitor = {
        .key = "visitor",
        .gap = 30,
        .aggregates = {{.name = "clicks", .kind = FIL_AGGREGATION_COUNT}}};
    fil_write_function(fil_stage_window(read, &by_visitor), print_session, NULL);

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
