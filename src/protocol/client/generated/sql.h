// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** Sql: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_sql_number {
    FIL_WIRE_SQL_EXECUTE_RESERVED = 0x210100,
    FIL_WIRE_SQL_FETCH_RESERVED = 0x210200,
    FIL_WIRE_SQL_CLOSE = 0x210300,
    FIL_WIRE_SQL_EXECUTE = 0x210400,
    FIL_WIRE_SQL_FETCH = 0x210500,
    FIL_WIRE_SQL_MAPPING_DDL = 0x210600,
};

struct fil_wire_sql_execute_reserved_request {
    int64_t timeout_millis;
    int32_t cursor_buffer_size;
    struct fil_bytes sql;
    struct fil_wire_part parameters;
};
struct fil_wire_sql_execute_reserved_response {
    bool row_page_last;
    int64_t update_count;
    struct fil_wire_part query_id, row_metadata, row_page, error;
};
struct fil_wire_sql_fetch_reserved_request {
    int32_t cursor_buffer_size;
    struct fil_wire_part query_id;
};
struct fil_wire_sql_fetch_reserved_response {
    bool row_page_last;
    struct fil_wire_part row_page, error;
};
struct fil_wire_sql_close_request {
    struct fil_wire_part query_id;
};
struct fil_wire_sql_execute_request {
    int64_t timeout_millis;
    int32_t cursor_buffer_size;
    int8_t expected_result_type;
    bool skip_update_statistics;
    struct fil_bytes sql;
    struct fil_wire_part parameters;
    struct fil_bytes schema;
    struct fil_wire_part query_id;
    bool has_skip_update_statistics; // since 2.3
};
struct fil_wire_sql_execute_response {
    int64_t update_count;
    bool is_infinite_rows;
    int32_t partition_argument_index;
    struct fil_wire_part row_metadata, row_page, error;
    bool has_is_infinite_rows; // since 2.5
    bool has_partition_argument_index; // since 2.6
};
struct fil_wire_sql_fetch_request {
    int32_t cursor_buffer_size;
    struct fil_wire_part query_id;
};
struct fil_wire_sql_fetch_response {
    struct fil_wire_part row_page, error;
};
struct fil_wire_sql_mapping_ddl_request {
    struct fil_bytes name;
};
struct fil_wire_sql_mapping_ddl_response {
    struct fil_bytes sql;
};

FIL_WIRE_DECLARE(sql_execute_reserved);
FIL_WIRE_DECLARE(sql_fetch_reserved);
FIL_WIRE_DECLARE(sql_close);
FIL_WIRE_DECLARE(sql_execute);
FIL_WIRE_DECLARE(sql_fetch);
FIL_WIRE_DECLARE(sql_mapping_ddl);
