// SPDX-License-Identifier: Apache-2.0
/**
 * Job files: a good one runs and prints what a simple evaluation gives; late records and early
 * results come out as asked; lists and maps of values are JSON; folding changes the graph and not
 * the results; twenty-odd broken ones are told with line, column and reason; refused memory is an
 * error.
 */
#include "core/pipeline/job_file.h"

#include <stdio.h>

#include "core/pipeline/planner.h"
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

static char printed[4096];

static int print(void *context, struct fil_bytes line)
{
    (void)context;
    size_t used = strlen(printed);
    assert_true(used + line.size < sizeof(printed));
    memcpy(printed + used, line.data, line.size);
    printed[used + line.size] = '\0';
    return FIL_OK;
}

/** Runs a file that is good; what it has printed is in `printed`. */
static void run_text(const char *text)
{
    printed[0] = '\0';
    struct fil_job_file file;
    int error = fil_job_file_init(&file, fil_bytes_of(text), print, NULL);
    assert_string_equal(file.reason, "");
    assert_int_equal(error, FIL_OK);
    struct fil_stream *stream = NULL;
    const struct fil_stream_options options = {.worker_count = 1};
    assert_int_equal(fil_stream_start(&stream, &options), FIL_OK);
    assert_int_equal(fil_stream_run(stream, file.pipeline, &file.options), FIL_OK);
    fil_stream_stop(stream);
    fil_job_file_fini(&file);
}

static void test_late_records_have_a_sink_of_their_own(void **state)
{
    (void)state;
    // Record 600 is of the first second, which was over long before it came.
    const char *source = "job: late\nparallelism: 1\npipeline:\n"
                         "  - read: {generate: 601, fields: {time: 'if(n == 600, 5, n * 10)', "
                         "value: n}}\n";
    char text[512];
    (void)snprintf(text, sizeof(text), "%s  - window: {size: 2s, n: count, late: stdout}\n%s",
                   source, "  - write: nothing\n");
    run_text(text);
    assert_string_equal(printed, "5,600\n");
    // A lateness of six seconds keeps the first second open.
    (void)snprintf(text, sizeof(text),
                   "%s  - window: {size: 2s, n: count, lateness: 6s, late: stdout}\n%s", source,
                   "  - write: stdout\n");
    run_text(text);
    assert_string_equal(printed, "0,2000,201\n2000,4000,200\n4000,6000,200\n");
}

static void test_early_results_are_told_from_the_last(void **state)
{
    (void)state;
    run_text("job: early\nparallelism: 1\npipeline:\n"
             "  - read: {generate: 600, fields: {time: n * 10, value: n}}\n"
             "  - window: {size: 6s, n: count, early: 2s, early_clock: 1h}\n"
             "  - write: stdout\n");
    const char *last = strstr(printed, "0,6000,600,0\n");
    assert_non_null(last);
    assert_string_equal(last, "0,6000,600,0\n");
    assert_true(last > printed);
    for (const char *line = printed; line < last; line = strchr(line, '\n') + 1) {
        assert_memory_equal(line, "0,6000,", 7);
        assert_memory_equal(strchr(line, '\n') - 2, ",1\n", 3);
    }
}

