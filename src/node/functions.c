// SPDX-License-Identifier: Apache-2.0
#include "node/functions.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "filbert/package.h"
#include "lib/base/assert.h"
#include "lib/os/library.h"
#include "node/map_functions.h"

#define PATH_BYTES_MAX 1024U

// Executors.

/** On the generic pool: the executor of that name, which is made if there is none. */
static int open_executor(void *context, const char *name, struct fil_executor **out_executor)
{
    struct fil_node_functions *functions = context;
    struct fil_executor_wish wish = functions->wish;
    *out_executor = fil_executors_find(functions->executors, name);
    if (*out_executor != NULL) {
        return FIL_OK;
    }
    if (!fil_executors_is_name(fil_bytes_of(name))) {
        return FIL_E_INVALID;
    }
    memcpy(wish.name, name, strlen(name) + 1);
    int error = fil_executors_open(functions->executors, &wish, out_executor);
    if (error == FIL_E_EXISTS) {
        // Somebody else was faster.
        *out_executor = fil_executors_find(functions->executors, name);
        error = FIL_OK;
    }
    return error;
}

// Packages.

/** The functions of one library; what is wrong is told in out_problem. */
static int add_functions(struct fil_node_functions *functions, void *library, char *out_problem,
                         size_t size)
{
    const uint32_t *abi = fil_library_find(library, "fil_package_functions_abi");
    const uint32_t *count = fil_library_find(library, "fil_package_function_count");
    const struct fil_function *list = fil_library_find(library, "fil_package_functions");
    if (abi == NULL || count == NULL || list == NULL) {
        (void)snprintf(out_problem, size, "it has no functions: see FIL_PACKAGE_FUNCTIONS");
        return FIL_E_CONFIG;
    }
    if (*abi != FIL_PACKAGE_FUNCTIONS_ABI) {
        (void)snprintf(out_problem, size,
                       "it is built for version %u of functions, this is version %u: build it "
                       "again",
                       *abi, FIL_PACKAGE_FUNCTIONS_ABI);
        return FIL_E_CONFIG;
    }
    for (uint32_t i = 0; i < *count; i++) {
        int error = fil_functions_add(&functions->registry, &list[i], NULL);
        if (error != FIL_OK) {
            (void)snprintf(out_problem, size, "its function '%s' is refused: %s",
                           list[i].name == NULL ? "" : list[i].name, fil_error_text(error));
            return FIL_E_CONFIG;
        }
    }
    return FIL_OK;
}

static int load_package(struct fil_node_functions *functions, const char *folder,
                        struct fil_bytes name, char *out_problem, size_t size)
{
    char path[PATH_BYTES_MAX];
    char reason[FIL_OPTION_REASON_MAX];
    int length = snprintf(path, sizeof(path), "%s/%.*s", folder, (int)name.size, name.data);
    if (length < 0 || (size_t)length >= sizeof(path) || name.data[0] == '.' ||
        fil_bytes_find(name, '/') < name.size) {
        (void)snprintf(out_problem, size, "a package is named by its file in stream.packages");
        return FIL_E_CONFIG;
    }
    if (functions->library_count == FIL_FUNCTION_PACKAGES_MAX) {
        (void)snprintf(out_problem, size, "more than %u packages", FIL_FUNCTION_PACKAGES_MAX);
        return FIL_E_CONFIG;
    }
    void **library = &functions->libraries[functions->library_count];
    if (fil_library_open(library, path, reason, sizeof(reason)) != FIL_OK) {
        (void)snprintf(out_problem, size, "%s", reason);
        return FIL_E_CONFIG;
    }
    functions->library_count++;
    return add_functions(functions, *library, out_problem, size);
}

/** The names stand between blanks. */
static int load_packages(struct fil_node_functions *functions, const struct fil_options *options,
                         char *out_problem, size_t size)
{
    struct fil_bytes rest = fil_bytes_of(options->executor.packages);
    int error = FIL_OK;
    if (fil_bytes_equal_text(rest, "none")) {
        return FIL_OK;
    }
    if (strcmp(options->stream.packages, "none") == 0) {
        (void)snprintf(out_problem, size, "there is no folder of packages: set stream.packages");
        return FIL_E_CONFIG;
    }
    while (rest.size > 0 && error == FIL_OK) {
        size_t end = fil_bytes_find(rest, ' ');
        struct fil_bytes name = fil_bytes_make(rest.data, end);
        size_t step = end < rest.size ? end + 1 : end;
        rest = fil_bytes_make(rest.data + step, rest.size - step);
        if (name.size > 0) {
            error = load_package(functions, options->stream.packages, name, out_problem, size);
        }
    }
    return error;
}

// Life.

int fil_node_functions_init(struct fil_node_functions *functions,
                            const struct fil_node_functions_options *options, char *out_problem,
                            size_t problem_size)
{
    const struct fil_options *settings = options->options;
    struct fil_stages *stages = options->stages;
    out_problem[0] = '\0';
    functions->executors = &stages->executors;
    functions->wish = fil_executors_default(settings);
    fil_functions_init(&functions->registry);
    int error = fil_map_functions_add(&functions->registry, options->maps);
    if (error == FIL_OK) {
        error = load_packages(functions, settings, out_problem, problem_size);
    }
    if (error != FIL_OK) {
        return error;
    }
    error = fil_submissions_init(&functions->submissions,
                                 &(struct fil_submissions_options){
                                     .env = options->env,
                                     .exec = stages->exec,
                                     .generic = &stages->generic,
                                     .invocations = &stages->invocations,
                                     .budget = options->budget,
                                     .start_timeout_ns = settings->invocation.timeout_ns,
                                     .task_timeout_ns = settings->executor.task_timeout_ns,
                                     .line_max = stages->executors.in_flight_max,
                                     .lane_max = 2 * stages->executors.in_flight_max,
                                     .open = open_executor,
                                     .context = functions,
                                 });
    functions->is_open = error == FIL_OK;
    return error;
}

void fil_node_functions_fini(struct fil_node_functions *functions)
{
    if (functions->is_open) {
        fil_submissions_fini(&functions->submissions);
        functions->is_open = false;
    }
    while (functions->library_count > 0) {
        functions->library_count--;
        fil_library_close(functions->libraries[functions->library_count]);
    }
}
