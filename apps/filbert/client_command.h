// SPDX-License-Identifier: Apache-2.0
/** filbert client: who is connected to a member. */
#pragma once

extern const char client_help[];
