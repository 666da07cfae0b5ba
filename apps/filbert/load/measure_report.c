// SPDX-License-Identifier: Apache-2.0
#include "measure_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/base/units.h"
#include "protocol.h"

#define NS_PER_US 1000.0
#define NS_PER_S  1e9

struct quantile {
    const char *title;
    const char *name;
    double part;
};

static const struct quantile quantiles[] = {
    {"p50", "p50", 0.5},      {"p90", "p90", 0.9}, {"p99", "p99", 0.99},
    {"p99.9", "p999", 0.999}, {"max", "max", 1},
};

static double per_second(const struct load_measure_summary *summary, uint64_t count)
{
    return summary->elapsed_ns == 0 ? 0 : (double)count / (double)summary->elapsed_ns * NS_PER_S;
}

static double per_operation(const struct load_measure_summary *summary, uint64_t amount)
{
    return summary->reply_count == 0 ? 0 : (double)amount / (double)summary->reply_count;
}

static double quantile_us(const struct fil_histogram *histogram, double part)
{
    return (double)fil_histogram_quantile(histogram, part) / NS_PER_US;
}

static double latency_us(const struct load_measure_summary *summary,
                         const struct quantile *quantile)
{
    return quantile_us(&summary->latency_ns, quantile->part);
}

/** Answers that were no errors and came before the deadline, if there is one. */
static uint64_t good_count(const struct load_measure_summary *summary)
{
    return summary->reply_count - summary->error_count - summary->refused_count -
           summary->late_count;
}

static const char *const drawn[] = {
    [LOAD_UNIFORM] = "uniformly", [LOAD_ZIPF] = "by zipf", [LOAD_SEQUENTIAL] = "one by one"};
static const char *const distributions[] = {
    [LOAD_UNIFORM] = "uniform", [LOAD_ZIPF] = "zipf", [LOAD_SEQUENTIAL] = "sequential"};

static void describe_load(const struct load_measure_options *options, struct fil_writer *writer)
{
    const struct load_requests_options *requests = &options->requests;
    char address[FIL_ADDRESS_TEXT_MAX];
    uint32_t batch = load_requests_key_batch(requests);
    (void)fil_writer_format(writer, "%s %s against %s: ", load_requests_protocol(requests)->name,
                            load_command_name(requests->command),
                            fil_address_format(&options->address, address));
    (void)fil_writer_format(writer, "%" PRIu32 " connections, pipeline %" PRIu32 ", ",
                            options->connection_count, requests->pipeline);
    if (batch > 1) {
        (void)fil_writer_format(writer, "%" PRIu32 " keys a request, ", batch);
    }
    (void)fil_writer_format(writer, "%" PRIu32 " thread%s", options->thread_count,
                            options->thread_count == 1 ? "" : "s");
    if (options->rate > 0) {
        (void)fil_writer_format(writer, ", %.0f requests/s due%s", options->rate,
                                options->is_random ? " at random" : "");
    }
    (void)fil_writer_format(
        writer, "\n%" PRIu64 " keys of %" PRIu32 " bytes, values of %" PRIu32 ", drawn %s\n\n",
        requests->key_count, requests->key_size, requests->value_size,
        drawn[requests->distribution]);
}

static void write_rates(const struct load_measure_options *options,
                        const struct load_measure_summary *summary, struct fil_writer *writer)
{
    uint64_t replies = summary->reply_count;
    uint32_t batch = load_requests_key_batch(&options->requests);
    (void)fil_writer_format(writer, "requests    %" PRIu64 " in %.2f s\n", replies,
                            (double)summary->elapsed_ns / NS_PER_S);
    (void)fil_writer_format(writer, "throughput  %.0f ops/s", per_second(summary, replies));
    if (batch > 1) {
        (void)fil_writer_format(writer, ", %.0f keys/s", per_second(summary, replies * batch));
    }
    (void)fil_writer_text(writer, "\nlatency     ");
    for (size_t i = 0; i < FIL_COUNT_OF(quantiles); i++) {
        (void)fil_writer_format(writer, "%s%s %.1f us", i == 0 ? "" : ", ", quantiles[i].title,
                                latency_us(summary, &quantiles[i]));
    }
    (void)fil_writer_text(writer, options->rate > 0 ? ", from when each was due\n" : "\n");
}

