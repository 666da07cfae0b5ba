// SPDX-License-Identifier: Apache-2.0
/** Which part of a file is answered, if any: conditions and ranges of RFC 9110. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/service/files_internal.h"
#include "lib/http/date.h"
#include "lib/http/status.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define ETAG_MAX      48U

struct type {
    const char *ending;
    const char *type;
};

static const struct type types[] = {
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".json", "application/json"},
    {".txt", "text/plain; charset=utf-8"},
    {".md", "text/markdown; charset=utf-8"},
    {".csv", "text/csv; charset=utf-8"},
    {".xml", "application/xml"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".jpeg", "image/jpeg"},
    {".gif", "image/gif"},
    {".webp", "image/webp"},
    {".ico", "image/x-icon"},
    {".pdf", "application/pdf"},
    {".wasm", "application/wasm"},
    {".woff2", "font/woff2"},
    {".mp4", "video/mp4"},
    {".webm", "video/webm"},
    {".gz", "application/gzip"},
    {".zip", "application/zip"},
};

static const char *type_of(const char *path)
{
    size_t size = strlen(path);
    for (size_t i = 0; i < FIL_COUNT_OF(types); i++) {
        size_t ending = strlen(types[i].ending);
        if (size > ending && strcmp(path + size - ending, types[i].ending) == 0) {
            return types[i].type;
        }
    }
    return "application/octet-stream";
}

/** What the file's state is called. */
struct validators {
    char etag[ETAG_MAX];
    uint64_t changed_seconds;
};

static struct validators validators_of(const struct fil_file_facts *facts)
{
    struct validators validators = {.changed_seconds = facts->changed_ns / NS_PER_SECOND};
    (void)snprintf(validators.etag, sizeof(validators.etag), "\"%" PRIx64 "-%" PRIx64 "\"",
                   facts->changed_ns, facts->size);
    return validators;
}

static const struct fil_http_header *find(struct fil_request *request, const char *name)
{
    return fil_request_find_header(request, name);
}

/** Whether the header's date is not before the file's; what is no date is as if it were not sent.
 */
static bool is_unchanged_since(const struct fil_http_header *header,
                               const struct validators *validators, bool fallback)
{
    uint64_t seconds = 0;
    if (header == NULL || !fil_http_date_read(header->value, &seconds)) {
        return fallback;
    }
    return validators->changed_seconds <= seconds;
}

/** If-Match, or If-Unmodified-Since without it. */
static bool is_as_expected(struct fil_request *request, const struct validators *validators)
{
    const struct fil_http_header *match = find(request, "If-Match");
    if (match != NULL) {
        return fil_http_etags_match(match->value, fil_bytes_of(validators->etag), true);
    }
    return is_unchanged_since(find(request, "If-Unmodified-Since"), validators, true);
}

/** If-None-Match, or If-Modified-Since without it. */
static bool is_known(struct fil_request *request, const struct validators *validators)
{
    const struct fil_http_header *none = find(request, "If-None-Match");
    if (none != NULL) {
        return fil_http_etags_match(none->value, fil_bytes_of(validators->etag), false);
    }
    return is_unchanged_since(find(request, "If-Modified-Since"), validators, false);
}

/** Whether a part is of use to one that has another: If-Range names what it has. */
static bool is_part_of_use(struct fil_request *request, const struct validators *validators)
{
    const struct fil_http_header *header = find(request, "If-Range");
    uint64_t seconds = 0;
    if (header == NULL) {
        return true;
    }
    if (fil_http_date_read(header->value, &seconds)) {
        return seconds == validators->changed_seconds;
    }
    return !fil_bytes_equal_text(header->value, "*") &&
           fil_http_etags_match(header->value, fil_bytes_of(validators->etag), true);
}

static void add_content_range(struct fil_request *request, const struct fil_files_answer *answer)
{
    char text[80];
    if (answer->status == FIL_HTTP_STATUS_RANGE_NOT_SATISFIABLE) {
        (void)snprintf(text, sizeof(text), "bytes */%" PRIu64, answer->facts.size);
    } else {
        (void)snprintf(text, sizeof(text), "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64,
                       answer->part.offset, answer->part.offset + answer->part.size - 1,
                       answer->facts.size);
    }
    // Without memory for headers there is none for the answer either.
    (void)fil_reply_header(request, "Content-Range", text);
}

static void choose_part(struct fil_request *request, const struct validators *validators,
                        struct fil_files_answer *answer)
{
    const struct fil_http_header *header = find(request, "Range");
    struct fil_http_range part;
    answer->status = FIL_HTTP_STATUS_OK;
    answer->part = (struct fil_http_range){.size = answer->facts.size};
    if (header == NULL || !is_part_of_use(request, validators)) {
        return;
    }
    enum fil_http_range_verdict verdict =
        fil_http_range_read(header->value, answer->facts.size, &part);
    if (verdict == FIL_HTTP_RANGE_WHOLE) {
        return;
    }
    bool is_part = verdict == FIL_HTTP_RANGE_PART;
    answer->status =
        is_part ? FIL_HTTP_STATUS_PARTIAL_CONTENT : FIL_HTTP_STATUS_RANGE_NOT_SATISFIABLE;
    answer->part = is_part ? part : (struct fil_http_range){0};
    add_content_range(request, answer);
}

static void add_headers(struct fil_request *request, const struct validators *validators)
{
    char date[FIL_HTTP_DATE_TEXT_MAX];
    (void)fil_http_date_format(validators->changed_seconds * NS_PER_SECOND, date);
    // As above: without memory for them there is none for the answer.
    (void)fil_reply_header(request, "ETag", validators->etag);
    (void)fil_reply_header(request, "Last-Modified", date);
    fil_request_add_header(request, "Accept-Ranges", "bytes");
    fil_request_add_header(request, "X-Content-Type-Options", "nosniff");
}

void fil_files__decide(struct fil_request *request, const char *path,
                       struct fil_files_answer *answer)
{
    struct validators validators = validators_of(&answer->facts);
    answer->type = type_of(path);
    add_headers(request, &validators);
    if (!is_as_expected(request, &validators)) {
        answer->status = FIL_HTTP_STATUS_PRECONDITION_FAILED;
    } else if (is_known(request, &validators)) {
        answer->status = FIL_HTTP_STATUS_NOT_MODIFIED;
    } else {
        choose_part(request, &validators, answer);
    }
}
