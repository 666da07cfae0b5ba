// SPDX-License-Identifier: Apache-2.0
/** What is answered for a file, for the files of this folder. */
#pragma once

#include "core/service/request.h"
#include "lib/http/condition.h"
#include "lib/os/file.h"

struct fil_files_answer {
    struct fil_file file;
    struct fil_file_facts facts;

    // Decided.
    int status;                 // 200, 206, 304, 412 or 416
    const char *type;           // static
    struct fil_http_range part; // of 200 and 206
};

/** Looks at the request's conditions and its range; adds the headers that tell of the file. */
void fil_files__decide(struct fil_request *request, const char *path,
                       struct fil_files_answer *answer);
