// SPDX-License-Identifier: Apache-2.0
#include "lib/metric/labels.h"

#include <stdbool.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/utf8.h"

static bool is_name(const char *name)
{
    if (name == NULL || name[0] < 'a' || name[0] > 'z') {
        return false;
    }
    size_t size = strnlen(name, FIL_METRIC_LABEL_NAME_MAX + 1);
    for (size_t i = 0; i < size; i++) {
        bool is_letter = name[i] >= 'a' && name[i] <= 'z';
        bool is_digit = name[i] >= '0' && name[i] <= '9';
        if (!is_letter && !is_digit && name[i] != '_') {
            return false;
        }
    }
    return size <= FIL_METRIC_LABEL_NAME_MAX;
}

static bool is_utf8(struct fil_bytes text)
{
    size_t size = 0;
    for (size_t at = 0; at < text.size; at += size) {
        uint32_t code = 0;
        size = fil_utf8_decode(fil_bytes_make(text.data + at, text.size - at), &code);
        if (size == 0) {
            return false;
        }
    }
    return true;
}

static const char *label_problem(struct fil_metric_label label)
{
    if (!is_name(label.name)) {
        return "a label's name is at most 32 small letters, digits and underscores, a letter first";
    }
    if (strcmp(label.name, "le") == 0 || strcmp(label.name, "quantile") == 0) {
        return "the labels le and quantile are kept for histograms";
    }
    // To Prometheus an empty value is the same as no label at all.
    if (label.value == NULL || label.value[0] == '\0' ||
        strnlen(label.value, FIL_METRIC_LABEL_VALUE_MAX + 1) > FIL_METRIC_LABEL_VALUE_MAX) {
        return "a label has a value of 1 to 256 bytes";
    }
    return is_utf8(fil_bytes_of(label.value)) ? NULL : "a label's value is UTF-8 text";
}

const char *fil_metric_labels_problem(struct fil_metric_labels labels)
{
    if (labels.count > FIL_METRIC_LABELS_MAX) {
        return "a series has at most 8 labels";
    }
    for (uint32_t i = 0; i < labels.count; i++) {
        const char *problem = label_problem(labels.items[i]);
        if (problem != NULL) {
            return problem;
        }
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(labels.items[i].name, labels.items[j].name) == 0) {
                return "a series has each label once";
            }
        }
    }
    return NULL;
}

static void write_value(struct fil_writer *writer, const char *value)
{
    for (; *value != '\0'; value++) {
        switch (*value) {
        case '\\':
            fil_writer_text(writer, "\\\\");
            break;
        case '"':
            fil_writer_text(writer, "\\\"");
            break;
        case '\n':
            fil_writer_text(writer, "\\n");
            break;
        default:
            fil_writer_u8(writer, (uint8_t)*value);
            break;
        }
    }
}

/** The label that comes right after the given name in sorted order; NULL behind the last. */
static const struct fil_metric_label *find_next(struct fil_metric_labels labels, const char *name)
{
    const struct fil_metric_label *next = NULL;
    for (uint32_t i = 0; i < labels.count; i++) {
        const struct fil_metric_label *label = &labels.items[i];
        bool is_behind = strcmp(label->name, name) > 0;
        if (is_behind && (next == NULL || strcmp(label->name, next->name) < 0)) {
            next = label;
        }
    }
    return next;
}

void fil_metric_labels_format(struct fil_writer *writer, struct fil_metric_labels labels)
{
    fil_debug_assert(fil_metric_labels_problem(labels) == NULL);
    const struct fil_metric_label *label = find_next(labels, "");
    const char *separator = "";
    while (label != NULL) {
        fil_writer_text(writer, separator);
        fil_writer_text(writer, label->name);
        fil_writer_text(writer, "=\"");
        write_value(writer, label->value);
        fil_writer_text(writer, "\"");
        separator = ",";
        label = find_next(labels, label->name);
    }
}