static void test_job_prints_its_results(void **state)
{
    (void)state;
    const char *text = "job: squares\n"
                       "guarantee: at-least-once\n"
                       "interval: 1s\n"
                       "parallelism: 1\n"
                       "pipeline:\n"
                       "  - read: {generate: 100, fields: {time: n * 10, key: n % 3, value: n}}\n"
                       "  - filter: value >= 10 and key != 1\n"
                       "  - map: {time: time, key: key, name: 'if(key == 0, \"zero\", \"two\")', "
                       "square: value * value}\n"
                       "  - window: {size: 500ms, by: name, sum: sum(square), count: count, "
                       "last: max(square)}\n"
                       "  - write: stdout\n";
    printed[0] = '\0';
    struct fil_job_file file;
    int error = fil_job_file_init(&file, fil_bytes_of(text), print, NULL);
    assert_string_equal(file.reason, "");
    assert_int_equal(error, FIL_OK);
    assert_int_equal(file.options.guarantee, FIL_GUARANTEE_AT_LEAST_ONCE);
    assert_int_equal(file.options.interval_ms, 1000);
    struct fil_stream *stream = NULL;
    const struct fil_stream_options options = {.worker_count = 1};
    assert_int_equal(fil_stream_start(&stream, &options), FIL_OK);
    assert_int_equal(fil_stream_run(stream, file.pipeline, &file.options), FIL_OK);
    fil_stream_stop(stream);
    assert_string_equal(printed, "0,500,two,12571,13,2209\n"
                                 "0,500,zero,13338,13,2304\n"
                                 "500,1000,two,96764,17,9604\n"
                                 "500,1000,zero,99297,17,9801\n");
    fil_job_file_fini(&file);
}

static void test_pieces_of_a_text_are_records(void **state)
{
    (void)state;
    run_text("job: pieces\nparallelism: 1\npipeline:\n"
             "  - read: {generate: 2, fields: {n: n, t: 'if(n == 0, \"  a bb\tccc \", \"\")'}}\n"
             "  - split: t\n"
             "  - write: stdout\n");
    assert_string_equal(printed, "0,a\n0,bb\n0,ccc\n");
    run_text("job: pieces\nparallelism: 1\npipeline:\n"
             "  - read: {generate: 1, fields: {t: '\"a;b c,,d\"'}}\n"
             "  - split: {field: t, at: ';,'}\n"
             "  - write: stdout\n");
    assert_string_equal(printed, "a\nb c\nd\n");
}

static void test_lists_and_maps_are_texts_of_json(void **state)
{
    (void)state;
    run_text("job: lists\nparallelism: 2\npipeline:\n"
             "  - read: {generate: 12, fields: {time: 20 - n, name: 'if(n % 3 == 0, \"a\", "
             "\"b,c\")', v: n * n}}\n"
             "  - window: {size: 10s, by: name, values: 'list(v, 3)', last: 'map(name, v, 2)', "
             "real: 'list(time, 9)'}\n"
             "  - sort: name\n"
             "  - write: stdout\n");
    assert_string_equal(printed,
                        "0,10000,a,\"[81,36,9]\",1,\"{\"\"a\"\":0}\",0,\"[11,14,17,20]\",0\n"
                        "0,10000,\"b,c\",\"[121,100,64]\",5,\"{\"\"b,c\"\":1}\",0,\"[9,10,12,13,15,"
                        "16,18,19]\",0\n");
}

/** Whether a plan of the file has a vertex whose name ends so. */
static bool has_vertex(const char *text, const char *ending)
{
    struct fil_job_file file;
    struct fil_dag dag;
    bool is_found = false;
    assert_int_equal(fil_job_file_init(&file, fil_bytes_of(text), print, NULL), FIL_OK);
    fil_dag_init(&dag);
    assert_int_equal(fil_planner_plan(file.pipeline, 2, NULL, &dag), FIL_OK);
    for (uint32_t i = 0; i < dag.vertex_count; i++) {
        size_t size = strlen(dag.vertices[i].name);
        is_found = is_found || (size >= strlen(ending) &&
                                strcmp(dag.vertices[i].name + size - strlen(ending), ending) == 0);
    }
    fil_dag_fini(&dag);
    fil_job_file_fini(&file);
    return is_found;
}

