// SPDX-License-Identifier: Apache-2.0
/** What a measurement over RESP has found, for people and for programs. */
#pragma once

#include "lib/base/cursor.h"
#include "resp.h"

void load_resp_report_table(const struct load_resp_options *options,
                            const struct load_resp_summary *summary, struct fil_writer *writer);

void load_resp_report_json(const struct load_resp_options *options,
                           const struct load_resp_summary *summary, struct fil_writer *writer);
