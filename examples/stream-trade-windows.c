// SPDX-License-Identifier: Apache-2.0
/* Trade windows: volume and mean price of large trades, the last 10 seconds, every 5 seconds. */
#include <filbert/stream.h>
#include <stdio.h>
#include <string.h>

struct trade {
    int64_t time_ms;
    char symbol[8];
    int64_t price;
    int64_t quantity;
};
static const struct fil_field trade_fields[] = {
    FIL_TIME(struct trade, time_ms), FIL_TEXT(struct trade, symbol), FIL_I64(struct trade, price),
    FIL_I64(struct trade, quantity)};
static const struct fil_type trade_type = FIL_TYPE(struct trade, trade_fields);

/** A made-up market: four trades a second. */
static void write_trade(void *context, uint64_t sequence, void *out_record)
{
    (void)context;
    struct trade trade = {.time_ms = (int64_t)sequence * 250,
                          .price = (int64_t)(100 + sequence % 7),
                          .quantity = (int64_t)(sequence * 37 % 200)};
    memcpy(trade.symbol, sequence % 3 == 0 ? "NUT" : "OAK", 4);
    memcpy(out_record, &trade, sizeof(trade));
}

static bool is_large(void *context, const void *record)
{
    (void)context;
    return ((const struct trade *)record)->quantity >= 100;
}

struct volume {
    int64_t start;
    int64_t end;
    char symbol[8];
    int64_t volume;
    double price;
};

static int print_volume(void *context, const void *record)
{
    (void)context;
    const struct volume *volume = record;
    printf("%lld-%lld %s volume %lld at %.2f\n", (long long)volume->start, (long long)volume->end,
           volume->symbol, (long long)volume->volume, volume->price);
    return FIL_OK;
}

int main(void)
{
    struct fil_pipeline *pipeline = fil_pipeline_new("trade-windows");
    const struct fil_read_options read = {.count = 80};
    struct fil_stage *trades = fil_read_generator(pipeline, &trade_type, write_trade, NULL, &read);
    struct fil_stage *large = fil_stage_filter(trades, is_large, NULL);
    const struct fil_group_by by_symbol = {
        .key = "symbol",
        .size = 10000,
        .slide = 5000,
        .aggregates = {{.name = "volume", .kind = FIL_AGGREGATION_SUM, .field = "quantity"},
                       {.kind = FIL_AGGREGATION_AVERAGE, .field = "price"}}};
    fil_write_function(fil_stage_window(large, &by_symbol), print_volume, NULL);

    struct fil_stream *stream = NULL;
    int error = fil_stream_start(&stream, NULL);
    const struct fil_stream_job_options job = {.guarantee = FIL_GUARANTEE_EXACTLY_ONCE};
    if (error == FIL_OK) {
        error = fil_stream_run(stream, pipeline, &job);
    }
    if (error != FIL_OK) {
        fprintf(stderr, "%s: %s\n", fil_error_text(error), fil_pipeline_text(pipeline));
    }
    fil_stream_stop(stream);
    fil_pipeline_free(pipeline);
    return error == FIL_OK ? 0 : 1;
}
