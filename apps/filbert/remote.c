// SPDX-License-Identifier: Apache-2.0
#include "remote.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/bytes.h"
#include "lib/base/units.h"
#include "lib/os/process.h"

#define NS_PER_MS       UINT64_C(1000000)
#define CONNECT_MS      UINT64_C(1000)
#define DEFAULT_ADDRESS "127.0.0.1:5701"

static bool take_time(const char *flag, const char *text, uint64_t *out_ns)
{
    if (fil_units_parse_duration(fil_bytes_of(text), out_ns, NULL) == FIL_OK && *out_ns > 0) {
        return true;
    }
    (void)fprintf(stderr, "filbert: %s takes a time, as in 500ms, 10s or 5m, not '%s'\n", flag,
                  text);
    return false;
}

static bool take_output(struct remote_flags *flags, const char *text)
{
    flags->is_json = strcmp(text, "json") == 0;
    if (flags->is_json || strcmp(text, "text") == 0) {
        return true;
    }
    (void)fprintf(stderr, "filbert: -o takes text or json, not '%s'\n", text);
    return false;
}

/** Takes a flag with its value: 1, 0 when it is none, -1 after a message. */
static int take_flag(struct remote_flags *flags, const char *flag, const char *value)
{
    const struct {
        const char *name;
        const char **out;
    } texts[] = {{"--address", &flags->address},
                 {"--cluster", &flags->cluster},
                 {"--key-type", &flags->key_type},
                 {"--type", &flags->type}};
    for (size_t i = 0; i < FIL_COUNT_OF(texts); i++) {
        if (strcmp(texts[i].name, flag) == 0) {
            *texts[i].out = value;
            return 1;
        }
    }
    if (strcmp(flag, "-o") == 0 || strcmp(flag, "--output") == 0) {
        return take_output(flags, value) ? 1 : -1;
    }
    if (strcmp(flag, "--ttl") == 0) {
        return take_time(flag, value, &flags->ttl_ns) ? 1 : -1;
    }
    if (strcmp(flag, "--timeout") == 0) {
        return take_time(flag, value, &flags->timeout_ns) ? 1 : -1;
    }
    return 0;
}

/** Whether the word is a flag; "--" makes plain words of all that follow. */
static bool is_flag(const char *word, bool is_plain)
{
    bool is_number = word[0] == '-' && word[1] >= '0' && word[1] <= '9';
    return !is_plain && word[0] == '-' && word[1] != '\0' && !is_number;
}

static bool take_word(struct remote_flags *flags, const char *command, const char *word)
{
    if (flags->word_count == REMOTE_WORDS_MAX) {
        (void)fprintf(stderr, "filbert: '%s' is too much: see filbert help %s\n", word, command);
        return false;
    }
    flags->words[flags->word_count] = word;
    flags->word_count++;
    return true;
}

bool remote_take_flags(struct remote_flags *flags, const char *command, int count, char **words)
{
    bool is_plain = false;
    const char *address = fil_process_variable("FILBERT_ADDRESS");
    *flags = (struct remote_flags){.address = address == NULL ? DEFAULT_ADDRESS : address};
    for (int i = 1; i < count; i++) {
        if (!is_plain && strcmp(words[i], "--") == 0) {
            is_plain = true;
        } else if (!is_flag(words[i], is_plain)) {
            if (!take_word(flags, command, words[i])) {
                return false;
            }
        } else {
            int taken = i + 1 == count ? 0 : take_flag(flags, words[i], words[i + 1]);
            if (taken == 0) {
                (void)fprintf(stderr,
                              "filbert: '%s' is unknown or needs a value: see filbert help %s\n",
                              words[i], command);
            }
            if (taken <= 0) {
                return false;
            }
            i++;
        }
    }
    return true;
}

/** Nobody answered: says how to get somebody who does. */
void remote_advise(const struct remote_flags *flags)
{
    (void)fprintf(stderr,
                  "  start one there:  %s start --listen %s\n"
                  "  or name another:  --address ADDRESS:PORT, or the variable FILBERT_ADDRESS\n",
                  command_program(), flags->address);
}

bool remote_connect(const struct remote_flags *flags, struct fil_client **out_client)
{
    struct fil_client_options options = {
        .address = flags->address,
        .cluster = flags->cluster,
        .name = "filbert-cli",
        .connect_timeout_ms = flags->timeout_ns == 0 ? CONNECT_MS : flags->timeout_ns / NS_PER_MS,
        .call_timeout_ms = flags->timeout_ns / NS_PER_MS,
    };
    int error = fil_client_connect(out_client, &options);
    if (error == FIL_OK) {
        return true;
    }
    const char *problem = fil_client_connect_problem();
    if (error == FIL_E_UNREACHABLE) {
        (void)fprintf(stderr, "filbert: no member answers at %s (%s)\n", flags->address, problem);
        remote_advise(flags);
    } else if (error == FIL_E_DENIED) {
        (void)fprintf(stderr, "filbert: %s; --cluster names the cluster (now '%s')\n", problem,
                      flags->cluster == NULL ? "dev" : flags->cluster);
    } else {
        (void)fprintf(stderr, "filbert: cannot connect: %s\n",
                      problem[0] == '\0' ? fil_error_text(error) : problem);
    }
    return false;
}

