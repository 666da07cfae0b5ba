// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/utf8.h"
#include "lib/conf/yaml_internal.h"

struct cure {
    const char *problem; // libyaml's words
    const char *reason;
    bool is_at_start; // whether the place is where the broken thing begins, not where it broke
};

static const struct cure cures[] = {
    {"found unexpected end of stream", "this quote is not closed: close it on the same line", true},
    {"found unexpected document indicator", "this quote is not closed: close it on the same line",
     true},
    {"could not find expected ':'", "this line has no ':': write 'name: value'", true},
    {"mapping values are not allowed in this context",
     "a ':' too many: write one 'name: value' on a line, and put quotes around a value with ': '",
     false},
    {"did not find expected key",
     "this does not fit the lines above: indent all options of a section by the same number of "
     "spaces, and write 'name: value'",
     false},
    {"did not find expected ',' or '}'", "the '{' before it is not closed: add a ',' or a '}'",
     false},
    {"did not find expected ',' or ']'", "the '[' before it is not closed: add a ',' or a ']'",
     false},
    {"did not find expected node content",
     "a value is missing: write one, or put quotes around it if it begins with a special character",
     false},
    {"found character that cannot start any token",
     "a value cannot begin with this character: put quotes around the value", false},
    {"found unknown escape character",
     "unknown escape in double quotes: write \\\\ for a backslash, or use single quotes", false},
    {"block sequence entries are not allowed in this context",
     "a list cannot stand here: write 'name: value' without '- '", false},
    {"found unknown directive name", "unknown directive: remove the line that begins with '%'",
     true},
    {"found incompatible YAML document", "unknown YAML version: remove the line with '%YAML'",
     false},
    {"did not find expected <document start>",
     "nothing may follow here: write all options in one document, without '%' lines inside", false},
};

/** Line and column of a byte. */
static void locate(struct fil_bytes text, size_t offset, struct fil_yaml_fault *out_fault)
{
    fil_assert(offset <= text.size);
    out_fault->line = 1;
    out_fault->column = 1;
    for (size_t i = 0; i < offset; i++) {
        bool is_continuation = (text.data[i] & 0xC0) == 0x80;
        if (text.data[i] == '\n') {
            out_fault->line++;
            out_fault->column = 1;
        } else if (!is_continuation) {
            out_fault->column++;
        }
    }
}

static bool is_allowed(uint32_t code)
{
    // These are controls, but YAML reads them: tab, line breaks, and the odd breaks of YAML 1.1.
    bool is_break = code == '\t' || code == '\n' || code == '\r' || code == 0x85 ||
                    code == 0x2028 || code == 0x2029;
    return is_break || fil_utf8_is_printable(code);
}

bool fil_yaml__find_bad_character(struct fil_bytes text, struct fil_yaml_fault *out_fault)
{
    for (size_t at = 0; at < text.size;) {
        uint32_t code = 0;
        size_t size = fil_utf8_decode(fil_bytes_make(text.data + at, text.size - at), &code);
        if (size > 0 && is_allowed(code)) {
            at += size;
            continue;
        }
        locate(text, at, out_fault);
        if (size == 0) {
            (void)snprintf(out_fault->reason, sizeof(out_fault->reason),
                           "the byte 0x%02X is not UTF-8: save the file as UTF-8", text.data[at]);
        } else {
            (void)snprintf(out_fault->reason, sizeof(out_fault->reason),
                           "the control character U+%04" PRIX32 " is not allowed: remove it", code);
        }
        return true;
    }
    return false;
}

/** libyaml counts characters; the text is known to be UTF-8. */
static size_t offset_of(struct fil_bytes text, size_t character_index)
{
    size_t count = 0;
    size_t offset = 0;
    while (offset < text.size) {
        bool is_continuation = (text.data[offset] & 0xC0) == 0x80;
        if (!is_continuation && count == character_index) {
            return offset;
        }
        count += is_continuation ? 0 : 1;
        offset++;
    }
    return offset;
}

/** Finds a tab in the white space at the mark or before the first word of its line. */
static bool find_tab(struct fil_bytes text, const yaml_mark_t *mark, size_t *out_offset)
{
    size_t here = offset_of(text, mark->index);
    size_t start = here;
    while (start > 0 && text.data[start - 1] != '\n' && text.data[start - 1] != '\r') {
        start--;
    }
    for (size_t i = start; i < text.size && (text.data[i] == ' ' || text.data[i] == '\t'); i++) {
        if (text.data[i] == '\t') {
            *out_offset = i;
            return true;
        }
    }
    *out_offset = here;
    return here < text.size && text.data[here] == '\t';
}

static const struct cure *find_cure(const char *problem)
{
    for (size_t i = 0; i < FIL_COUNT_OF(cures); i++) {
        if (strcmp(cures[i].problem, problem) == 0) {
            return &cures[i];
        }
    }
    return NULL;
}

void fil_yaml__explain(const yaml_parser_t *parser, struct fil_bytes text,
                       struct fil_yaml_fault *out_fault)
{
    fil_assert(parser->error != YAML_NO_ERROR);
    size_t tab = 0;
    if (find_tab(text, &parser->problem_mark, &tab)) {
        locate(text, tab, out_fault);
        (void)snprintf(out_fault->reason, sizeof(out_fault->reason),
                       "a tab cannot stand here: use spaces");
        return;
    }
    const char *problem = parser->problem == NULL ? "unknown problem" : parser->problem;
    const struct cure *cure = find_cure(problem);
    bool is_at_start = cure != NULL && cure->is_at_start && parser->context != NULL;
    const yaml_mark_t *mark = is_at_start ? &parser->context_mark : &parser->problem_mark;
    out_fault->line = mark->line + 1;
    out_fault->column = mark->column + 1;
    if (cure != NULL) {
        (void)snprintf(out_fault->reason, sizeof(out_fault->reason), "%s", cure->reason);
    } else {
        (void)snprintf(out_fault->reason, sizeof(out_fault->reason),
                       "not valid YAML (%s): check the indentation and the quotes here", problem);
    }
}
