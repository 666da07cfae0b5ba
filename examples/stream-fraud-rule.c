// SPDX-License-Identifier: Apache-2.0
/*
 * A fraud rule: three payments of a card within a minute, each larger than the one before. The rule
 * keeps what it has seen of a card in a state that the engine owns: it is part of the snapshots.
 */
#include <filbert/stream.h>
#include <stdio.h>
#include <string.h>

struct payment {
    int64_t second;
    int64_t card;
    int64_t cents;
};
static const struct fil_field payment_fields[] = {FIL_TIME(struct payment, second),
                                                  FIL_I64(struct payment, card),
                                                  FIL_I64(struct payment, cents)};
static const struct fil_type payment_type = FIL_TYPE(struct payment, payment_fields);

struct history {
    int64_t first_second;
    int64_t last_cents;
    int64_t rise_count;
};

/** Emits the payment that completes the pattern. */
static bool find_rise(void *context, void *state, const void *record, int64_t time,
                      void *out_record)
{
    (void)context;
    struct history *seen = state;
    const struct payment *payment = record;
    bool is_rise = payment->cents > seen->last_cents && time - seen->first_second <= 60;
    seen->rise_count = is_rise && seen->rise_count > 0 ? seen->rise_count + 1 : 1;
    seen->first_second = seen->rise_count == 1 ? time : seen->first_second;
    seen->last_cents = payment->cents;
    memcpy(out_record, payment, sizeof(*payment));
    return seen->rise_count == 3;
}

static int print_alarm(void *context, const void *record)
{
    (void)context;
    const struct payment *payment = record;
    printf("card %lld: look at the %lld cents of second %lld\n", (long long)payment->card,
           (long long)payment->cents, (long long)payment->second);
    return FIL_OK;
}

int main(void)
{
    static const struct payment payments[] = {{1, 77, 100},  {2, 55, 900},    {9, 77, 2500},
                                              {20, 55, 100}, {30, 77, 80000}, {40, 55, 50},
                                              {50, 55, 200}, {200, 55, 300},  {201, 55, 400}};
    struct fil_pipeline *pipeline = fil_pipeline_new("fraud-rule");
    struct fil_stage *read = fil_stage_parallelism(
        fil_read_list(pipeline, &payment_type, payments, 9), 1); /* in the order they were made */
    const struct fil_state_map rule = {.key = "card",
                                       .state_size = sizeof(struct history),
                                       .type = &payment_type,
                                       .map = find_rise};
    fil_write_function(fil_stage_state_map(read, &rule), print_alarm, NULL);

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
