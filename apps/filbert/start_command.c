// SPDX-License-Identifier: Apache-2.0
/** filbert start and serve: run a member until a signal ends it. */
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "filbert/error.h"
#include "first_screen.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/log/log.h"
#include "lib/os/env.h"
#include "lib/os/file.h"
#include "lib/os/process.h"
#include "lib/os/signals.h"
#include "lib/os/thread.h"
#include "node/node.h"
#include "node/plan.h"
#include "protocol/http/service_file.h"
#include "settings.h"

/** Everything the command holds from its beginning to its end. */
struct member {
    struct settings settings;
    struct fil_machine machine;
    struct fil_plan plan;
    struct fil_log *log;
    struct fil_node *node;
    struct fil_service_file services;
    bool has_services;
    uint64_t started_ns;
};

static bool has_color(int fd)
{
    return fil_log_format_wants_color(fil_process_is_terminal(fd), fil_process_variable("NO_COLOR"),
                                      fil_process_variable("TERM"));
}

static struct fil_log_style log_style(const struct fil_options *options)
{
    struct fil_log_style style = {.format = FIL_LOG_FORMAT_LOGFMT,
                                  .has_color = has_color(STDERR_FILENO)};
    switch (options->log.format) {
    case FIL_OPTIONS_LOG_JSON:
        style.format = FIL_LOG_FORMAT_JSON;
        break;
    case FIL_OPTIONS_LOG_HUMAN:
        style.format = FIL_LOG_FORMAT_HUMAN;
        break;
    case FIL_OPTIONS_LOG_AUTO:
        if (fil_process_is_terminal(STDERR_FILENO)) {
            style.format = FIL_LOG_FORMAT_HUMAN;
        }
        break;
    case FIL_OPTIONS_LOG_LOGFMT:
    default:
        break;
    }
    return style;
}

static int start_log(struct member *member)
{
    const struct fil_options *options = &member->settings.options;
    member->log = fil_log_new(&(struct fil_log_options){
        .env = fil_env_real(),
        .fd = STDERR_FILENO,
        .level = options->log.level,
        .style = log_style(options),
    });
    if (member->log == NULL) {
        return FIL_E_NOMEM;
    }
    fil_log_set_default(member->log); // before there are threads
    return fil_log_start(member->log);
}

/** Also of a log that could not be started. */
static void end_log(struct member *member)
{
    if (member->log != NULL) {
        fil_log_stop(member->log);
        fil_log_set_default(NULL);
        fil_log_free(member->log);
    }
}

static int complain(const char *what, int error)
{
    (void)fprintf(stderr, "filbert: %s: %s\n", what, fil_error_text(error));
    return EXIT_FAILED;
}

static int complain_start(const struct member *member, int error)
{
    fil_log_stop(member->log); // what it was told stands before what we say of it
    bool is_address =
        error == FIL_E_ADDRESS_USED || error == FIL_E_ADDRESS || error == FIL_E_DENIED;
    if (!is_address) {
        return complain("cannot start the member", error);
    }
    char address[FIL_ADDRESS_TEXT_MAX];
    char what[FIL_ADDRESS_TEXT_MAX + 32];
    const struct fil_address *listen = &member->settings.options.net.listen;
    (void)snprintf(what, sizeof(what), "cannot listen on %s", fil_address_format(listen, address));
    (void)fprintf(stderr, "filbert: %s: %s (--listen ADDRESS:PORT chooses it)\n", what,
                  fil_error_text(error));
    return EXIT_FAILED;
}

static void show_screen(void *context)
{
    const struct member *member = context;
    first_screen_show(&(struct first_screen){
        .options = &member->settings.options,
        .plan = &member->plan,
        .bound = fil_node_address(member->node),
        .file = member->settings.file,
        .took_ns = fil_env_now_ns(fil_env_real()) - member->started_ns,
        .is_bright = has_color(STDOUT_FILENO),
    });
}

