// SPDX-License-Identifier: Apache-2.0
#include "flow/connector.h"

void fil_flow_connect(struct fil_connector *connector, struct fil_flow_grid *grid)
{
    *connector = (struct fil_connector){
        .ops = {[FIL_CONNECTION_READ_MAP] = &fil_map_source_ops,
                [FIL_CONNECTION_READ_JOURNAL] = &fil_journal_source_ops,
                [FIL_CONNECTION_READ_RINGBUFFER] = &fil_ringbuffer_source_ops,
                [FIL_CONNECTION_LOOKUP] = &fil_lookup_ops,
                [FIL_CONNECTION_WRITE_MAP] = &fil_map_sink_ops,
                [FIL_CONNECTION_WRITE_RINGBUFFER] = &fil_item_sink_ops,
                [FIL_CONNECTION_WRITE_QUEUE] = &fil_item_sink_ops,
                [FIL_CONNECTION_WRITE_LIST] = &fil_item_sink_ops,
                [FIL_CONNECTION_WRITE_TOPIC] = &fil_item_sink_ops,
                [FIL_CONNECTION_CALL] = &fil_service_call_ops,
                [FIL_CONNECTION_WRITE_HTTP] = &fil_http_sink_ops},
        .context = grid};
}

void fil_flow_connect_services(struct fil_connector *connector, struct fil_flow_grid *grid)
{
    *connector = fil_connector_none;
    connector->ops[FIL_CONNECTION_CALL] = &fil_service_call_ops;
    connector->ops[FIL_CONNECTION_WRITE_HTTP] = &fil_http_sink_ops;
    connector->context = grid;
}
