// SPDX-License-Identifier: Apache-2.0
/** filbert job: what a running member is asked, over HTTP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "core/pipeline/job_file.h"
#include "filbert/error.h"
#include "job_command.h"
#include "lib/base/alloc.h"
#include "lib/base/writer.h"
#include "lib/os/env.h"
#include "lib/os/file.h"
#include "lib/os/futex.h"
#include "remote.h"

#define PATH_MAX_BYTES 900U
#define POLL_NS        INT64_C(50000000)
#define END_POLLS      60U // after a cancel: three seconds
#define WATCH_POLLS    20U // between two looks: a second

/** One use of the command. */
struct errand {
    const struct job_words *words;
    struct remote_flags flags;
    char path[PATH_MAX_BYTES];
};

static void nap(void)
{
    _Atomic uint32_t word = 0;
    (void)!fil_futex_wait(&word, 0, POLL_NS);
}

static void write_encoded(struct fil_writer *writer, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
        (void)(is_plain ? fil_writer_u8(writer, c) : fil_writer_format(writer, "%%%02X", c));
    }
}

/** The folder, a name in it and what is behind that; false when it is too long. */
static bool make_path_in(struct errand *errand, const char *folder, const char *name,
                         const char *rest)
{
    struct fil_writer writer;
    fil_writer_init(&writer, errand->path, sizeof(errand->path) - 1);
    (void)fil_writer_text(&writer, folder);
    if (name != NULL) {
        (void)fil_writer_u8(&writer, '/');
        write_encoded(&writer, name);
    }
    (void)fil_writer_text(&writer, rest);
    errand->path[writer.size] = '\0';
    if (writer.is_full) {
        (void)fprintf(stderr, "filbert: the name is too long\n");
    }
    return !writer.is_full;
}

static bool make_path(struct errand *errand, const char *name, const char *rest)
{
    return make_path_in(errand, "/v1/jobs", name, rest);
}

static bool ask(struct errand *errand, const char *method, struct fil_bytes body,
                struct remote_answer *out_answer)
{
    const struct remote_request request = {
        .method = method, .path = errand->path, .body = body, .header = "Filbert-Next"};
    return remote_http(&errand->flags, &request, out_answer);
}

/** Prints what the member says, to people who wait for it or as a complaint. */
static int show(const struct errand *errand, struct remote_answer *answer)
{
    bool is_good = answer->status >= 200 && answer->status < 300;
    if (is_good) {
        (void)fwrite(answer->body, 1, answer->size, stdout);
    } else {
        const char *about = errand->words->path == NULL ? "job" : errand->words->path;
        (void)fprintf(stderr, "filbert: %s: %s", about, answer->body);
    }
    fil_free(answer->body);
    return is_good ? EXIT_OK : EXIT_FAILED;
}

static int ask_and_show(struct errand *errand, const char *method)
{
    struct remote_answer answer;
    bool is_answered = ask(errand, method, fil_bytes_make("", 0), &answer);
    return is_answered ? show(errand, &answer) : EXIT_FAILED;
}

static const char *format_of(const struct errand *errand)
{
    return errand->words->is_json ? "?format=json" : "?format=text";
}

static int run_list(struct errand *errand)
{
    return make_path(errand, NULL, format_of(errand)) ? ask_and_show(errand, "GET") : EXIT_FAILED;
}

static int run_graph(struct errand *errand)
{
    const char *rest = errand->words->is_json ? "/graph?format=json" : "/graph";
    return make_path(errand, errand->words->path, rest) ? ask_and_show(errand, "GET") : EXIT_FAILED;
}

static int run_output(struct errand *errand)
{
    return make_path(errand, errand->words->path, "/output") ? ask_and_show(errand, "GET")
                                                             : EXIT_FAILED;
}

static int run_forget(struct errand *errand)
{
    return make_path(errand, errand->words->path, "?format=text") ? ask_and_show(errand, "DELETE")
                                                                  : EXIT_FAILED;
}

static int run_snapshots(struct errand *errand)
{
    return make_path_in(errand, "/v1/snapshots", NULL, format_of(errand))
               ? ask_and_show(errand, "GET")
               : EXIT_FAILED;
}

static int run_drop(struct errand *errand)
{
    return make_path_in(errand, "/v1/snapshots", errand->words->path, "?format=text")
               ? ask_and_show(errand, "DELETE")
               : EXIT_FAILED;
}

static int post(struct errand *errand, const char *rest)
{
    return make_path(errand, errand->words->path, rest) ? ask_and_show(errand, "POST")
                                                        : EXIT_FAILED;
}

