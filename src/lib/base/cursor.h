// SPDX-License-Identifier: Apache-2.0
/** The two cursors over bytes that never leave their memory: fil_reader and fil_writer. */
#pragma once

#include "lib/base/reader.h"
#include "lib/base/writer.h"
