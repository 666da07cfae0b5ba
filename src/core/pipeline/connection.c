// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/connection.h"

static int refuse(void *self, struct fil_processor_context *context, const void *config)
{
    (void)self;
    (void)context;
    (void)config;
    return FIL_E_UNSUPPORTED;
}

static int complete(void *self, struct fil_processor_context *context)
{
    (void)self;
    (void)context;
    return FIL_E_UNSUPPORTED;
}

static int process(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    (void)self;
    (void)context;
    (void)inbox;
    return FIL_E_UNSUPPORTED;
}

static const struct fil_processor_ops named[FIL_CONNECTION_KINDS] = {
    {.name = "map source", .init = refuse, .complete = complete},
    {.name = "journal source", .init = refuse, .complete = complete},
    {.name = "ring buffer source", .init = refuse, .complete = complete},
    {.name = "lookup", .init = refuse, .process = process},
    {.name = "map sink", .init = refuse, .process = process},
    {.name = "item sink", .init = refuse, .process = process},
    {.name = "item sink", .init = refuse, .process = process},
    {.name = "item sink", .init = refuse, .process = process},
    {.name = "item sink", .init = refuse, .process = process},
    {.name = "service call", .init = refuse, .process = process},
    {.name = "HTTP sink", .init = refuse, .process = process},
};

const struct fil_connector fil_connector_none = {.ops = {&named[0], &named[1], &named[2], &named[3],
                                                         &named[4], &named[5], &named[6], &named[7],
                                                         &named[8], &named[9], &named[10]}};
