// SPDX-License-Identifier: Apache-2.0
/** What the commands that talk to a member share: flags, the connection, how values are shown. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "filbert/client.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/writer.h"

#define REMOTE_WORDS_MAX 8

/** The flags of such a command, and its words. */
struct remote_flags {
    const char *address;
    const char *cluster;
    const char *key_type; // NULL: a text
    const char *type;     // of the value, likewise
    uint64_t ttl_ns;      // 0: none
    uint64_t timeout_ns;  // 0: the default
    bool is_json;
    const char *words[REMOTE_WORDS_MAX];
    int word_count;
};

/** Reads flags and words from words[1] on; false after a message. `command` is for messages. */
bool remote_take_flags(struct remote_flags *flags, const char *command, int count, char **words);

/** Connects; false after a message that says what to do. */
bool remote_connect(const struct remote_flags *flags, struct fil_client **out_client);

/** Nobody answered: says how to get somebody who does. */
void remote_advise(const struct remote_flags *flags);

/** The word as a value of the named type; false after a message. */
bool remote_parse_value(const char *type, const char *word, struct fil_value *out_value);

/** The value as people read it: texts as they are, bytes in hexadecimal. */
void remote_print_value(const struct fil_value *value);

/** The value as JSON: what is neither text nor number is a text of hexadecimal digits. */
void remote_print_json(const struct fil_value *value);

/** Tells why a call has failed; returns the exit code. */
int remote_complain(struct fil_client *client, const char *what, int error);

struct remote_request {
    const char *method;
    const char *path; // with its query, encoded
    struct fil_bytes body;
    const char *header; // of the answer, that is wanted; NULL: none
};

struct remote_answer {
    int status;
    char *body; // ends with a 0 byte that is not counted; freed with fil_free
    size_t size;
    char header[64];
};

/** A request over HTTP. False after a message when nobody answers. */
bool remote_http(const struct remote_flags *flags, const struct remote_request *request,
                 struct remote_answer *out_answer);

/** A GET over HTTP; the body is freed with fil_free. False after a message. */
bool remote_http_get(const struct remote_flags *flags, const char *path, char **out_body);