static int run_suspend(struct errand *errand)
{
    return post(errand, "/suspend?format=text");
}

static int run_resume(struct errand *errand)
{
    return post(errand, "/resume?format=text");
}

static int run_restart(struct errand *errand)
{
    return post(errand, "/restart?format=text");
}

static int run_export(struct errand *errand)
{
    char rest[PATH_MAX_BYTES / 2] = "";
    struct fil_writer writer;
    fil_writer_init(&writer, rest, sizeof(rest) - 1);
    (void)fil_writer_text(&writer, "/export?format=text&snapshot=");
    write_encoded(&writer, errand->words->second);
    return post(errand, rest);
}

/** What the member says of a job's state; "" when it does not know the job. */
static bool read_state(struct errand *errand, const char *name, char *out_state, size_t size)
{
    struct remote_answer answer;
    if (!make_path(errand, name, "") || !ask(errand, "GET", fil_bytes_make("", 0), &answer)) {
        return false;
    }
    const char *mark = "\"state\":\"";
    const char *from = answer.status == 200 ? strstr(answer.body, mark) : NULL;
    out_state[0] = '\0';
    if (from != NULL) {
        from += strlen(mark);
        (void)snprintf(out_state, size, "%.*s", (int)strcspn(from, "\""), from);
    }
    fil_free(answer.body);
    return true;
}

static bool is_live(const char *state)
{
    return strcmp(state, "starting") == 0 || strcmp(state, "running") == 0;
}

static int show_status(struct errand *errand)
{
    return make_path(errand, errand->words->path, format_of(errand)) ? ask_and_show(errand, "GET")
                                                                     : EXIT_FAILED;
}

/** Once, or again and again until the job does not run any more. */
static int run_status(struct errand *errand)
{
    int code = show_status(errand);
    char state[32] = "running";
    while (errand->words->is_watched && code == EXIT_OK) {
        for (uint32_t i = 0; i < WATCH_POLLS && is_live(state); i++) {
            nap();
            if (!read_state(errand, errand->words->path, state, sizeof(state))) {
                return EXIT_FAILED;
            }
        }
        (void)printf("\n");
        // One that is forgotten at its end, as a light one is, has nothing to tell any more.
        code = state[0] == '\0' ? EXIT_OK : show_status(errand);
        (void)fflush(stdout);
        if (!is_live(state)) {
            break;
        }
    }
    return code;
}

/** Waits a little for the end, and says what the job waits for when it does not come. */
static int run_cancel(struct errand *errand)
{
    int code = post(errand, "/cancel?format=text");
    char state[32] = "running";
    for (uint32_t i = 0; code == EXIT_OK && is_live(state) && i < END_POLLS; i++) {
        nap();
        if (!read_state(errand, errand->words->path, state, sizeof(state))) {
            return EXIT_FAILED;
        }
    }
    if (code == EXIT_OK && is_live(state)) {
        (void)fprintf(stderr, "filbert: the job is asked to end, but is still there:\n");
        (void)show_status(errand);
        return EXIT_FAILED;
    }
    return code;
}

static int submit(struct errand *errand, struct fil_bytes text, struct remote_answer *out_answer)
{
    char rest[PATH_MAX_BYTES / 2] = "";
    struct fil_writer writer;
    fil_writer_init(&writer, rest, sizeof(rest) - 1);
    (void)fil_writer_format(&writer, "?format=text&parallelism=%u&weight=%u%s%s",
                            errand->words->parallelism, errand->words->weight,
                            errand->words->is_new ? "&new" : "",
                            errand->words->is_light ? "&light" : "");
    if (errand->words->start_from != NULL) {
        (void)fil_writer_text(&writer, "&from=");
        write_encoded(&writer, errand->words->start_from);
    }
    if (errand->words->is_package) {
        (void)fil_writer_text(&writer, "&package=");
        write_encoded(&writer, errand->words->path);
    }
    bool is_sent = make_path(errand, NULL, rest) && ask(errand, "POST", text, out_answer);
    return is_sent ? EXIT_OK : EXIT_FAILED;
}