/** SIGHUP too, unless nohup says so: a closed terminal must not leave a member on the port. */
static bool is_end(int signal)
{
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

/** Waits for the signal that ends the member. */
static void wait_for_end(struct member *member)
{
    int signal = 0;
    do {
        int error = fil_signals_wait(FIL_WAIT_FOREVER, &signal);
        fil_assert(error == FIL_OK);
    } while (!is_end(signal));
    fil_log_event(member->log, FIL_LOG_INFO, "stopping",
                  FIL_F_TEXT("signal", fil_signals_name(signal)));
}

/** Listens for a second signal while the member stops: whoever sends it does not want to wait. */
struct impatience {
    struct fil_thread thread;
    struct fil_node *node;
    _Atomic bool is_over;
};

#define IMPATIENCE_STEP_NS INT64_C(50000000)

static void watch_for_impatience(void *context)
{
    struct impatience *impatience = context;
    // Acquire: nothing but the end itself is waited for.
    while (!atomic_load_explicit(&impatience->is_over, memory_order_acquire)) {
        int signal = 0;
        if (fil_signals_wait(IMPATIENCE_STEP_NS, &signal) == FIL_OK && is_end(signal)) {
            fil_node_hurry(impatience->node);
        }
    }
}

static uint32_t stop(struct member *member)
{
    struct impatience impatience = {.node = member->node};
    int error =
        fil_thread_start(&impatience.thread, "impatience", watch_for_impatience, &impatience);
    uint32_t cut = fil_node_stop_threads(member->node);
    atomic_store_explicit(&impatience.is_over, true, memory_order_release);
    if (error == FIL_OK) {
        fil_thread_join(&impatience.thread);
    }
    return cut;
}

static int serve(struct member *member)
{
    int error = fil_node_start_threads(member->node);
    if (error != FIL_OK) {
        fil_log_stop(member->log);
        return complain("cannot start the threads", error);
    }
    fil_log_interject(member->log, show_screen, member);
    wait_for_end(member);
    uint32_t cut = stop(member);
    fil_log_event(member->log, FIL_LOG_INFO, "stopped", FIL_F_U64("connections_cut", cut));
    return EXIT_OK;
}

static int run_member(struct member *member)
{
    struct fil_env *env = fil_env_real();
    (void)fil_process_raise_descriptor_limit(); // what the machine is read with then
    fil_machine_read(&member->machine, "/");
    fil_plan_make(&member->plan, &member->machine, &member->settings.options);
    if (member->plan.problem[0] != '\0') {
        (void)fprintf(stderr, "filbert: %s\n", member->plan.problem);
        return EXIT_FAILED;
    }
    int error = start_log(member);
    if (error != FIL_OK) {
        end_log(member);
        return complain("cannot start the log", error);
    }
    fil_options_warn_ignored(&member->settings.conf, member->log);
    fil_options_tell(&member->settings.conf, member->log);
    struct fil_node_setup setup = {.env = env,
                                   .options = &member->settings.options,
                                   .plan = &member->plan,
                                   .conf = &member->settings.conf,
                                   .log = member->log,
                                   .services = member->has_services ? &member->services : NULL};
    int code = EXIT_FAILED;
    error = fil_node_new(&member->node, &setup);
    if (error == FIL_OK) {
        code = serve(member);
        fil_node_free(member->node);
    } else {
        code = complain_start(member, error);
    }
    end_log(member);
    return code;
}

/** The flags from words[first] on; false after a message. */
static bool take_flags(struct settings_source *source, int count, char **words, int first)
{
    for (int i = first; i < count;) {
        int taken = settings_take_flag(source, count, words, i);
        if (taken == 0) {
            (void)fprintf(stderr, "filbert: '%s' is not expected here: see filbert help %s\n",
                          words[i], words[0]);
        }
        if (taken <= 0) {
            return false;
        }
        i += taken;
    }
    return true;
}

static int start(struct member *member, const struct settings_source *source)
{
    if (!settings_load(&member->settings, source)) {
        return EXIT_FAILED;
    }
    fil_signals_block();
    fil_signals_report_crashes();
    int code = run_member(member);
    settings_fini(&member->settings);
    return code;
}

// Too large for a stack of unknown size.
static struct member the_member;

int command_start(int count, char **words)
{
    struct settings_source source = {0};
    the_member.started_ns = fil_env_now_ns(fil_env_real());
    return take_flags(&source, count, words, 1) ? start(&the_member, &source) : EXIT_USAGE;
}

/** Reads and checks the file; what is wrong is told. It is to be ended in any case. */
static int load_services(struct fil_service_file *file, const char *path)
{
    struct fil_env *env = fil_env_real();
    char *text = NULL;
    size_t size = 0;
    *file = (struct fil_service_file){0};
    int error = env->ops->file_read(env, path, FIL_SERVICE_FILE_BYTES_MAX, &text, &size);
    if (error != FIL_OK) {
        (void)fprintf(stderr, "filbert: %s: %s\n", path, fil_file_why(error));
        return EXIT_FAILED;
    }
    error = fil_service_file_init(file, fil_bytes_make(text, size));
    fil_free(text);
    if (error == FIL_E_MALFORMED) {
        (void)fprintf(stderr, "%s:%zu:%zu: %s\n", path, file->line, file->column, file->reason);
        return EXIT_FAILED;
    }
    return error == FIL_OK ? EXIT_OK : complain(path, error);
}

int command_serve(int count, char **words)
{
    struct settings_source source = {0};
    struct member *member = &the_member;
    member->started_ns = fil_env_now_ns(fil_env_real());
    bool is_check = count > 1 && strcmp(words[1], "--check") == 0;
    int first = is_check ? 2 : 1;
    if (count <= first || words[first][0] == '-') {
        (void)fprintf(stderr, "filbert: a file is needed: see filbert help serve\n");
        return EXIT_USAGE;
    }
    if (!take_flags(&source, count, words, first + 1)) {
        return EXIT_USAGE;
    }
    int code = load_services(&member->services, words[first]);
    if (code == EXIT_OK && !is_check) {
        member->has_services = true;
        code = start(member, &source);
    }
    fil_service_file_fini(&member->services);
    return code;
}