static void test_fold_gives_the_same_from_two_vertices(void **state)
{
    (void)state;
    static const char *const groups[] = {"aggregate: {by: k, ", "window: {size: 1s, by: k, "};
    for (uint32_t i = 0; i < FIL_COUNT_OF(groups); i++) {
        char text[512];
        char plain[sizeof(printed)];
        for (uint32_t is_folded = 0; is_folded < 2; is_folded++) {
            (void)snprintf(text, sizeof(text),
                           "job: folded\nparallelism: 2\npipeline:\n"
                           "  - read: {generate: 5000, fields: {time: n, k: n %% 3, v: n}}\n"
                           "  - %s%sn: count, s: sum(v)}\n  - sort: [k, s]\n  - write: stdout\n",
                           groups[i], is_folded ? "fold: true, " : "fold: false, ");
            assert_int_equal(has_vertex(text, "-2-part"), is_folded);
            run_text(text);
            if (!is_folded) {
                memcpy(plain, printed, sizeof(plain));
            }
        }
        assert_string_equal(printed, plain);
        assert_true(strlen(printed) > 30);
    }
}

#define READ "job: a\npipeline:\n  - read: {generate: 9, fields: {time: n, text: '\"x\"', v: n}}\n"

#define STREAM(name, fields)                                                    \
    "job: a\nstreams:\n  " name ":\n    - read: {generate: 9, fields: {" fields \
    "}}\npipeline:\n  - read: {generate: 9, fields: {time: n, v: n}}\n"

