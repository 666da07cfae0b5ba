// SPDX-License-Identifier: Apache-2.0
/**
 * Events of topics and maps as text.
 *
 * A message of a topic is the event's data as it is; what is not text comes in base64, under the
 * name "base64". A change of a map has its kind for a name and a JSON object for data: "key",
 * "value", "old_value", or "key_base64" and so on for what is not text, and "count" for changes of
 * all entries.
 */
#pragma once

#include "core/container/listen.h"
#include "core/service/reply_stream.h"
#include "grid/map/listen.h"
#include "lib/base/attr.h"

/** As fil_reply_stream_tell. */
int fil_feed_text_tell_message(struct fil_reply_stream *stream,
                               const struct fil_container_event *event) FIL_NODISCARD;
int fil_feed_text_tell_entry(struct fil_reply_stream *stream, const struct fil_map_event *event)
    FIL_NODISCARD;
