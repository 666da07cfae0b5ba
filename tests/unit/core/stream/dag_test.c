// SPDX-License-Identifier: Apache-2.0
/**
 * Graphs: a good one passes and can be cloned; each mistake has its error and a text that names the
 * place; the first mistake stays; isolated edges connect each instance; refused memory is an error.
 */
#include "core/stream/dag.h"

#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

static int nothing(void *self, struct fil_processor_context *context)
{
    (void)self;
    (void)context;
    return FIL_OK;
}

static int nothing_in(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    (void)self;
    (void)context;
    (void)inbox;
    return FIL_OK;
}

static const struct fil_processor_ops source = {.name = "source", .complete = nothing};
static const struct fil_processor_ops sink = {.name = "sink", .process = nothing_in};
static const struct fil_processor_ops both = {
    .name = "both", .process = nothing_in, .complete = nothing};
static const struct fil_processor_ops neither = {.name = "neither"};
static const struct fil_edge plain = {.layout = {.stride = 8}};

static struct fil_dag dag;

static int set_up(void **state)
{
    (void)state;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "read", &source, NULL, 2);
    fil_dag_add_vertex(&dag, "write", &sink, NULL, 3);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_dag_fini(&dag);
    return 0;
}

static void expect(int error, const char *text)
{
    assert_int_equal(fil_dag_check(&dag), error);
    assert_string_equal(dag.text, text);
}

static void test_good_graph_passes(void **state)
{
    (void)state;
    fil_dag_add_edge(&dag, "read", "write", &plain);
    assert_int_equal(fil_dag_check(&dag), FIL_OK);
    struct fil_dag copy;
    assert_int_equal(fil_dag_clone(&copy, &dag), FIL_OK);
    assert_string_equal(copy.vertices[1].name, "write");
    assert_int_equal(copy.edges[0].to, 1);
    fil_dag_fini(&copy);
}

static void test_zero_parallelism_is_named(void **state)
{
    (void)state;
    fil_dag_add_vertex(&dag, "none", &both, NULL, 0);
    fil_dag_add_vertex(&dag, "", &both, NULL, 1); // the first mistake stays
    expect(FIL_E_INVALID, "vertex 'none' has a parallelism of 0, allowed are 1 to 256");
}

static void test_unknown_vertices_are_named(void **state)
{
    (void)state;
    fil_dag_add_edge(&dag, "read", "wirte", &plain);
    expect(FIL_E_NOT_FOUND, "an edge from 'read' leads to vertex 'wirte', which is not there");
    fil_dag_fini(&dag);
    fil_dag_add_edge(&dag, "reed", "write", &plain);
    expect(FIL_E_NOT_FOUND, "an edge leaves vertex 'reed', which is not there");
}

static void test_cycle_is_named(void **state)
{
    (void)state;
    fil_dag_add_vertex(&dag, "left", &both, NULL, 1);
    fil_dag_add_vertex(&dag, "right", &both, NULL, 1);
    fil_dag_add_edge(&dag, "read", "left", &plain);
    fil_dag_add_edge(&dag, "left", "right", &plain);
    fil_dag_add_edge(&dag, "right", "left", &plain);
    fil_dag_add_edge(&dag, "right", "write", &plain);
    assert_int_equal(fil_dag_check(&dag), FIL_E_INVALID);
    bool is_left = strcmp(dag.text, "vertex 'left' is part of a cycle") == 0;
    bool is_right = strcmp(dag.text, "vertex 'right' is part of a cycle") == 0;
    assert_true(is_left || is_right);
}

static void test_wrong_roles_are_named(void **state)
{
    (void)state;
    expect(FIL_E_INVALID, "no edge leads to vertex 'write', which is no source");
    fil_dag_fini(&dag);
    (void)set_up(state);
    fil_dag_add_edge(&dag, "read", "write", &plain);
    fil_dag_add_vertex(&dag, "again", &source, NULL, 1);
    fil_dag_add_edge(&dag, "read", "again", &plain);
    expect(FIL_E_INVALID, "an edge leads to vertex 'again', which is a source");
}

static void test_other_mistakes_are_named(void **state)
{
    (void)state;
    fil_dag_add_vertex(&dag, "read", &source, NULL, 1);
    expect(FIL_E_EXISTS, "vertex 'read' is there twice");
    fil_dag_fini(&dag);
    expect(FIL_E_INVALID, "the graph has no vertices");
    fil_dag_fini(&dag);
    fil_dag_add_vertex(&dag, "idle", &neither, NULL, 1);
    expect(FIL_E_INVALID, "vertex 'idle' has no processor");
    fil_dag_fini(&dag);
    (void)set_up(state);
    struct fil_edge edge = {.kind = FIL_EDGE_PARTITIONED, .layout = {.stride = 8}};
    fil_dag_add_edge(&dag, "read", "write", &edge);
    expect(FIL_E_INVALID, "partitioned edge 'read' -> 'write' has neither key nor hashes");
    fil_dag_fini(&dag);
    (void)set_up(state);
    edge.key = (struct fil_key){.offset = 4, .size = 8};
    fil_dag_add_edge(&dag, "read", "write", &edge);
    expect(FIL_E_INVALID, "the key of edge 'read' -> 'write' ends behind the record");
}

static void test_isolated_edge_reaches_every_instance(void **state)
{
    (void)state;
    struct fil_edge edge = plain;
    edge.kind = FIL_EDGE_ISOLATED;
    fil_dag_add_edge(&dag, "read", "write", &edge);
    for (uint32_t from = 1; from < 7; from++) {
        for (uint32_t to = 1; to < 7; to++) {
            dag.vertices[0].parallelism = from;
            dag.vertices[1].parallelism = to;
            uint32_t count = 0;
            for (uint32_t i = 0; i < from * to; i++) {
                count += fil_dag_edge_connects(&dag, &dag.edges[0], i / to, i % to);
            }
            assert_int_equal(count, from > to ? from : to);
        }
    }
}

static void test_refused_memory_is_an_error(void **state)
{
    (void)state;
    fil_dag_fini(&dag);
    fil_alloc_fail_after(0);
    fil_dag_add_vertex(&dag, "read", &source, NULL, 1);
    fil_alloc_fail_after(-1);
    assert_int_equal(fil_dag_check(&dag), FIL_E_NOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_good_graph_passes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_zero_parallelism_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unknown_vertices_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cycle_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_roles_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_mistakes_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_isolated_edge_reaches_every_instance, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_refused_memory_is_an_error, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("dag", tests, NULL, NULL);
}