static const struct {
    const char *text;
    size_t line;
    size_t column;
    const char *reason;
} broken[] = {
    {"", 1, 1, "the file is empty"},
    {"job: [a\n", 2, 1, "this is no YAML: did not find expected ',' or ']'"},
    {"- a\n", 1, 1, "names and values are expected here"},
    {"job: a\n", 1, 1, "'pipeline:' is missing"},
    {"pipeline: []\n", 1, 1, "'job:' is missing"},
    {"job: a\njob: b\npipeline: []\n", 2, 6, "'job' is there twice"},
    {"job: a\npipeline: 3\n", 2, 11, "the pipeline must be a list of stages"},
    {"job: a\ncolour: 3\npipeline: []\n", 2, 9, "there is no option 'colour'"},
    {"job: a\nweight: 0\npipeline: []\n", 2, 9, "a weight is one from 1 to 1000"},
    {"job: a\nweight: 1001\npipeline: []\n", 2, 9, "a weight is one from 1 to 1000"},
    {"job: a\nguarantee: twice\npipeline: []\n", 2, 12,
     "'twice' is no guarantee: it is none, at-least-once or exactly-once"},
    {"job: a\nunit: week\npipeline: []\n", 2, 7,
     "'week' is no unit of time: it is ns, us, ms or s"},
    {"job: a\npipeline: []\n", 2, 11, "the pipeline does not end with 'write'"},
    {"job: a\npipeline:\n  - filter: x > 1\n", 3, 13, "'filter' needs a 'read' in front of it"},
    {READ "  - read: {}\n", 4, 11, "'read' must be the first stage"},
    {READ "  - polish: {}\n", 4, 13, "there is no stage 'polish'"},
    {READ "  - filter: colour > 1\n", 4, 13, "there is no field 'colour'"},
    {READ "  - filter: v > text\n", 4, 15, "cannot compare i64 with text"},
    {READ "  - filter: v + 1\n", 4, 13, "a filter needs a condition, not i64"},
    {READ "  - map: {a: v, b: v +}\n", 4, 23, "the expression ends too early"},
    {READ "  - map: {a: v, a: v}\n", 4, 20, "field 'a' is there twice"},
    {READ "  - window: {size: 10x, n: count}\n", 4, 20,
     "'10x' is no duration in the job's unit: write it as 10s or 500ms"},
    {READ "  - window: {size: 10s, slide: 3s, n: count}\n", 4, 13,
     "stage 'window-2': a window of 10000 by 3000: the size must be a positive multiple of the "
     "slide, up to 65536 of them"},
    {READ "  - window: {size: 10s, by: colour, n: count}\n", 4, 13,
     "stage 'window-2': key 'colour' is no field of type 'record'"},
    {READ "  - window: {size: 10s, n: middle(v)}\n", 4, 28,
     "'middle(v)' is no aggregate: it is count, sum(FIELD), average(FIELD), min(FIELD), "
     "max(FIELD), "
     "min_by(FIELD, BY), max_by(FIELD, BY), trend(FIELD, BY), distinct(FIELD), percentile(FIELD, "
     "RANK), list(FIELD, COUNT) or map(KEY, FIELD, COUNT)"},
    {READ "  - window: {size: 10s, n: 'list(v, 0)'}\n", 4, 13,
     "stage 'window-2': a list of 0: it has 1 to 1024 values, each of up to 1024 bytes, and up to "
     "4096 bytes as text"},
    {READ "  - window: {size: 10s, n: 'map(text, v, 500)'}\n", 4, 13,
     "stage 'window-2': a map of 500: it has 1 to 1024 values, each of up to 1024 bytes, and up to "
     "4096 bytes as text"},
    {READ "  - window: {size: 10s, n: 'map(colour, v, 5)'}\n", 4, 13,
     "stage 'window-2': map of 'colour', which is no field of 'record'"},
    {READ "  - window: {size: 10s, n: 'list(v, 2)', n_more: count}\n", 4, 13,
     "stage 'window-2': its results have two fields 'n_more'"},
    {READ "  - aggregate: {by: v, fold: maybe, n: count}\n", 4, 30,
     "fold is true or false, not 'maybe'"},
    {READ "  - split: colour\n", 4, 12, "there is no field 'colour'"},
    {READ "  - split: v\n", 4, 12, "field 'v' is no text"},
    {READ "  - split: {at: x}\n", 4, 12, "a split needs a field"},
    {READ "  - split: {field: text, at: ''}\n", 4, 30, "characters must be a text"},
    {READ "  - split: {field: text, by: ','}\n", 4, 30, "a split has no 'by'"},
    {"job: a\npipeline:\n  - read: {lines: x, type: {a: i64}}\n", 3, 11,
     "stage 'lines-1': lines are records of one text field, which type 'record' is not"},
    {READ "  - rolling: {by: colour, n: count}\n", 4, 14,
     "stage 'rolling-2': key 'colour' is no field of type 'record'"},
    {READ "  - rolling: {by: time, n: count}\n", 4, 14,
     "stage 'rolling-2': its results have two fields 'time'"},
    {READ "  - rolling: {size: 10s, n: count}\n", 4, 21,
     "'10s' is no aggregate: it is count, sum(FIELD), average(FIELD), min(FIELD), max(FIELD), "
     "min_by(FIELD, BY), max_by(FIELD, BY), trend(FIELD, BY), distinct(FIELD), percentile(FIELD, "
     "RANK), list(FIELD, COUNT) or map(KEY, FIELD, COUNT)"},
    {READ "  - distinct: colour\n", 4, 15,
     "stage 'distinct-2': key 'colour' is no field of type 'record'"},
    {READ "  - distinct: {by: v}\n", 4, 15, "the key must be a text"},
    {READ "  - aggregate: {n: percentile(v)}\n", 4, 20,
     "'percentile(v)' is no aggregate: it is count, sum(FIELD), average(FIELD), min(FIELD), "
     "max(FIELD), min_by(FIELD, BY), max_by(FIELD, BY), trend(FIELD, BY), distinct(FIELD), "
     "percentile(FIELD, RANK), list(FIELD, COUNT) or map(KEY, FIELD, COUNT)"},
    {READ "  - aggregate: {n: 'percentile(v, 101)'}\n", 4, 16,
     "stage 'aggregate-2': a percentile is one from 0 to 100"},
    {READ "  - aggregate: {n: 'max_by(v, colour)'}\n", 4, 16,
     "stage 'aggregate-2': max_by of 'colour', which is no field of 'record'"},
    {READ "  - aggregate: {n: 'trend(v, text)'}\n", 4, 16,
     "stage 'aggregate-2': there is no trend of text 'text'"},
    {READ "  - aggregate: {a: 'percentile(v, 1)', b: 'percentile(v, 2)', c: 'percentile(v, 3)', d: "
          "'percentile(v, 4)', e: 'percentile(v, 5)'}\n",
     4, 16, "stage 'aggregate-2': its aggregates take 38448 bytes a group, 32768 at most"},
    {READ "  - window: {size: 10s, early: now, n: count}\n", 4, 32,
     "'now' is no duration in the job's unit: write it as 10s or 500ms"},
    {READ "  - window: {size: 10s, early_clock: 10us, n: count}\n", 4, 38,
     "'10us' is no time of the clock of 1ms or more: write it as 2s or 500ms"},
    {READ "  - window: {size: 10s, early_clock: 10, n: count}\n", 4, 38,
     "'10' is no time of the clock of 1ms or more: write it as 2s or 500ms"},
    {READ "  - window: {size: 10s, lateness: -1s, n: count}\n", 4, 35,
     "'-1s' is no duration in the job's unit: write it as 10s or 500ms"},
    {READ "  - window: {size: 10s, late: printer, n: count}\n", 4, 31,
     "a sink is stdout, log, nothing, {csv: FOLDER/NAME}, {json: FOLDER/NAME}, a map, queue, list, "
     "topic or ringbuffer as in {map: NAME}, or {http: SERVER, post: /PATH}"},
    {READ "  - window: {size: 10s, early: 1s, early: count}\n", 4, 43,
     "'count' is no duration in the job's unit: write it as 10s or 500ms"},
    {READ "  - window: {size: 10s, by: v, v: count}\n", 4, 13,
     "stage 'window-2': its results have two fields 'v'"},
    {READ "  - write: printer\n", 4, 12,
     "a sink is stdout, log, nothing, {csv: FOLDER/NAME}, {json: FOLDER/NAME}, a map, queue, list, "
     "topic or ringbuffer as in {map: NAME}, or {http: SERVER, post: /PATH}"},
    {READ "  - write: {map: m, colour: x}\n", 4, 29, "a sink of a map has no 'colour'"},
    {READ "  - write: {map: m, mode: replace}\n", 4, 27,
     "'replace' is not known here: it is put, if-absent, remove or add"},
    {READ "  - lookup: {map: m}\n", 4, 13, "a lookup is a map with type, by a field"},
    {READ "  - call: {http: a:1, post: /x}\n", 4, 11, "a call needs the type of its answers"},
    {READ "  - call: {http: a:1, type: {s: i64}}\n", 4, 11,
     "a request needs http with its servers, and a method with its path, as in {http: 10.0.0.1:80, "
     "post: /score}"},
    {READ "  - call: {http: a:1, post: /x, get: /y, type: {s: i64}}\n", 4, 38,
     "a request has one method, and one path"},
    {READ "  - call: {http: a:1, post: /x, colour: red, type: {s: i64}}\n", 4, 41,
     "a call has no 'colour'"},
    {READ "  - call: {http: a, post: /x, type: {s: i64}}\n", 4, 11,
     "stage 'call-2': 'a' is no server: write it as HOST:PORT"},
    {READ "  - call: {http: [a:1, ':80'], post: /x, type: {s: i64}}\n", 4, 11,
     "stage 'call-2': ':80' is no server: write it as HOST:PORT"},
    {READ "  - call: {http: a:70000, post: /x, type: {s: i64}}\n", 4, 11,
     "stage 'call-2': 'a:70000' is no server: write it as HOST:PORT"},
    {READ "  - call: {http: a:1, post: x, type: {s: i64}}\n", 4, 11,
     "stage 'call-2': a path begins with '/' and has up to 1024 bytes"},
    {READ "  - call: {http: a:1, get: '/x/{colour}', type: {s: i64}}\n", 4, 11,
     "stage 'call-2': the path names 'colour', which is no field of type 'record'"},
    {READ "  - call: {http: a:1, get: '/x/{v', type: {s: i64}}\n", 4, 11,
     "stage 'call-2': the path has a '{' without its '}'"},
    {READ "  - call: {http: a:1, get: /a b, type: {s: i64}}\n", 4, 11,
     "stage 'call-2': a path has no blanks, no '#' and nothing but ASCII; write others as %20"},
    {READ "  - call: {http: a:1, get: /x, type: {s: i64}, concurrency: 257}\n", 4, 11,
     "stage 'call-2': 257 requests at once, 256 at most"},
    {READ "  - call: {http: a:1, get: /x, type: {s: i64}, tries: 0}\n", 4, 55,
     "it must be 1 or more"},
    {READ "  - call: {http: a:1, get: /x, type: {s: i64}, timeout: 3}\n", 4, 57,
     "'3' is no time of the clock of 1ms or more: write it as 2s or 500ms"},
    {READ "  - call: {http: a:1, get: /x, type: {s: i64}, timeout: 11m}\n", 4, 11,
     "stage 'call-2': a request may take 600000 ms at most"},
    {READ "  - call: {http: a:1, get: /x, type: {v: i64}}\n", 4, 11, "field 'v' is there twice"},
    {READ "  - call: {http: a:1, get: /x, type: {s: i64}, protocol: http9}\n", 4, 58,
     "'http9' is not known here: it is http1 or http2"},
    {READ "  - write: {http: a:1, post: /x, colour: red}\n", 4, 42,
     "a sink over HTTP has no 'colour'"},
    {READ "  - write: {http: a:1, post: /x, batch: 1001}\n", 4, 12,
     "stage 'write-2': 1001 records in a request, 1000 at most"},
    {READ "  - write: {http: a:1, post: '/x/{v}', batch: 2}\n", 4, 12,
     "stage 'write-2': requests of several records have no fields in their path"},
    {READ "  - write: {http: a:1, delete: /x, batch: 2}\n", 4, 12,
     "stage 'write-2': only POST, PUT and PATCH send several records"},
    {"job: a\npipeline:\n  - read: {journal: m}\n", 3, 11, "a source of a journal needs a type"},
    {"job: a\npipeline:\n  - read: {map: m, from: then}\n", 3, 26,
     "'then' is not known here: it is oldest or now"},
    {READ "  - write: {csv: name}\n", 4, 18, "'name' is not FOLDER/NAME"},
    {READ "  - write: nothing\n  - filter: v > 1\n", 5, 13, "'filter' comes behind 'write'"},
    {"job: a\npipeline:\n  - read: {csv: f, type: {a: float}}\n", 3, 30,
     "'float' is no type: it is i64, f64, time, text or text(N) up to 4096"},
    {"job: a\npipeline:\n  - read: {csv: f}\n", 3, 11,
     "a source is csv, json, lines or socket with type, generate with fields, timer, or a map, "
     "journal or "
     "ringbuffer with type"},
    {"job: a\npipeline:\n  - read: {socket: here, type: {a: i64}}\n", 3, 11,
     "stage 'socket-1': 'here' is no address: write it as 127.0.0.1:9000 or [::1]:9000"},
    {"job: a\npipeline:\n  - read: {timer: 1}\n", 3, 19,
     "'1' is no time of the clock of 1ms or more: write it as 2s or 500ms"},
    {"job: a\npipeline:\n  - read: {json: f, type: {a: i64}, format: xml}\n", 3, 45,
     "'xml' is not known here: it is csv or json"},
    {READ "  - write: {csv: a/b, rotate: big}\n", 4, 31, "'big' is no size: write it as 64MiB"},
    {READ "  - write: {json: a/b, colour: x}\n", 4, 32, "a sink of files has no 'colour'"},
    {READ "  - sort: colour\n", 4, 11,
     "stage 'sort-2': it orders by 'colour', which is no field of 'record'"},
    {READ "  - sort: v down\n", 4, 11,
     "'v down' is no order: write FIELD, FIELD asc or FIELD desc"},
    {READ "  - sort: [v, v, v, v, v]\n", 4, 11, "an order has 1 to 4 fields"},
    {READ "  - top: {by: v}\n", 4, 10,
     "stage 'top-2': the first 0 records of 24 bytes: it keeps 1 and more, in up to 32768 bytes"},
    {READ "  - top: {count: 3}\n", 4, 10, "stage 'top-2': it needs a field to order by"},
    {READ "  - top: {count: 3, by: v, of: colour}\n", 4, 10,
     "stage 'top-2': key 'colour' is no field of type 'record'"},
    {READ "  - top: {count: 3, by: v, least: v}\n", 4, 35, "a top has no 'least'"},
    {READ "  - merge: others\n", 4, 12, "there is no stream 'others' in 'streams' before this"},
    {READ "  - join: {by: v}\n", 4, 11, "a join is with a stream, by a field"},
    {READ "  - cogroup: {by: v, n: count}\n", 4, 14, "a cogroup is with at least one stream"},
    {STREAM("others", "w: n") "  - merge: others\n", 7, 12,
     "stage 'merge-3': it merges records of type 'record' with those of type 'record': field 1 is "
     "time, and there w"},
    {STREAM("others", "time: n, v: '\"a\"'") "  - merge: others\n", 7, 12,
     "stage 'merge-3': it merges records of type 'record' with those of type 'record': field 2 is "
     "v, and there it has another kind or size"},
    {STREAM("others", "time: n") "  - merge: others\n", 7, 12,
     "stage 'merge-3': it merges records of type 'record' with those of type 'record': field 2 is "
     "v, and there missing"},
    {STREAM("others", "w: n") "  - join: {with: others, by: v, to: x}\n", 7, 11,
     "stage 'join-3': key 'x' is no field of type 'record'"},
    {STREAM("others", "w: '\"a\"'") "  - cogroup: {by: v, n: count, with: {others: {by: w}}}\n", 7,
     14, "stage 'generator-1': the keys of a co-group must be of one kind"},
    {STREAM("others", "w: n") "  - cogroup: {by: v, n: count, with: {others: {by: w, n: count}}}\n",
     7, 14, "stage 'cogroup-5': its results have two fields 'n'"},
    {STREAM("others", "w: n") "  - cogroup: {by: v, size: 1s, n: count, with: {others: {by: w}}}\n",
     7, 14, "stage 'cogroup-5': type 'record' has no time field"},
    {STREAM("others", "w: n") "  - write: nothing\n", 4, 5, "nothing uses stream 'others'"},
    {"job: a\nstreams:\n  x:\n    - write: stdout\npipeline: []\n", 4, 14,
     "'write' needs a 'read' in front of it"},
    {"job: a\nstreams: {x: []}\npipeline: []\n", 2, 14, "stream 'x' has no stages"},
    {READ "  - filter: v > 1\n    map: {a: v}\n", 5, 10,
     "a stage is one name and its value; 'map' is a second one"},
};