/** Sends the file; *out_name is the job's, to be freed. A fault is told as FILE:LINE:COLUMN. */
static int submit_file(struct errand *errand, char **out_name)
{
    struct fil_env *env = fil_env_real();
    const char *path = errand->words->path;
    char *text = NULL;
    size_t size = 0;
    struct remote_answer answer;
    int error = errand->words->is_package
                    ? FIL_OK
                    : env->ops->file_read(env, path, FIL_JOB_FILE_BYTES_MAX, &text, &size);
    if (error != FIL_OK) {
        return job_complain(path, fil_file_why(error));
    }
    int code = submit(errand, fil_bytes_make(text, size), &answer);
    fil_free(text);
    if (code != EXIT_OK) {
        return code;
    }
    if (answer.status != 201) {
        bool has_place = answer.body[0] >= '0' && answer.body[0] <= '9';
        (void)fprintf(stderr, "%s:%s%s", path, has_place ? "" : " ", answer.body);
        fil_free(answer.body);
        return EXIT_FAILED;
    }
    answer.body[strcspn(answer.body, "\n")] = '\0';
    *out_name = answer.body;
    return EXIT_OK;
}

static int run_submit(struct errand *errand)
{
    char *name = NULL;
    int code = submit_file(errand, &name);
    if (code == EXIT_OK) {
        (void)printf("%s\n", name);
    }
    fil_free(name);
    return code;
}

/** Prints what is new; *place is where the next look begins. */
static bool follow(struct errand *errand, const char *name, char *place, size_t size)
{
    struct remote_answer answer;
    char rest[64];
    (void)snprintf(rest, sizeof(rest), "/output?from=%s", place);
    if (!make_path(errand, name, rest) || !ask(errand, "GET", fil_bytes_make("", 0), &answer)) {
        return false;
    }
    if (answer.status == 200) {
        (void)fwrite(answer.body, 1, answer.size, stdout);
        (void)fflush(stdout);
        (void)snprintf(place, size, "%.*s", (int)size - 1, answer.header);
    }
    fil_free(answer.body);
    return true;
}

static int attend(struct errand *errand, const char *name)
{
    char state[32] = "starting";
    char place[32] = "0";
    while (is_live(state)) {
        nap();
        // The state first: what was printed before the end is then read after it.
        if (!read_state(errand, name, state, sizeof(state)) ||
            !follow(errand, name, place, sizeof(place))) {
            return EXIT_FAILED;
        }
    }
    if (strcmp(state, "completed") == 0) {
        return EXIT_OK;
    }
    struct remote_answer answer;
    if (make_path(errand, name, "?format=text") &&
        ask(errand, "GET", fil_bytes_make("", 0), &answer)) {
        (void)fprintf(stderr, "filbert: %s: %s", errand->words->path, answer.body);
        fil_free(answer.body);
    }
    return EXIT_FAILED;
}

static int run_run(struct errand *errand)
{
    char *name = NULL;
    int code = submit_file(errand, &name);
    if (code == EXIT_OK) {
        code = attend(errand, name);
    }
    fil_free(name);
    return code;
}

static const struct action {
    const char *name;
    int word_count;
    int (*run)(struct errand *errand);
} actions[] = {
    {"submit", 1, run_submit},       {"run", 1, run_run},         {"list", 0, run_list},
    {"status", 1, run_status},       {"output", 1, run_output},   {"graph", 1, run_graph},
    {"cancel", 1, run_cancel},       {"suspend", 1, run_suspend}, {"resume", 1, run_resume},
    {"restart", 1, run_restart},     {"forget", 1, run_forget},   {"export", 2, run_export},
    {"snapshots", 0, run_snapshots}, {"drop", 1, run_drop},
};

static const struct action *find_action(const char *name)
{
    for (size_t i = 0; i < FIL_COUNT_OF(actions); i++) {
        if (strcmp(actions[i].name, name) == 0) {
            return &actions[i];
        }
    }
    return NULL;
}

bool job_remote_knows(const char *action, const struct job_words *words)
{
    const struct action *found = find_action(action);
    int count = (words->path != NULL) + (words->second != NULL);
    return found != NULL && found->word_count == count;
}

int job_remote(const char *action, const struct job_words *words)
{
    struct errand errand = {.words = words};
    char address_flag[] = "--address";
    char timeout_flag[] = "--timeout";
    char *given[5] = {NULL};
    int count = 1;
    // The flags' functions do not change the words; they only have the type of main's.
    if (words->address != NULL) {
        given[count] = address_flag;
        given[count + 1] = (char *)(uintptr_t)words->address;
        count += 2;
    }
    if (words->timeout != NULL) {
        given[count] = timeout_flag;
        given[count + 1] = (char *)(uintptr_t)words->timeout;
        count += 2;
    }
    if (!remote_take_flags(&errand.flags, "job", count, given)) {
        return EXIT_USAGE;
    }
    const struct action *found = find_action(action);
    return found == NULL ? EXIT_USAGE : found->run(&errand);
}
