// SPDX-License-Identifier: Apache-2.0
/** filbert map: entries of maps, from the command line. */
#pragma once

extern const char map_help[];