static void test_broken_files_are_told_with_line_and_column(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FIL_COUNT_OF(broken); i++) {
        struct fil_job_file file;
        int error = fil_job_file_init(&file, fil_bytes_of(broken[i].text), print, NULL);
        assert_string_equal(file.reason, broken[i].reason);
        assert_int_equal(error, FIL_E_MALFORMED);
        assert_int_equal(file.line, broken[i].line);
        assert_int_equal(file.column, broken[i].column);
        fil_job_file_fini(&file);
    }
}

/** The fault of a job that may use files below the folder. */
static const char *find_fault(const char *files, const char *text, size_t line, size_t column)
{
    static char reason[FIL_JOB_FILE_REASON_MAX];
    struct fil_job_file file;
    const struct fil_job_bounds bounds = {.files = files, .services = "10.0.0.1:80, here:81"};
    int error = fil_job_file_init_confined(&file, fil_bytes_of(text), &bounds, print, NULL);
    assert_int_equal(error, FIL_E_MALFORMED);
    assert_int_equal(file.line, line);
    assert_int_equal(file.column, column);
    memcpy(reason, file.reason, sizeof(reason));
    fil_job_file_fini(&file);
    return reason;
}

static void test_files_of_strangers_are_confined(void **state)
{
    (void)state;
    static const char none[] = "jobs of this member may not use files: set stream.files to the "
                               "folder where they may";
    static const char reading[] = "job: a\npipeline:\n"
                                  "  - read: {csv: /etc/passwd, type: {v: i64}}\n"
                                  "  - write: nothing\n";
    assert_string_equal(find_fault(NULL, reading, 3, 17), none);
    assert_string_equal(find_fault(NULL, READ "  - write: {csv: /tmp/x}\n", 4, 18), none);
    assert_string_equal(
        find_fault(NULL, READ "  - window: {size: 10s, late: {csv: a/b}, n: count}\n", 4, 37),
        none);
    assert_string_equal(find_fault("/proc/self/fd", reading, 3, 17),
                        "'/etc/passwd' is not below the folder of stream.files, where alone jobs "
                        "of this member may use files");
    assert_string_equal(find_fault("/nosuch/folder", reading, 3, 17),
                        "there is no folder '/nosuch/folder', which stream.files names");
}

