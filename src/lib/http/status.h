// SPDX-License-Identifier: Apache-2.0
/** Status codes of responses: one table gives the names and the phrases. */
#pragma once

#include <stdbool.h>

#define FIL_HTTP_STATUS_MIN 100
#define FIL_HTTP_STATUS_MAX 599

// X(name, code, phrase)
// clang-format off
#define FIL_HTTP_STATUSES(X) \
    X(CONTINUE,               100, "Continue") \
    X(SWITCHING_PROTOCOLS,    101, "Switching Protocols") \
    X(OK,                     200, "OK") \
    X(CREATED,                201, "Created") \
    X(ACCEPTED,               202, "Accepted") \
    X(NO_CONTENT,             204, "No Content") \
    X(PARTIAL_CONTENT,        206, "Partial Content") \
    X(MOVED_PERMANENTLY,      301, "Moved Permanently") \
    X(FOUND,                  302, "Found") \
    X(SEE_OTHER,              303, "See Other") \
    X(NOT_MODIFIED,           304, "Not Modified") \
    X(TEMPORARY_REDIRECT,     307, "Temporary Redirect") \
    X(PERMANENT_REDIRECT,     308, "Permanent Redirect") \
    X(BAD_REQUEST,            400, "Bad Request") \
    X(UNAUTHORIZED,           401, "Unauthorized") \
    X(FORBIDDEN,              403, "Forbidden") \
    X(NOT_FOUND,              404, "Not Found") \
    X(METHOD_NOT_ALLOWED,     405, "Method Not Allowed") \
    X(NOT_ACCEPTABLE,         406, "Not Acceptable") \
    X(REQUEST_TIMEOUT,        408, "Request Timeout") \
    X(CONFLICT,               409, "Conflict") \
    X(GONE,                   410, "Gone") \
    X(LENGTH_REQUIRED,        411, "Length Required") \
    X(PRECONDITION_FAILED,    412, "Precondition Failed") \
    X(CONTENT_TOO_LARGE,      413, "Content Too Large") \
    X(URI_TOO_LONG,           414, "URI Too Long") \
    X(UNSUPPORTED_MEDIA_TYPE, 415, "Unsupported Media Type") \
    X(RANGE_NOT_SATISFIABLE,  416, "Range Not Satisfiable") \
    X(EXPECTATION_FAILED,     417, "Expectation Failed") \
    X(MISDIRECTED_REQUEST,    421, "Misdirected Request") \
    X(UNPROCESSABLE_CONTENT,  422, "Unprocessable Content") \
    X(UPGRADE_REQUIRED,       426, "Upgrade Required") \
    X(PRECONDITION_REQUIRED,  428, "Precondition Required") \
    X(TOO_MANY_REQUESTS,      429, "Too Many Requests") \
    X(HEADERS_TOO_LARGE,      431, "Request Header Fields Too Large") \
    X(INTERNAL_SERVER_ERROR,  500, "Internal Server Error") \
    X(NOT_IMPLEMENTED,        501, "Not Implemented") \
    X(BAD_GATEWAY,            502, "Bad Gateway") \
    X(SERVICE_UNAVAILABLE,    503, "Service Unavailable") \
    X(GATEWAY_TIMEOUT,        504, "Gateway Timeout") \
    X(VERSION_NOT_SUPPORTED,  505, "HTTP Version Not Supported") \
    X(INSUFFICIENT_STORAGE,   507, "Insufficient Storage")
// clang-format on

enum fil_http_status {
#define FIL_HTTP_STATUS_CODE(name, code, phrase) FIL_HTTP_STATUS_##name = (code),
    FIL_HTTP_STATUSES(FIL_HTTP_STATUS_CODE)
#undef FIL_HTTP_STATUS_CODE
};

/** "Not Found"; "Status" for a code that the table does not know. */
const char *fil_http_status_phrase(int status);

/** Whether an answer with this status may carry a body: not 1xx, 204, 304. */
bool fil_http_status_has_body(int status);
