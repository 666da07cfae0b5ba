// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/vector_collection.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field vector_collection_put_request_fields[] = {
    FIL_WIRE_FIELD(vector_collection_put_request, name, string, 0),
    FIL_WIRE_FIELD(vector_collection_put_request, key, data, 0),
    FIL_WIRE_FIELD(vector_collection_put_request, value, vector_document, 0),
};
static const struct fil_wire_field vector_collection_put_response_fields[] = {
    FIL_WIRE_FIELD(vector_collection_put_response, value, vector_document_or_null, 0),
};
static const struct fil_wire_field vector_collection_put_all_request_fields[] = {
    FIL_WIRE_FIELD(vector_collection_put_all_request, name, string, 0),
    FIL_WIRE_FIELD(vector_collection_put_all_request, entries, map_data_vector_document, 0),
};
static const struct fil_wire_field vector_collection_get_request_fields[] = {
    FIL_WIRE_FIELD(vector_collection_get_request, name, string, 0),
    FIL_WIRE_FIELD(vector_collection_get_request, key, data, 0),
};
static const struct fil_wire_field vector_collection_search_near_vector_request_fields[] = {
    FIL_WIRE_FIELD(vector_collection_search_near_vector_request, name, string, 0),
    FIL_WIRE_FIELD(vector_collection_search_near_vector_request, vectors, list_vector_pair, 0),
    FIL_WIRE_FIELD(vector_collection_search_near_vector_request, options, vector_search_options, 0),
};
static const struct fil_wire_field vector_collection_search_near_vector_response_fields[] = {
    FIL_WIRE_FIELD(vector_collection_search_near_vector_response, result, list_vector_search_result, 0),
};
static const struct fil_wire_field vector_collection_optimize_request_fields[] = {
    FIL_WIRE_NEWER(vector_collection_optimize_request, uuid, uuid, 0),
    FIL_WIRE_FIELD(vector_collection_optimize_request, name, string, 0),
    FIL_WIRE_FIELD(vector_collection_optimize_request, index_name, string_or_null, 0),
};
static const struct fil_wire_field vector_collection_clear_request_fields[] = {
    FIL_WIRE_FIELD(vector_collection_clear_request, name, string, 0),
};
static const struct fil_wire_field vector_collection_size_response_fields[] = {
    FIL_WIRE_FIELD(vector_collection_size_response, response, i64, 0),
};

FIL_WIRE_LAYOUT_MAKE(vector_collection_put_request, "VectorCollection.put", REQUEST, 0x240100, vector_collection_put_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(vector_collection_put_response, "VectorCollection.put", RESPONSE, 0x240101, vector_collection_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(vector_collection_put_if_absent_request, "VectorCollection.putIfAbsent", REQUEST, 0x240200, vector_collection_put_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(vector_collection_put_if_absent_response, "VectorCollection.putIfAbsent", RESPONSE, 0x240201, vector_collection_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(vector_collection_put_all_request, "VectorCollection.putAll", REQUEST, 0x240300, vector_collection_put_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(vector_collection_put_all_response, "VectorCollection.putAll", RESPONSE, 0x240301);
FIL_WIRE_LAYOUT_MAKE(vector_collection_get_request, "VectorCollection.get", REQUEST, 0x240400, vector_collection_get_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(vector_collection_get_response, "VectorCollection.get", RESPONSE, 0x240401, vector_collection_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(vector_collection_remove_request, "VectorCollection.remove", REQUEST, 0x240500, vector_collection_get_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(vector_collection_remove_response, "VectorCollection.remove", RESPONSE, 0x240501, vector_collection_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(vector_collection_set_request, "VectorCollection.set", REQUEST, 0x240600, vector_collection_put_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(vector_collection_set_response, "VectorCollection.set", RESPONSE, 0x240601);
FIL_WIRE_LAYOUT_MAKE(vector_collection_delete_request, "VectorCollection.delete", REQUEST, 0x240700, vector_collection_get_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(vector_collection_delete_response, "VectorCollection.delete", RESPONSE, 0x240701);
FIL_WIRE_LAYOUT_MAKE(vector_collection_search_near_vector_request, "VectorCollection.searchNearVector", REQUEST, 0x240800, vector_collection_search_near_vector_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(vector_collection_search_near_vector_response, "VectorCollection.searchNearVector", RESPONSE, 0x240801, vector_collection_search_near_vector_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(vector_collection_optimize_request, "VectorCollection.optimize", REQUEST, 0x240900, vector_collection_optimize_request_fields, 1, 0, 17);
FIL_WIRE_LAYOUT_EMPTY(vector_collection_optimize_response, "VectorCollection.optimize", RESPONSE, 0x240901);
FIL_WIRE_LAYOUT_MAKE(vector_collection_clear_request, "VectorCollection.clear", REQUEST, 0x240a00, vector_collection_clear_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(vector_collection_clear_response, "VectorCollection.clear", RESPONSE, 0x240a01);
FIL_WIRE_LAYOUT_MAKE(vector_collection_size_request, "VectorCollection.size", REQUEST, 0x240b00, vector_collection_clear_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(vector_collection_size_response, "VectorCollection.size", RESPONSE, 0x240b01, vector_collection_size_response_fields, 1, 8, 8);


const struct fil_wire_message fil_wire_vector_collection_messages[] = {
    FIL_WIRE_MESSAGE(vector_collection_put, "vector_collection.put", 0x240100, false, 0, NULL),
    FIL_WIRE_MESSAGE(vector_collection_put_if_absent, "vector_collection.put_if_absent", 0x240200, false, 0, NULL),
    FIL_WIRE_MESSAGE(vector_collection_put_all, "vector_collection.put_all", 0x240300, false, 0, NULL),
    FIL_WIRE_MESSAGE(vector_collection_get, "vector_collection.get", 0x240400, true, 0, NULL),
    FIL_WIRE_MESSAGE(vector_collection_remove, "vector_collection.remove", 0x240500, false, 0, NULL),
    FIL_WIRE_MESSAGE(vector_collection_set, "vector_collection.set", 0x240600, false, 0, NULL),
    FIL_WIRE_MESSAGE(vector_collection_delete, "vector_collection.delete", 0x240700, false, 0, NULL),
    FIL_WIRE_MESSAGE(vector_collection_search_near_vector, "vector_collection.search_near_vector", 0x240800, true, 0, NULL),
    FIL_WIRE_MESSAGE(vector_collection_optimize, "vector_collection.optimize", 0x240900, true, 0, NULL),
    FIL_WIRE_MESSAGE(vector_collection_clear, "vector_collection.clear", 0x240a00, false, 0, NULL),
    FIL_WIRE_MESSAGE(vector_collection_size, "vector_collection.size", 0x240b00, true, 0, NULL),
};