/** What became of the requests that had a deadline. */
static void write_outcome(const struct load_measure_summary *summary, struct fil_writer *writer)
{
    (void)fil_writer_format(writer, "in time     %" PRIu64 ", %.0f /s\n", good_count(summary),
                            per_second(summary, good_count(summary)));
    (void)fil_writer_format(writer, "late        %" PRIu64 "\n", summary->late_count);
    (void)fil_writer_format(writer, "refused     %" PRIu64, summary->refused_count);
    if (summary->refused_count > 0) {
        (void)fil_writer_format(writer, ", p50 %.1f us, p99 %.1f us",
                                quantile_us(&summary->refused_ns, 0.5),
                                quantile_us(&summary->refused_ns, 0.99));
    }
    (void)fil_writer_format(writer, "\nlost        %" PRIu64 "\n", summary->lost_count);
}

void load_measure_report_table(const struct load_measure_options *options,
                               const struct load_measure_summary *summary,
                               struct fil_writer *writer)
{
    char sent[FIL_UNITS_TEXT_MAX];
    char received[FIL_UNITS_TEXT_MAX];
    describe_load(options, writer);
    write_rates(options, summary, writer);
    if (options->deadline_ns > 0) {
        write_outcome(summary, writer);
    }
    if (options->rate > 0) {
        (void)fil_writer_format(writer, "own lag     p99 %.1f us from due to sent\n",
                                quantile_us(&summary->lag_ns, 0.99));
    }
    (void)fil_writer_format(writer, "errors      %" PRIu64 "\n", summary->error_count);
    (void)fil_writer_format(writer, "misses      %" PRIu64 "\n", summary->miss_count);
    if (summary->unsent_count > 0) {
        (void)fil_writer_format(writer, "never sent  %" PRIu64 ": the rate was not held\n",
                                summary->unsent_count);
    }
    (void)fil_writer_format(writer, "bytes       %s sent, %s received\n",
                            fil_units_human_size(summary->sent_bytes, sent),
                            fil_units_human_size(summary->received_bytes, received));
    (void)fil_writer_format(writer, "own cpu     %.0f ns/op\n",
                            per_operation(summary, summary->cpu_ns));
}

static void write_string(struct fil_writer *writer, const char *text)
{
    (void)fil_writer_u8(writer, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            (void)fil_writer_u8(writer, '\\');
        }
        (void)fil_writer_u8(writer, (uint8_t)*text); // only what can be printed is kept of errors
    }
    (void)fil_writer_u8(writer, '"');
}

static void write_options(const struct load_measure_options *options, struct fil_writer *writer)
{
    const struct load_requests_options *requests = &options->requests;
    char address[FIL_ADDRESS_TEXT_MAX];
    (void)fil_writer_format(writer, "  \"address\": \"%s\",\n",
                            fil_address_format(&options->address, address));
    (void)fil_writer_format(writer, "  \"protocol\": \"%s\",\n  \"command\": \"%s\",\n",
                            load_requests_protocol(requests)->name,
                            load_command_name(requests->command));
    (void)fil_writer_format(writer,
                            "  \"connections\": %" PRIu32 ",\n  \"pipeline\": %" PRIu32
                            ",\n  \"threads\": %" PRIu32 ",\n",
                            options->connection_count, requests->pipeline, options->thread_count);
    (void)fil_writer_format(writer,
                            "  \"keys\": %" PRIu64 ",\n  \"key_size\": %" PRIu32
                            ",\n  \"value_size\": %" PRIu32 ",\n  \"batch\": %" PRIu32 ",\n",
                            requests->key_count, requests->key_size, requests->value_size,
                            load_requests_key_batch(requests));
    (void)fil_writer_format(writer, "  \"distribution\": \"%s\",\n  \"rate\": %.6g,\n",
                            distributions[requests->distribution], options->rate);
}

static void write_counts(const struct load_measure_summary *summary, struct fil_writer *writer)
{
    (void)fil_writer_format(writer,
                            "  \"errors\": %" PRIu64 ",\n  \"misses\": %" PRIu64
                            ",\n  \"unsent\": %" PRIu64 ",\n",
                            summary->error_count, summary->miss_count, summary->unsent_count);
    (void)fil_writer_format(writer,
                            "  \"in_time\": %" PRIu64 ",\n  \"late\": %" PRIu64
                            ",\n  \"refused\": %" PRIu64 ",\n  \"lost\": %" PRIu64 ",\n",
                            good_count(summary), summary->late_count, summary->refused_count,
                            summary->lost_count);
    (void)fil_writer_format(
        writer,
        "  \"refused_us\": {\"p50\": %.1f, \"p99\": %.1f},\n  \"lag_us\": {\"p99\": %.1f},\n",
        quantile_us(&summary->refused_ns, 0.5), quantile_us(&summary->refused_ns, 0.99),
        quantile_us(&summary->lag_ns, 0.99));
    (void)fil_writer_text(writer, "  \"first_error\": ");
    write_string(writer, summary->error_text);
    (void)fil_writer_format(writer,
                            ",\n  \"sent_bytes\": %" PRIu64 ",\n  \"received_bytes\": %" PRIu64
                            ",\n  \"cpu_ns_per_op\": %.1f\n",
                            summary->sent_bytes, summary->received_bytes,
                            per_operation(summary, summary->cpu_ns));
}