static void test_services_of_strangers_are_confined(void **state)
{
    (void)state;
    struct fil_job_file file;
    const struct fil_job_bounds none = {0};
    static const char calling[] = READ "  - call: {http: [here:81, there:82], get: /x, type: {s: "
                                       "i64}}\n  - write: nothing\n";
    static const char good[] = READ "  - write: {http: here:81, post: /x}\n";
    assert_string_equal(find_fault(NULL, calling, 4, 28),
                        "'there:82' is not among stream.services, which alone jobs of this member "
                        "may ask");
    assert_int_equal(fil_job_file_init_confined(&file, fil_bytes_of(good), &none, print, NULL),
                     FIL_E_MALFORMED);
    assert_string_equal(file.reason, "jobs of this member may not ask services: set "
                                     "stream.services to those that they may");
    fil_job_file_fini(&file);
    const struct fil_job_bounds here = {.services = "10.0.0.1:80, here:81"};
    assert_int_equal(fil_job_file_init_confined(&file, fil_bytes_of(good), &here, print, NULL),
                     FIL_OK);
    fil_job_file_fini(&file);
    const struct fil_job_bounds all = {.services = "*"};
    assert_int_equal(fil_job_file_init_confined(&file, fil_bytes_of(calling), &all, print, NULL),
                     FIL_OK);
    fil_job_file_fini(&file);
}

