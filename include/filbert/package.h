// SPDX-License-Identifier: Apache-2.0
/**
 * A stream job as a shared object: `filbert job run NAME.so` runs it, and so does a member that has
 * it in its folder of packages.
 *
 *   static int build(struct fil_pipeline *pipeline)
 *   {
 *       fil_write_function(fil_read_list(pipeline, &word_type, words, 3), print_word, NULL);
 *       return FIL_OK;
 *   }
 *
 *   FIL_PACKAGE("word-count", build, {FIL_GUARANTEE_NONE})
 *
 * The object is not linked with anything of Filbert: the program that loads it has the functions of
 * filbert/pipeline.h and filbert/error.h. It is built with -shared -fPIC.
 *
 * Threads: build runs on the thread that loads the package; functions of stages as in any pipeline.
 *          Nothing of the package may run after its jobs are over: threads of its own end before.
 */
#pragma once

#include "filbert/function.h"
#include "filbert/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Changes whenever a package that was built before would not work any more. */
#define FIL_PACKAGE_ABI 1U

#if defined(__GNUC__)
#define FIL_PACKAGE_EXPORT __attribute__((visibility("default")))
#else
#define FIL_PACKAGE_EXPORT
#endif

/** Likewise for functions: filbert/function.h. */
#define FIL_PACKAGE_FUNCTIONS_ABI 1U

struct fil_package {
    const char *name; /* of the job */
    /** Adds the stages. FIL_OK, or why not; what the pipeline says counts, too. */
    int (*build)(struct fil_pipeline *pipeline);
    struct fil_stream_job_options options;
};

/* What a package has. */
extern FIL_PACKAGE_EXPORT const uint32_t fil_package_abi;
extern FIL_PACKAGE_EXPORT const struct fil_package fil_package;

/** Options are those of the job, in braces. */
#define FIL_PACKAGE(name, build, ...)                 \
    const uint32_t fil_package_abi = FIL_PACKAGE_ABI; \
    const struct fil_package fil_package = {name, build, __VA_ARGS__};

extern FIL_PACKAGE_EXPORT const uint32_t fil_package_functions_abi;
extern FIL_PACKAGE_EXPORT const uint32_t fil_package_function_count;
extern FIL_PACKAGE_EXPORT const struct fil_function fil_package_functions[];

/**
 * Functions that clients may run on a member which has the package in its option executor.packages;
 * each in braces. A package may have these, a job, or both.
 */
#define FIL_PACKAGE_FUNCTIONS(...)                                        \
    const uint32_t fil_package_functions_abi = FIL_PACKAGE_FUNCTIONS_ABI; \
    const struct fil_function fil_package_functions[] = {__VA_ARGS__};    \
    const uint32_t fil_package_function_count =                           \
        sizeof(fil_package_functions) / sizeof(fil_package_functions[0]);

#ifdef __cplusplus
}
#endif
