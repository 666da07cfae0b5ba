// SPDX-License-Identifier: Apache-2.0
/** What the files of this folder share: opening a service, and running its handlers. */
#pragma once

#include "core/service/service.h"

/** Writes down why the service does not open; returns FIL_E_CONFIG. */
FIL_PRINTF(2, 3)
int fil_service__complain(struct fil_service *service, const char *format, ...);

/** Makes the filters of the configuration and puts all of them around their routes. */
int fil_service__open_filters(struct fil_service *service) FIL_NODISCARD;

/** Runs the handler of the request, again if it fails and a filter lets it: handler.c. */
FIL_ANY_THREAD struct fil_reply fil_service__handle(struct fil_request *request);
