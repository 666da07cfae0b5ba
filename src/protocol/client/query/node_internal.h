// SPDX-License-Identifier: Apache-2.0
/** The parts of a predicate, and those who make them: of serialized objects, of text. */
#pragma once

#include "protocol/client/query/predicate.h"
#include "protocol/client/query/regex.h"

#define FIL_QUERY__DEPTH_MAX    16U
#define FIL_QUERY__OPERANDS_MAX 4096U

enum fil_query_node_kind {
    FIL_QUERY_TRUE,
    FIL_QUERY_FALSE,
    FIL_QUERY_AND,
    FIL_QUERY_OR,
    FIL_QUERY_NOT,
    FIL_QUERY_EQUAL, // to one of the operands
    FIL_QUERY_LESS,
    FIL_QUERY_GREATER,
    FIL_QUERY_BETWEEN, // the first operand and the second
    FIL_QUERY_LIKE,
    FIL_QUERY_REGEX,
};

struct fil_query_node {
    enum fil_query_node_kind kind;
    bool includes_equal; // less, greater
    bool is_any_case;    // like
    const struct fil_query_path *path;
    const struct fil_query_regex *regex;
    uint32_t operand_count;
    struct fil_wire_value *operands;
    struct fil_query_node *first; // of and, or, not
    struct fil_query_node *next;  // beside it
};

/** Where nodes are made, and why they cannot be. */
struct fil_query__maker {
    struct fil_arena *arena;
    struct fil_wire_fault fault;
    int32_t *key_hashes; // of predicate.h
    uint32_t key_hash_count;
};

/** Says why; returns the error. */
int fil_query__refuse(struct fil_query__maker *maker, int error, const char *reason);
int fil_query__refuse_memory(struct fil_query__maker *maker);

/** A node; NULL: no memory. */
struct fil_query_node *fil_query__node(struct fil_query__maker *maker,
                                       enum fil_query_node_kind kind);

/** Gives the node its attribute, by its path; its operands' room; its expression. */
int fil_query__set_path(struct fil_query__maker *maker, struct fil_query_node *node,
                        struct fil_bytes text) FIL_NODISCARD;
int fil_query__set_operands(struct fil_query__maker *maker, struct fil_query_node *node,
                            uint32_t count) FIL_NODISCARD;
int fil_query__set_regex(struct fil_query__maker *maker, struct fil_query_node *node,
                         struct fil_bytes pattern) FIL_NODISCARD;

/** Of a serialized object (serialized.c). */
int fil_query__read(struct fil_query__maker *maker, struct fil_bytes data,
                    struct fil_query_node **out_node) FIL_NODISCARD;

/** Of an expression in text (where.c). */
int fil_query__parse_where(struct fil_query__maker *maker, struct fil_bytes text,
                           struct fil_query_node **out_node) FIL_NODISCARD;
