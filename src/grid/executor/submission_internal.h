// SPDX-License-Identifier: Apache-2.0
/** What a submission and the line of all of them share. */
#pragma once

#include "grid/executor/submission.h"

/** Under the mutex: NULL when there is none of that id under way. */
struct fil_submission *fil_submissions__find(struct fil_submissions *submissions,
                                             struct fil_submission_id id);

/** Puts it into the table and the line, and has the line served; false: the line is full. */
bool fil_submissions__queue(struct fil_submissions *submissions, struct fil_submission *submission);

/** Of the executor; the one who serves the line. */
struct fil_submission_lane *fil_submissions__lane(struct fil_submissions *submissions,
                                                  struct fil_executor *executor);

/** The submission has left the line: it is invoked, or ends. Generic pool, one at a time. */
void fil_submission__start(struct fil_submission *submission);
