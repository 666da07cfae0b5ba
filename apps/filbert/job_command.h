// SPDX-License-Identifier: Apache-2.0
/** filbert job: with an engine of its own, or with a running member. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

extern const char job_help[];

/** What stands behind the action. */
struct job_words {
    const char *path;   // of a file, or a job's name
    const char *second; // a snapshot's name
    const char *snapshots;
    const char *start_from;
    const char *address;
    const char *timeout;
    uint32_t worker_count;
    uint32_t parallelism;
    uint32_t weight;
    bool is_new;
    bool is_json;
    bool is_light;
    bool is_member;
    bool is_package;
    bool is_watched;
};

int command_job(int count, char **words);

/** Says what is wrong with a file or a job; EXIT_FAILED. */
int job_complain(const char *path, const char *text);

/** Whether a member can be asked that, and the words are complete. */
bool job_remote_knows(const char *action, const struct job_words *words);

/** Asks a member; the exit code. */
int job_remote(const char *action, const struct job_words *words);
