// SPDX-License-Identifier: Apache-2.0
/** filbert job. */
#pragma once

extern const char job_help[];

int command_job(int count, char **words);
