// SPDX-License-Identifier: Apache-2.0
/** What the figures mean for this machine, in one sentence. */
#include <math.h>

#include "filbert/error.h"
#include "report.h"

#define GAIN_MIN 1.10 // less is noise, or not worth a setting
#define LOSS_MIN 0.95 // no load may lose more than this leaves

/** The setting's figure by the defaults' one, as a geometric mean over the loads. */
static double compare(const struct lab_result *result, const struct lab_result *defaults,
                      enum lab_figure_id figure)
{
    double product = 1;
    for (uint32_t i = 0; i < LAB_CASE_COUNT; i++) {
        double base = lab_result_median(defaults, (enum lab_case_id)i, figure);
        product *= base > 0 ? lab_result_median(result, (enum lab_case_id)i, figure) / base : 1;
    }
    return cbrt(product);
}

/** Whether it is better by enough and by more than chance, and no load suffers. */
static bool is_better(const struct lab_result *result, const struct lab_result *defaults)
{
    bool is_beyond_spread = false;
    for (uint32_t i = 0; i < LAB_CASE_COUNT; i++) {
        struct lab_summary base = lab_series_summary(&defaults->series[i], LAB_FIGURE_THROUGHPUT);
        struct lab_summary mine = lab_series_summary(&result->series[i], LAB_FIGURE_THROUGHPUT);
        if (mine.median < base.median * LOSS_MIN) {
            return false;
        }
        is_beyond_spread |= mine.low > base.high;
    }
    return is_beyond_spread && compare(result, defaults, LAB_FIGURE_THROUGHPUT) > GAIN_MIN;
}

/** The best setting that a user can choose with options alone; NULL: the defaults are. */
static const struct lab_result *find_best(const struct lab_report *report,
                                          const struct lab_result *defaults)
{
    const struct lab_result *best = NULL;
    double best_gain = 0;
    for (uint32_t i = 0; i < report->count; i++) {
        const struct lab_result *result = &report->results[i];
        const struct lab_setting *setting = result->setting;
        if (result->error != FIL_OK || result == defaults || setting->kind != LAB_KIND_KERNEL ||
            setting->place != LAB_PLACE_APART || !is_better(result, defaults)) {
            continue;
        }
        double gain = compare(result, defaults, LAB_FIGURE_THROUGHPUT);
        if (gain > best_gain) {
            best = result;
            best_gain = gain;
        }
    }
    return best;
}

static void advise_setting(struct fil_writer *writer, const struct lab_result *best,
                           const struct lab_result *defaults)
{
    (void)fil_writer_format(
        writer,
        "On this machine set %s: over the three loads it does %.2f times the operations of the "
        "defaults, for %.2f times the processor time each.",
        best->setting->options, compare(best, defaults, LAB_FIGURE_THROUGHPUT),
        compare(best, defaults, LAB_FIGURE_CPU));
}

static void advise_defaults(struct fil_writer *writer, const struct lab_report *report,
                            const struct lab_result *defaults)
{
    const struct lab_result *textbook = lab_report_find(report, "textbook");
    const struct lab_result *loop = lab_report_find(report, "loop");
    double ops = lab_result_median(defaults, LAB_CASE_PIPELINED, LAB_FIGURE_THROUGHPUT);
    (void)fil_writer_text(writer, "On this machine keep the defaults: no option of those tried "
                                  "gains 10 % over the three loads");
    if (textbook != NULL) {
        (void)fil_writer_format(
            writer, ", and at pipeline 16 they do %.1f times what all switches off do",
            ops / lab_result_median(textbook, LAB_CASE_PIPELINED, LAB_FIGURE_THROUGHPUT));
    }
    if (loop != NULL) {
        (void)fil_writer_format(
            writer, " and %.2f times what one event loop without partitions does",
            ops / lab_result_median(loop, LAB_CASE_PIPELINED, LAB_FIGURE_THROUGHPUT));
    }
    (void)fil_writer_text(writer, ".");
}

void lab_report_advise(const struct lab_report *report, struct fil_writer *writer)
{
    const struct lab_result *defaults = lab_report_find(report, "defaults");
    if (defaults == NULL) {
        (void)fil_writer_text(writer,
                              "There is no advice without the defaults among the settings.");
        return;
    }
    const struct lab_result *best = find_best(report, defaults);
    if (best != NULL) {
        advise_setting(writer, best, defaults);
    } else {
        advise_defaults(writer, report, defaults);
    }
}
