// SPDX-License-Identifier: Apache-2.0
/** What every unit test includes: cmocka with the headers it needs. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka needs the four above first.
#include <cmocka.h>
