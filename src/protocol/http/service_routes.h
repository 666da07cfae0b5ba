// SPDX-License-Identifier: Apache-2.0
/** The routes of a service file. */
#pragma once

#include "core/service/service.h"
#include "lib/base/attr.h"
#include "protocol/http/proxy.h"
#include "protocol/http/rest.h"
#include "protocol/http/service_file.h"

/**
 * Adds them; grid, proxies and file outlive the service. FIL_E_CONFIG: the service's problem tells;
 * FIL_E_NOMEM.
 */
int fil_service_routes_add(struct fil_service *service, struct fil_service_file *file,
                           struct fil_rest_grid *grid, struct fil_proxies *proxies) FIL_NODISCARD;
