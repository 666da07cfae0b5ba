// SPDX-License-Identifier: Apache-2.0
/** Between the reader of documents and the reader of strings. */
#pragma once

#include "lib/json/json.h"

/** A hash of a name's characters, so that most different names are told apart by it. */
uint32_t fil_json__hash_name(const struct fil_json *json, const struct fil_json_node *node);