int remote_complain(struct fil_client *client, const char *what, int error)
{
    char problem[256] = "";
    bool is_local = error == FIL_E_NOMEM || error == FIL_E_FULL;
    (void)fil_client_problem(client, problem, sizeof(problem));
    (void)fprintf(stderr, "filbert: %s: %s\n", what,
                  is_local || problem[0] == '\0' ? fil_error_text(error) : problem);
    return EXIT_FAILED;
}

static bool parse_integer(const char *word, int64_t low, int64_t high, int64_t *out_integer)
{
    return fil_bytes_to_i64(fil_bytes_of(word), out_integer) && *out_integer >= low &&
           *out_integer <= high;
}

static bool parse_real(const char *word, double *out_real)
{
    char *end = NULL;
    errno = 0;
    *out_real = strtod(word, &end);
    return end != word && *end == '\0' && errno == 0;
}

bool remote_parse_value(const char *type, const char *word, struct fil_value *out_value)
{
    int64_t integer = 0;
    double real = 0;
    bool is_known = true;
    bool is_right = true;
    if (type == NULL || strcmp(type, "string") == 0) {
        *out_value = fil_str(word);
    } else if (strcmp(type, "json") == 0) {
        *out_value = fil_json(word);
    } else if (strcmp(type, "int") == 0) {
        is_right = parse_integer(word, INT32_MIN, INT32_MAX, &integer);
        *out_value = fil_i32((int32_t)integer);
    } else if (strcmp(type, "long") == 0) {
        is_right = parse_integer(word, INT64_MIN, INT64_MAX, &integer);
        *out_value = fil_i64(integer);
    } else if (strcmp(type, "double") == 0) {
        is_right = parse_real(word, &real);
        *out_value = fil_f64(real);
    } else if (strcmp(type, "bool") == 0) {
        is_right = strcmp(word, "true") == 0 || strcmp(word, "false") == 0;
        *out_value = fil_bool(strcmp(word, "true") == 0);
    } else {
        is_known = false;
    }
    if (!is_known) {
        (void)fprintf(stderr,
                      "filbert: there is no type '%s': string, int, long, double, bool or "
                      "json\n",
                      type);
    } else if (!is_right) {
        (void)fprintf(stderr, "filbert: '%s' is no %s\n", word, type);
    }
    return is_known && is_right;
}

static void print_hex(const struct fil_span *bytes)
{
    const uint8_t *data = bytes->data;
    for (size_t i = 0; i < bytes->size; i++) {
        (void)printf("%02x", data[i]);
    }
}

static void print_scalar(const struct fil_value *value)
{
    if (value->type == FIL_VALUE_NULL) {
        (void)printf("null");
    } else if (value->type == FIL_VALUE_BOOL) {
        (void)printf("%s", value->as.boolean ? "true" : "false");
    } else if (value->type == FIL_VALUE_F32 || value->type == FIL_VALUE_F64) {
        (void)printf("%.17g", value->as.real);
    } else if (value->type == FIL_VALUE_UUID) {
        (void)printf("%016" PRIx64 "%016" PRIx64, value->as.uuid.high, value->as.uuid.low);
    } else {
        (void)printf("%" PRId64, value->as.integer);
    }
}

void remote_print_value(const struct fil_value *value)
{
    if (value->type == FIL_VALUE_STR || value->type == FIL_VALUE_JSON) {
        (void)fwrite(value->as.bytes.data, 1, value->as.bytes.size, stdout);
    } else if (value->type == FIL_VALUE_BLOB || value->type == FIL_VALUE_DATA) {
        print_hex(&value->as.bytes);
    } else {
        print_scalar(value);
    }
}

static void print_quoted(const struct fil_span *text)
{
    const uint8_t *data = text->data;
    (void)putchar('"');
    for (size_t i = 0; i < text->size; i++) {
        if (data[i] == '"' || data[i] == '\\') {
            (void)printf("\\%c", data[i]);
        } else if (data[i] < ' ') {
            (void)printf("\\u%04x", data[i]);
        } else {
            (void)putchar(data[i]);
        }
    }
    (void)putchar('"');
}

void remote_print_json(const struct fil_value *value)
{
    bool is_quoted = value->type == FIL_VALUE_BLOB || value->type == FIL_VALUE_DATA ||
                     value->type == FIL_VALUE_UUID;
    if (value->type == FIL_VALUE_STR) {
        print_quoted(&value->as.bytes);
        return;
    }
    (void)printf("%s", is_quoted ? "\"" : "");
    remote_print_value(value);
    (void)printf("%s", is_quoted ? "\"" : "");
}
