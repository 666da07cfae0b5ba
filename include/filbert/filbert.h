// SPDX-License-Identifier: Apache-2.0
/** All of Filbert's public interface. */
#pragma once

#include "filbert/client.h"
#include "filbert/error.h"
#include "filbert/function.h"
#include "filbert/list.h"
#include "filbert/listen.h"
#include "filbert/map.h"
#include "filbert/multimap.h"
#include "filbert/node.h"
#include "filbert/numbers.h"
#include "filbert/package.h"
#include "filbert/pipeline.h"
#include "filbert/queue.h"
#include "filbert/replicated_map.h"
#include "filbert/ringbuffer.h"
#include "filbert/service.h"
#include "filbert/set.h"
#include "filbert/stream.h"
#include "filbert/topic.h"
#include "filbert/value.h"
#include "filbert/websocket.h"