void load_measure_report_json(const struct load_measure_options *options,
                              const struct load_measure_summary *summary, struct fil_writer *writer)
{
    (void)fil_writer_text(writer, "{\n");
    write_options(options, writer);
    (void)fil_writer_format(writer,
                            "  \"requests\": %" PRIu64 ",\n  \"seconds\": %.6f,\n"
                            "  \"ops_per_s\": %.1f,\n  \"latency_us\": {",
                            summary->reply_count, (double)summary->elapsed_ns / NS_PER_S,
                            per_second(summary, summary->reply_count));
    for (size_t i = 0; i < FIL_COUNT_OF(quantiles); i++) {
        (void)fil_writer_format(writer, "%s\"%s\": %.1f", i == 0 ? "" : ", ", quantiles[i].name,
                                latency_us(summary, &quantiles[i]));
    }
    (void)fil_writer_text(writer, "},\n");
    write_counts(summary, writer);
    (void)fil_writer_text(writer, "}\n");
}

static double ratio(double first, double second)
{
    return second > 0 ? first / second : 0;
}

static void write_row(struct fil_writer *writer, const char *name, double first, double second)
{
    (void)fil_writer_format(writer, "%-12s %22.1f %22.1f %8.2f\n", name, first, second,
                            ratio(first, second));
}

static void write_ratio_table(const char *first, const char *second,
                              const struct load_measure_summary *summaries,
                              struct fil_writer *writer)
{
    (void)fil_writer_format(writer, "%-12s %22s %22s %8s\n", "", first, second, "ratio");
    write_row(writer, "ops/s", per_second(&summaries[0], summaries[0].reply_count),
              per_second(&summaries[1], summaries[1].reply_count));
    for (size_t i = 0; i < FIL_COUNT_OF(quantiles); i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "%s us", quantiles[i].title);
        write_row(writer, name, latency_us(&summaries[0], &quantiles[i]),
                  latency_us(&summaries[1], &quantiles[i]));
    }
    write_row(writer, "own cpu ns", per_operation(&summaries[0], summaries[0].cpu_ns),
              per_operation(&summaries[1], summaries[1].cpu_ns));
}

static void write_server(const char *name, const struct load_measure_summary *summary,
                         struct fil_writer *writer)
{
    (void)fil_writer_format(writer, "  {\"address\": \"%s\", \"ops_per_s\": %.1f", name,
                            per_second(summary, summary->reply_count));
    for (size_t i = 0; i < FIL_COUNT_OF(quantiles); i++) {
        (void)fil_writer_format(writer, ", \"%s_us\": %.1f", quantiles[i].name,
                                latency_us(summary, &quantiles[i]));
    }
    (void)fil_writer_format(writer, ", \"cpu_ns_per_op\": %.1f}",
                            per_operation(summary, summary->cpu_ns));
}

void load_measure_report_ratios(const char *first, const char *second,
                                const struct load_measure_summary *summaries, bool is_json,
                                struct fil_writer *writer)
{
    if (!is_json) {
        write_ratio_table(first, second, summaries, writer);
        return;
    }
    (void)fil_writer_text(writer, "{\"servers\": [\n");
    write_server(first, &summaries[0], writer);
    (void)fil_writer_text(writer, ",\n");
    write_server(second, &summaries[1], writer);
    (void)fil_writer_format(
        writer, "],\n  \"ops_ratio\": %.4f, \"p50_ratio\": %.4f, \"p99_ratio\": %.4f}\n",
        ratio(per_second(&summaries[0], summaries[0].reply_count),
              per_second(&summaries[1], summaries[1].reply_count)),
        ratio(latency_us(&summaries[0], &quantiles[0]), latency_us(&summaries[1], &quantiles[0])),
        ratio(latency_us(&summaries[0], &quantiles[2]), latency_us(&summaries[1], &quantiles[2])));
}
