// SPDX-License-Identifier: Apache-2.0
#include "headers.c"
