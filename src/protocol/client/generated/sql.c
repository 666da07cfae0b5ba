// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/sql.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field sql_execute_reserved_request_fields[] = {
    FIL_WIRE_FIELD(sql_execute_reserved_request, timeout_millis, i64, 0),
    FIL_WIRE_FIELD(sql_execute_reserved_request, cursor_buffer_size, i32, 8),
    FIL_WIRE_FIELD(sql_execute_reserved_request, sql, string, 0),
    FIL_WIRE_FIELD(sql_execute_reserved_request, parameters, list_data, 0),
};
static const struct fil_wire_field sql_execute_reserved_response_fields[] = {
    FIL_WIRE_FIELD(sql_execute_reserved_response, row_page_last, bool, 0),
    FIL_WIRE_FIELD(sql_execute_reserved_response, update_count, i64, 1),
    FIL_WIRE_FIELD(sql_execute_reserved_response, query_id, sql_query_id_or_null, 0),
    FIL_WIRE_FIELD(sql_execute_reserved_response, row_metadata, list_sql_column_metadata_or_null, 0),
    FIL_WIRE_FIELD(sql_execute_reserved_response, row_page, list_list_data_or_null_or_null, 0),
    FIL_WIRE_FIELD(sql_execute_reserved_response, error, sql_error_or_null, 0),
};
static const struct fil_wire_field sql_fetch_reserved_request_fields[] = {
    FIL_WIRE_FIELD(sql_fetch_reserved_request, cursor_buffer_size, i32, 0),
    FIL_WIRE_FIELD(sql_fetch_reserved_request, query_id, sql_query_id, 0),
};
static const struct fil_wire_field sql_fetch_reserved_response_fields[] = {
    FIL_WIRE_FIELD(sql_fetch_reserved_response, row_page_last, bool, 0),
    FIL_WIRE_FIELD(sql_fetch_reserved_response, row_page, list_list_data_or_null_or_null, 0),
    FIL_WIRE_FIELD(sql_fetch_reserved_response, error, sql_error_or_null, 0),
};
static const struct fil_wire_field sql_close_request_fields[] = {
    FIL_WIRE_FIELD(sql_close_request, query_id, sql_query_id, 0),
};
static const struct fil_wire_field sql_execute_request_fields[] = {
    FIL_WIRE_FIELD(sql_execute_request, timeout_millis, i64, 0),
    FIL_WIRE_FIELD(sql_execute_request, cursor_buffer_size, i32, 8),
    FIL_WIRE_FIELD(sql_execute_request, expected_result_type, i8, 12),
    FIL_WIRE_NEWER(sql_execute_request, skip_update_statistics, bool, 13),
    FIL_WIRE_FIELD(sql_execute_request, sql, string, 0),
    FIL_WIRE_FIELD(sql_execute_request, parameters, list_data_or_null, 0),
    FIL_WIRE_FIELD(sql_execute_request, schema, string_or_null, 0),
    FIL_WIRE_FIELD(sql_execute_request, query_id, sql_query_id, 0),
};
static const struct fil_wire_field sql_execute_response_fields[] = {
    FIL_WIRE_FIELD(sql_execute_response, update_count, i64, 0),
    FIL_WIRE_NEWER(sql_execute_response, is_infinite_rows, bool, 8),
    FIL_WIRE_NEWER(sql_execute_response, partition_argument_index, i32, 9),
    FIL_WIRE_FIELD(sql_execute_response, row_metadata, list_sql_column_metadata_or_null, 0),
    FIL_WIRE_FIELD(sql_execute_response, row_page, sql_page_or_null, 0),
    FIL_WIRE_FIELD(sql_execute_response, error, sql_error_or_null, 0),
};
static const struct fil_wire_field sql_fetch_response_fields[] = {
    FIL_WIRE_FIELD(sql_fetch_response, row_page, sql_page_or_null, 0),
    FIL_WIRE_FIELD(sql_fetch_response, error, sql_error_or_null, 0),
};
static const struct fil_wire_field sql_mapping_ddl_request_fields[] = {
    FIL_WIRE_FIELD(sql_mapping_ddl_request, name, string, 0),
};
static const struct fil_wire_field sql_mapping_ddl_response_fields[] = {
    FIL_WIRE_FIELD(sql_mapping_ddl_response, sql, string_or_null, 0),
};

FIL_WIRE_LAYOUT_MAKE(sql_execute_reserved_request, "Sql.execute_reserved", REQUEST, 0x210100, sql_execute_reserved_request_fields, 2, 12, 12);
FIL_WIRE_LAYOUT_MAKE(sql_execute_reserved_response, "Sql.execute_reserved", RESPONSE, 0x210101, sql_execute_reserved_response_fields, 2, 9, 9);
FIL_WIRE_LAYOUT_MAKE(sql_fetch_reserved_request, "Sql.fetch_reserved", REQUEST, 0x210200, sql_fetch_reserved_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(sql_fetch_reserved_response, "Sql.fetch_reserved", RESPONSE, 0x210201, sql_fetch_reserved_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(sql_close_request, "Sql.close", REQUEST, 0x210300, sql_close_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(sql_close_response, "Sql.close", RESPONSE, 0x210301);
FIL_WIRE_LAYOUT_MAKE(sql_execute_request, "Sql.execute", REQUEST, 0x210400, sql_execute_request_fields, 4, 13, 14);
FIL_WIRE_LAYOUT_MAKE(sql_execute_response, "Sql.execute", RESPONSE, 0x210401, sql_execute_response_fields, 3, 8, 13);
FIL_WIRE_LAYOUT_MAKE(sql_fetch_request, "Sql.fetch", REQUEST, 0x210500, sql_fetch_reserved_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(sql_fetch_response, "Sql.fetch", RESPONSE, 0x210501, sql_fetch_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(sql_mapping_ddl_request, "Sql.mappingDdl", REQUEST, 0x210600, sql_mapping_ddl_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(sql_mapping_ddl_response, "Sql.mappingDdl", RESPONSE, 0x210601, sql_mapping_ddl_response_fields, 0, 0, 0);


const struct fil_wire_message fil_wire_sql_messages[] = {
    FIL_WIRE_MESSAGE(sql_execute_reserved, "sql.execute_reserved", 0x210100, false, 0, NULL),
    FIL_WIRE_MESSAGE(sql_fetch_reserved, "sql.fetch_reserved", 0x210200, false, 0, NULL),
    FIL_WIRE_MESSAGE(sql_close, "sql.close", 0x210300, false, 0, NULL),
    FIL_WIRE_MESSAGE(sql_execute, "sql.execute", 0x210400, false, 0, NULL),
    FIL_WIRE_MESSAGE(sql_fetch, "sql.fetch", 0x210500, false, 0, NULL),
    FIL_WIRE_MESSAGE(sql_mapping_ddl, "sql.mapping_ddl", 0x210600, true, 0, NULL),
};