static void test_refused_memory_is_an_error(void **state)
{
    (void)state;
    const char *text = READ "  - call: {http: a:1, get: /x, type: {s: i64}}\n"
                            "  - window: {size: 10s, by: v, n: count}\n  - write: {csv: /x/y}\n";
    bool has_passed = false;
    for (int64_t after = 0; !has_passed && after < 200; after++) {
        struct fil_job_file file;
        const struct fil_job_bounds bounds = {.files = "/", .services = "*"};
        fil_alloc_fail_after(after);
        has_passed =
            fil_job_file_init_confined(&file, fil_bytes_of(text), &bounds, print, NULL) == FIL_OK;
        fil_alloc_fail_after(-1);
        fil_job_file_fini(&file);
    }
    assert_true(has_passed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job_prints_its_results),
        cmocka_unit_test(test_late_records_have_a_sink_of_their_own),
        cmocka_unit_test(test_pieces_of_a_text_are_records),
        cmocka_unit_test(test_lists_and_maps_are_texts_of_json),
        cmocka_unit_test(test_fold_gives_the_same_from_two_vertices),
        cmocka_unit_test(test_early_results_are_told_from_the_last),
        cmocka_unit_test(test_broken_files_are_told_with_line_and_column),
        cmocka_unit_test(test_files_of_strangers_are_confined),
        cmocka_unit_test(test_services_of_strangers_are_confined),
        cmocka_unit_test(test_refused_memory_is_an_error),
    };
    return cmocka_run_group_tests_name("job_file", tests, NULL, NULL);
}
