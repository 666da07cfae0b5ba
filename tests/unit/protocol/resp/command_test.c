// SPDX-License-Identifier: Apache-2.0
/**
 * The RESP commands through a connection, byte for byte in RESP2 and RESP3: what each command
 * answers; that names are found in any case and nothing else is; wrong counts of arguments, unknown
 * commands and bad protocol answer with Redis's texts; pipelined commands are answered in order,
 * also in pieces and when the reader is slow; what does not fit in memory is refused and the
 * connection goes on; QUIT ends it; every failed allocation ends the connection at most.
 */
#include "protocol/resp/command.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/resp/resp_world.h"

#define SECOND UINT64_C(1000000000)

static struct resp_world world;

// Every promise holds on both ways: run by the loop in place, and by the partition thread.
static bool has_caller_runs;

static int set_up(void **state)
{
    (void)state;
    resp_world_init(&world);
    world.has_caller_runs = has_caller_runs;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    resp_world_close(&world);
    return 0;
}

/** What HELLO answers on the connection with this id. */
static const char *hello_reply(int version, uint64_t id)
{
    static char text[512];
    (void)snprintf(text, sizeof(text),
                   "%s\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n"
                   "$5\r\nproto\r\n:%d\r\n$2\r\nid\r\n:%llu\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n"
                   "$4\r\nrole\r\n$6\r\nmaster\r\n$7\r\nmodules\r\n*0\r\n",
                   version == 2 ? "*14" : "%7", version, (unsigned long long)id);
    return text;
}

static uint64_t next_id(void)
{
    return world.net.client_count + 1;
}

/** The same commands in both versions. */
static void check_both(const char *text, const char *reply2, const char *reply3)
{
    char input[512];
    char reply[8192];
    resp_world_check(&world, text, reply2);
    (void)snprintf(input, sizeof(input), "HELLO 3\r\n%s", text);
    (void)snprintf(reply, sizeof(reply), "%s%s", hello_reply(3, next_id()), reply3);
    resp_world_check(&world, input, reply);
}

static void check_same(const char *text, const char *reply)
{
    check_both(text, reply, reply);
}

/** The world holds a handful of clients, so long tests begin anew. */
static void renew(void)
{
    resp_world_close(&world);
    resp_world_init(&world);
    resp_world_open(&world, 1U << 24);
}

static void test_connection_commands(void **state)
{
    (void)state;
    resp_world_open(&world, 1U << 24);
    check_same("PING\r\nPING hello\r\nPING a b\r\n",
               "+PONG\r\n$5\r\nhello\r\n-ERR wrong number of arguments for 'ping' command\r\n");
    check_same("ECHO \"a b\"\r\nECHO ''\r\n", "$3\r\na b\r\n$0\r\n\r\n");
    check_same("SELECT 0\r\nSELECT 1\r\nSELECT x\r\nSELECT -1\r\n",
               "+OK\r\n-ERR DB index is out of range\r\n"
               "-ERR value is not an integer or out of range\r\n-ERR DB index is out of range\r\n");
    check_same("AUTH x\r\n",
               "-ERR AUTH <password> called without any password configured for the default user. "
               "Are you sure your configuration is correct?\r\n");
}

static void test_hello_chooses_the_version(void **state)
{
    (void)state;
    char reply[2048];
    resp_world_open(&world, 1U << 24);
    (void)snprintf(reply, sizeof(reply), "%s$-1\r\n", hello_reply(2, next_id()));
    resp_world_check(&world, "HELLO\r\nGET missing\r\n", reply);
    (void)snprintf(reply, sizeof(reply), "%s_\r\n", hello_reply(3, next_id()));
    resp_world_check(&world, "hello 3\r\nGET missing\r\n", reply);
    size_t used = (size_t)snprintf(reply, sizeof(reply), "%s", hello_reply(3, next_id()));
    (void)snprintf(reply + used, sizeof(reply) - used, "%s$-1\r\n", hello_reply(2, next_id()));
    resp_world_check(&world, "HELLO 3\r\nHELLO 2\r\nGET missing\r\n", reply);
    resp_world_check(&world, "HELLO 4\r\nHELLO x\r\nHELLO 1\r\nGET missing\r\n",
                     "-NOPROTO unsupported protocol version\r\n"
                     "-ERR Protocol version is not an integer or out of range\r\n"
                     "-NOPROTO unsupported protocol version\r\n$-1\r\n");
    (void)snprintf(reply, sizeof(reply), "%s$3\r\nbob\r\n", hello_reply(3, next_id()));
    resp_world_check(&world, "HELLO 3 SETNAME bob\r\nCLIENT GETNAME\r\n", reply);
    // What is refused changes nothing.
    resp_world_check(&world,
                     "HELLO 3 SETNAME 'a b'\r\nHELLO 3 FOO\r\nHELLO 3 SETNAME\r\nGET missing\r\n",
                     "-ERR Client names cannot contain spaces, newlines or special characters."
                     "\r\n-ERR Syntax error in HELLO option 'FOO'\r\n"
                     "-ERR Syntax error in HELLO option 'SETNAME'\r\n$-1\r\n");
    resp_world_check(&world, "HELLO 3 AUTH default x\r\nGET missing\r\n",
                     "-ERR AUTH <password> called without any password configured for the default "
                     "user. Are you sure your configuration is correct?\r\n$-1\r\n");
}

static void test_client_tells_of_the_connection(void **state)
{
    (void)state;
    resp_world_open(&world, 1U << 24);
    resp_world_check(&world, "CLIENT ID\r\n", ":1\r\n");
    resp_world_check(&world, "client id\r\n", ":2\r\n");
    check_both("CLIENT GETNAME\r\n", "$-1\r\n", "_\r\n");
    check_both("CLIENT SETNAME bob\r\nCLIENT GETNAME\r\nCLIENT SETNAME ''\r\nCLIENT GETNAME\r\n",
               "+OK\r\n$3\r\nbob\r\n+OK\r\n$-1\r\n", "+OK\r\n$3\r\nbob\r\n+OK\r\n_\r\n");
    check_same("CLIENT SETNAME 'a b'\r\n",
               "-ERR Client names cannot contain spaces, newlines or special characters.\r\n");
    check_same("CLIENT SETINFO LIB-NAME redis-py\r\nCLIENT SETINFO lib-ver 5.0\r\n"
               "CLIENT SETINFO lib-name 'a b'\r\nCLIENT SETINFO other x\r\n",
               "+OK\r\n+OK\r\n-ERR lib-name and lib-ver cannot contain spaces, newlines or special "
               "characters.\r\n-ERR Unrecognized option 'other'\r\n");
    check_same("CLIENT FOO\r\nCLIENT ID x\r\nCLIENT\r\n",
               "-ERR unknown subcommand 'FOO'. Try CLIENT HELP.\r\n"
               "-ERR wrong number of arguments for 'client|id' command\r\n"
               "-ERR wrong number of arguments for 'client' command\r\n");
}

static void test_longest_name_fits(void **state)
{
    (void)state;
    char input[256];
    char reply[256];
    char name[65];
    memset(name, 'n', 64);
    resp_world_open(&world, 1U << 24);
    name[63] = '\0';
    (void)snprintf(input, sizeof(input), "CLIENT SETNAME %s\r\nCLIENT GETNAME\r\n", name);
    (void)snprintf(reply, sizeof(reply), "+OK\r\n$63\r\n%s\r\n", name);
    resp_world_check(&world, input, reply);
    name[63] = 'n';
    name[64] = '\0';
    (void)snprintf(input, sizeof(input), "CLIENT SETNAME %s\r\n", name);
    resp_world_check(&world, input, "-ERR Client names cannot be longer than 63 bytes.\r\n");
}

/** The line of CLIENT LIST for a connection. */
static int client_line(char *text, size_t capacity, uint64_t id, const char *name, int version,
                       unsigned age, unsigned idle)
{
    fil_role_assert_io();
    fil_list_foreach(link, &world.net.loops[0].connections) {
        const struct fil_connection *connection =
            FIL_CONTAINER_OF(link, struct fil_connection, link);
        if (connection->id == id) {
            char address[FIL_ADDRESS_TEXT_MAX];
            return snprintf(
                text, capacity,
                "id=%llu addr=%s fd=%d name=%s age=%u idle=%u flags=N db=0 sub=0 lost=0 "
                "cmd=client "
                "user=default resp=%d lib-name= lib-ver=\n",
                (unsigned long long)id, fil_address_format(&connection->peer, address),
                connection->fd, name, age, idle, version);
        }
    }
    fail_msg("no connection %llu", (unsigned long long)id);
    return 0;
}

static void test_client_list_tells_of_all(void **state)
{
    (void)state;
    char line[512];
    char lines[1024];
    char reply[2048];
    resp_world_open(&world, 1U << 24);
    struct fil_sim_client *client = net_world_client(&world.net);
    net_world_send(client, "CLIENT SETNAME first\r\n");
    net_world_run_for(&world.net, SECOND / 100);
    net_world_send(client, "CLIENT INFO\r\n");
    int size = client_line(line, sizeof(line), 1, "first", 2, 0, 0);
    (void)snprintf(reply, sizeof(reply), "+OK\r\n$%d\r\n%s\r\n", size, line);
    net_world_expect(client, reply);
    net_world_run_for(&world.net, SECOND / 100);
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(client)), "matched");

    // Another one, in RESP3, after a while.
    struct fil_sim_client *other = net_world_client(&world.net);
    net_world_send(other, "HELLO 3\r\n");
    net_world_expect(other, hello_reply(3, 2));
    net_world_run_for(&world.net, SECOND / 100);
    fil_sim_advance(&world.net.sim, 3 * SECOND / 2);
    net_world_send(other, "CLIENT LIST\r\n");
    size = client_line(lines, sizeof(lines), 1, "first", 2, 1, 1);
    size += client_line(lines + size, sizeof(lines) - (size_t)size, 2, "", 3, 1, 0);
    (void)snprintf(reply, sizeof(reply), "=%d\r\ntxt:%s\r\n", size + 4, lines);
    net_world_expect(other, reply);
    net_world_run_for(&world.net, SECOND / 100);
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(other)), "matched");
}

static void test_key_commands(void **state)
{
    (void)state;
    resp_world_open(&world, 1U << 24);
    check_both("GET a\r\nSET a 1\r\nGET a\r\nSET a ''\r\nGET a\r\nDEL a\r\nGET a\r\n",
               "$-1\r\n+OK\r\n$1\r\n1\r\n+OK\r\n$0\r\n\r\n:1\r\n$-1\r\n",
               "_\r\n+OK\r\n$1\r\n1\r\n+OK\r\n$0\r\n\r\n:1\r\n_\r\n");
    check_same("SET a 1\r\nSET b 2\r\nEXISTS a b c a\r\nDBSIZE\r\nDEL a b c a\r\nDBSIZE\r\n",
               "+OK\r\n+OK\r\n:3\r\n:2\r\n:2\r\n:0\r\n");
    check_same("SET a 1 EX\r\nGET\r\nGET a b\r\nSET a\r\nDEL\r\nEXISTS\r\nDBSIZE x\r\nECHO\r\n",
               "-ERR syntax error\r\n-ERR wrong number of arguments for 'get' command\r\n"
               "-ERR wrong number of arguments for 'get' command\r\n"
               "-ERR wrong number of arguments for 'set' command\r\n"
               "-ERR wrong number of arguments for 'del' command\r\n"
               "-ERR wrong number of arguments for 'exists' command\r\n"
               "-ERR wrong number of arguments for 'dbsize' command\r\n"
               "-ERR wrong number of arguments for 'echo' command\r\n");
}

static void test_keys_and_values_are_bytes(void **state)
{
    (void)state;
    resp_world_open(&world, 1U << 24);
    static const char input[] = "*3\r\n$3\r\nSET\r\n$4\r\n\r\n\0\xff\r\n$3\r\n\0\n\0\r\n"
                                "*2\r\n$3\r\nGET\r\n$4\r\n\r\n\0\xff\r\n"
                                "*2\r\n$3\r\nGET\r\n$3\r\n\r\n\0\r\n";
    static const char reply[] = "+OK\r\n$3\r\n\0\n\0\r\n$-1\r\n";
    resp_world_check_bytes(&world, fil_bytes_make(input, sizeof(input) - 1),
                           fil_bytes_make(reply, sizeof(reply) - 1));
}

static void test_large_values_come_back(void **state)
{
    (void)state;
    static char input[300000];
    static char value[250001];
    static char reply[300000];
    memset(value, 'v', sizeof(value) - 1);
    resp_world_open(&world, 1U << 24);
    world.net.client_options = (struct fil_sim_client_options){.send_bytes_max = sizeof(input),
                                                               .receive_bytes_max = sizeof(reply)};
    (void)snprintf(input, sizeof(input),
                   "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$250000\r\n%s\r\nGET k\r\nPING\r\n", value);
    (void)snprintf(reply, sizeof(reply), "+OK\r\n$250000\r\n%s\r\n+PONG\r\n", value);
    resp_world_check(&world, input, reply);
}

static void test_unknown_commands_answer_as_redis_does(void **state)
{
    (void)state;
    resp_world_open(&world, 1U << 24);
    check_same("FOO\r\nfoo a 'b c'\r\n''\r\n",
               "-ERR unknown command 'FOO', with args beginning with: \r\n"
               "-ERR unknown command 'foo', with args beginning with: 'a' 'b c' \r\n"
               "-ERR unknown command '', with args beginning with: \r\n");
    // A line end in a name must not end the error.
    check_same("PING\r\n\"a\\r\\nb\"\r\n",
               "+PONG\r\n-ERR unknown command 'a  b', with args beginning with: \r\n");
    check_same("GETX\r\nGE\r\nGET1 a\r\nAVERYLONGNAMEOFACOMMANDTHATISNONE\r\n",
               "-ERR unknown command 'GETX', with args beginning with: \r\n"
               "-ERR unknown command 'GE', with args beginning with: \r\n"
               "-ERR unknown command 'GET1', with args beginning with: 'a' \r\n"
               "-ERR unknown command 'AVERYLONGNAMEOFACOMMANDTHATISNONE', with args beginning "
               "with: \r\n");
    // A name ends where its bytes end, not at a zero among them.
    check_same("PING\r\n\"GET\\x00\" a\r\n",
               "+PONG\r\n-ERR unknown command 'GET', with args beginning with: 'a' \r\n");
}

static void test_long_unknown_command_is_cut(void **state)
{
    (void)state;
    char input[512] = "foo ";
    char reply[512] = "-ERR unknown command 'foo', with args beginning with: '";
    resp_world_open(&world, 1U << 24);
    memset(input + 4, 'x', 300);
    memcpy(input + 304, " y\r\n", 5);
    size_t used = strlen(reply);
    memset(reply + used, 'x', 128);
    memcpy(reply + used + 128, "' \r\n", 5);
    resp_world_check(&world, input, reply);
}

static void test_names_are_found_in_any_case(void **state)
{
    (void)state;
    resp_world_open(&world, 1U << 24);
    for (uint32_t i = 0; i < fil_resp_command_count(); i++) {
        const struct fil_resp_command_info *info = fil_resp_command_at(i);
        char name[FIL_RESP_NAME_BYTES_MAX];
        size_t size = strlen(info->name);
        assert_true(size < sizeof(name));
        for (size_t k = 0; k <= size; k++) {
            bool is_upper = k % 2 == 0 && info->name[k] >= 'a';
            name[k] = (char)(is_upper ? info->name[k] - 'a' + 'A' : info->name[k]);
        }
        assert_ptr_equal(fil_resp_command_find(fil_bytes_of(name)), info);
        assert_ptr_equal(fil_resp_command_find(fil_bytes_of(info->name)), info);
        if (i > 0) {
            assert_true(strcmp(fil_resp_command_at(i - 1)->name, info->name) < 0);
        }
    }
    assert_null(fil_resp_command_find(fil_bytes_of("")));
    assert_null(fil_resp_command_find(fil_bytes_of("zzz")));
    assert_null(fil_resp_command_find(fil_bytes_make("get\0", 4)));
}

#define GET_INFO2                                                                                 \
    "*10\r\n$3\r\nget\r\n:2\r\n*2\r\n+readonly\r\n+fast\r\n:1\r\n:1\r\n:1\r\n*0\r\n*0\r\n*0\r\n*" \
    "0\r\n"
#define GET_INFO3                                                                                 \
    "*10\r\n$3\r\nget\r\n:2\r\n~2\r\n+readonly\r\n+fast\r\n:1\r\n:1\r\n:1\r\n~0\r\n~0\r\n~0\r\n*" \
    "0\r\n"
#define GET_DOCS                                                                            \
    "$7\r\nsummary\r\n$27\r\nReturns the value of a key.\r\n$5\r\nsince\r\n$5\r\n1.0.0\r\n" \
    "$5\r\ngroup\r\n$6\r\nstring\r\n"

static void test_command_tells_of_commands(void **state)
{
    (void)state;
    char reply[64];
    resp_world_open(&world, 1U << 24);
    (void)snprintf(reply, sizeof(reply), ":%u\r\n", fil_resp_command_count());
    check_same("COMMAND COUNT\r\n", reply);
    check_both("COMMAND INFO get\r\n", "*1\r\n" GET_INFO2, "*1\r\n" GET_INFO3);
    check_both("COMMAND INFO nope GET\r\n", "*2\r\n$-1\r\n" GET_INFO2, "*2\r\n_\r\n" GET_INFO3);
    check_both("COMMAND DOCS get nope\r\n", "*2\r\n$3\r\nget\r\n*6\r\n" GET_DOCS,
               "%1\r\n$3\r\nget\r\n%3\r\n" GET_DOCS);
    check_both("COMMAND DOCS nope\r\n", "*0\r\n", "%0\r\n");
    renew();
    check_same("COMMAND FOO\r\nCOMMAND COUNT x\r\n",
               "-ERR unknown subcommand 'FOO'. Try COMMAND HELP.\r\n"
               "-ERR wrong number of arguments for 'command|count' command\r\n");
}

/** Reads one reply, of any kind of RESP2 or RESP3; returns what is behind it. */
static const char *skip_reply(const char *at)
{
    const char *line_end = strstr(at, "\r\n");
    assert_non_null(line_end);
    long count = 0;
    (void)sscanf(at + 1, "%ld", &count);
    const char *next = line_end + 2;
    switch (*at) {
    case '+':
    case '-':
    case ':':
    case '_':
        return next;
    case '$':
    case '=':
        return count < 0 ? next : next + count + 2;
    case '%':
        count *= 2;
        break;
    case '*':
    case '~':
        break;
    default:
        fail_msg("no reply begins with '%c'", *at);
    }
    for (long i = 0; i < count; i++) {
        next = skip_reply(next);
    }
    return next;
}

/** Each of these is one well-formed reply, to its last byte. */
static void test_long_answers_are_well_formed(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "COMMAND\r\n",  "COMMAND DOCS\r\n", "COMMAND LIST\r\n", "COMMAND INFO\r\n", "INFO\r\n",
        "INFO all\r\n", "CLIENT LIST\r\n",  "CLIENT HELP\r\n",  "INFO nothing\r\n"};
    resp_world_open(&world, 1U << 24);
    for (size_t i = 0; i < FIL_COUNT_OF(commands); i++) {
        for (int version = 2; version <= 3; version++) {
            struct fil_sim_client *client = net_world_client(&world.net);
            net_world_send(client, version == 3 ? "HELLO 3\r\n" : "HELLO 2\r\n");
            net_world_send(client, commands[i]);
            net_world_run_for(&world.net, SECOND / 100);
            struct fil_bytes received = fil_sim_client_received(client);
            char *text = fil_alloc(received.size + 1);
            assert_non_null(text);
            memcpy(text, received.data, received.size);
            text[received.size] = '\0';
            assert_ptr_equal(skip_reply(skip_reply(text)), text + received.size);
            fil_free(text);
            renew();
        }
    }
}

static void test_info_has_the_sections_that_are_asked_for(void **state)
{
    (void)state;
    resp_world_open(&world, 1U << 24);
    check_both("INFO clients\r\n", "$32\r\n# Clients\r\nconnected_clients:1\r\n\r\n",
               "=36\r\ntxt:# Clients\r\nconnected_clients:1\r\n\r\n");
    resp_world_check(&world, "SET a 1\r\nINFO KEYSPACE CLIENTS\r\n",
                     "+OK\r\n$78\r\n# Clients\r\nconnected_clients:1\r\n\r\n"
                     "# Keyspace\r\ndb0:keys=1,expires=0,avg_ttl=0\r\n\r\n");
    resp_world_check(&world, "GET a\r\nGET none\r\nINFO stats\r\n",
                     "$1\r\n1\r\n$-1\r\n$210\r\n# Stats\r\ntotal_connections_received:2\r\n"
                     "total_commands_processed:4\r\ntotal_net_input_bytes:5\r\n"
                     "total_net_output_bytes:6\r\nrejected_connections:3\r\nexpired_keys:0\r\n"
                     "evicted_keys:0\r\nkeyspace_hits:1\r\nkeyspace_misses:1\r\n\r\n");
    resp_world_check(&world, "INFO nothing\r\n", "$0\r\n\r\n");
}

#define CALLS(command, calls, rejected) \
    "cmdstat_" command ":calls=" #calls ",rejected_calls=" #rejected "\r\n"

static void check_calls(const char *text, const char *replies, const char *calls)
{
    char reply[1024];
    (void)snprintf(reply, sizeof(reply), "%s$%zu\r\n# Commandstats\r\n%s\r\n", replies,
                   strlen(calls) + strlen("# Commandstats\r\n"), calls);
    resp_world_check(&world, text, reply);
}

static void test_info_counts_the_calls_of_commands(void **state)
{
    (void)state;
    resp_world_open(&world, 1U << 24);
    check_calls("INFO commandstats\r\n", "", CALLS("info", 1, 0));
    check_calls("SET a 1\r\nGET a\r\nget a\r\nGET\r\nNOPE\r\nINFO commandstats\r\n",
                "+OK\r\n$1\r\n1\r\n$1\r\n1\r\n"
                "-ERR wrong number of arguments for 'get' command\r\n"
                "-ERR unknown command 'NOPE', with args beginning with: \r\n",
                CALLS("get", 2, 1) CALLS("info", 2, 0) CALLS("set", 1, 0));
    check_calls("MULTI\r\nGET a\r\nEXEC\r\nMGET a b\r\nINFO COMMANDSTATS\r\n",
                "+OK\r\n+QUEUED\r\n*1\r\n$1\r\n1\r\n*2\r\n$1\r\n1\r\n$-1\r\n",
                CALLS("exec", 1, 0) CALLS("get", 3, 1) CALLS("info", 3, 0) CALLS("mget", 1, 0)
                    CALLS("multi", 1, 0) CALLS("set", 1, 0));
}

/** Those that have to wait for others come several times, and count once. */
static void test_info_counts_once_what_comes_again(void **state)
{
    (void)state;
    resp_world_open(&world, 1U << 24);
    check_calls("MSET a 1 b 2 c 3\r\nMGET a b c\r\nDBSIZE\r\nMGET a b c\r\nINFO commandstats\r\n",
                "+OK\r\n*3\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\n3\r\n:3\r\n"
                "*3\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\n3\r\n",
                CALLS("dbsize", 1, 0) CALLS("info", 1, 0) CALLS("mget", 2, 0) CALLS("mset", 1, 0));
}

/** Nobody who asks for the usual sections has to read a line for each command. */
static void test_info_tells_of_commands_only_where_asked(void **state)
{
    (void)state;
    resp_world_open(&world, 1U << 24);
    const char *const texts[] = {"INFO\r\n", "INFO default\r\n", "INFO all\r\n",
                                 "INFO everything\r\n"};
    for (size_t i = 0; i < FIL_COUNT_OF(texts); i++) {
        struct fil_sim_client *client = net_world_client(&world.net);
        net_world_send(client, texts[i]);
        net_world_run_for(&world.net, SECOND / 100);
        struct fil_bytes received = fil_sim_client_received(client);
        bool is_told = memmem(received.data, received.size, "# Commandstats", 14) != NULL;
        assert_int_equal(is_told, i >= 2);
    }
}

static void test_protocol_errors_are_answered_and_end_the_connection(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"PING\r\n*1\r\nPING\r\n", "+PONG\r\n-ERR Protocol error: expected '$', got 'P'\r\n"},
        {"PING\r\nSET \"a\r\n", "+PONG\r\n-ERR Protocol error: unbalanced quotes in request\r\n"},
        {"*1\r\n$-5\r\nPING\r\n", "-ERR Protocol error: invalid bulk length\r\n"},
        {"*x\r\n", "-ERR Protocol error: invalid multibulk length\r\n"},
        {"*1\r\n$9999999\r\n", "-ERR Protocol error: invalid bulk length, at most 1048576 bytes "
                               "(net.frame_bytes_max)\r\n"},
    };
    resp_world_open(&world, 1U << 24);
    for (size_t i = 0; i < FIL_COUNT_OF(texts); i++) {
        resp_world_check(&world, texts[i][0], texts[i][1]);
        assert_int_equal(world.net.clients[i].state, FIL_SIM_CLIENT_ENDED);
    }
    net_world_run_for(&world.net, 2 * SECOND);
    assert_int_equal(net_world_closed(&world.net, FIL_CLOSE_MALFORMED), 4);
    assert_int_equal(net_world_closed(&world.net, FIL_CLOSE_FRAME), 1);
}

static void test_quit_ends_the_connection(void **state)
{
    (void)state;
    world.net.client_options.fragment_bytes = (struct fil_sim_range){.min = 5, .max = 5};
    resp_world_open(&world, 1U << 24);
    resp_world_check(&world, "PING\r\nQUIT\r\nPING\r\nPING\r\nPING\r\n", "+PONG\r\n+OK\r\n");
    assert_int_equal(world.net.clients[0].state, FIL_SIM_CLIENT_ENDED);
    net_world_run_for(&world.net, 2 * SECOND);
    assert_int_equal(net_world_closed(&world.net, FIL_CLOSE_REQUEST), 1);
}

static void test_what_begins_otherwise_is_not_resp(void **state)
{
    (void)state;
    static const char *const texts[] = {"$4\r\nPING\r\n", "+PING\r\n", "\r\n+PING\r\n", "\x16\x03"};
    resp_world_open(&world, 1U << 24);
    for (size_t i = 0; i < FIL_COUNT_OF(texts); i++) {
        resp_world_check(&world, texts[i], "");
    }
    net_world_run_for(&world.net, 2 * SECOND);
    assert_int_equal(net_world_closed(&world.net, FIL_CLOSE_UNKNOWN), FIL_COUNT_OF(texts));
}

static void test_empty_lines_at_the_beginning_are_nothing(void **state)
{
    (void)state;
    resp_world_open(&world, 1U << 24);
    resp_world_check(&world, "\r\nPING\r\n", "+PONG\r\n");
    resp_world_check(&world, "\n\r\n\n*1\r\n$4\r\nPING\r\n\r\nPING\r\n", "+PONG\r\n+PONG\r\n");
    resp_world_check(&world, "\r\n", "");
    assert_int_equal(net_world_closed(&world.net, FIL_CLOSE_UNKNOWN), 0);
}

// Pipelining.

#define PIPELINED 300U

/** Sets and gets whose replies tell their order. */
static struct fil_sim_client *pipeline(void)
{
    char input[16384] = "";
    char reply[64];
    size_t used = 0;
    struct fil_sim_client *client = net_world_client(&world.net);
    for (uint32_t i = 0; i < PIPELINED; i++) {
        used +=
            (size_t)snprintf(input + used, sizeof(input) - used, "SET key v%u\r\nGET key\r\n", i);
        int size = snprintf(reply, sizeof(reply), "v%u", i);
        char text[128];
        (void)snprintf(text, sizeof(text), "+OK\r\n$%d\r\n%s\r\n", size, reply);
        net_world_expect(client, text);
    }
    net_world_send(client, input);
    return client;
}

static void test_pipelined_commands_are_answered_in_order(void **state)
{
    (void)state;
    resp_world_open(&world, 1U << 24);
    struct fil_sim_client *client = pipeline();
    net_world_run_for(&world.net, SECOND);
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(client)), "matched");
    assert_int_equal(fil_counter_read(&world.net.loops[0].stats.requests), 2 * PIPELINED);
    // The replies of a turn leave in one write.
    assert_true(fil_counter_read(&world.net.loops[0].stats.sends) < 10);
}

static void test_pieces_and_slow_readers_change_nothing(void **state)
{
    (void)state;
    static const struct fil_sim_options narrow = {.buffer_bytes = {.min = 200, .max = 200},
                                                  .segment_bytes = {.min = 1, .max = 50}};
    world.net.network = &narrow;
    world.net.limits.output_bytes_max = 100;
    world.net.client_options.fragment_bytes = (struct fil_sim_range){.min = 1, .max = 30};
    world.net.client_options.receive_bytes = (struct fil_sim_range){.min = 1, .max = 20};
    resp_world_open(&world, 1U << 24);
    struct fil_sim_client *client = pipeline();
    client->is_reading = false;
    net_world_run_for(&world.net, SECOND);
    assert_true(client->sent_size < client->script_size);
    client->is_reading = true; // the script itself waits for it
    net_world_run_for(&world.net, 10 * SECOND);
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(client)), "matched");
    assert_true(fil_counter_read(&world.net.loops[0].stats.output_pauses) > 0);
}

// Memory.

static void test_full_map_refuses_and_goes_on(void **state)
{
    (void)state;
    static char input[70000];
    static char value[60001];
    memset(value, 'v', sizeof(value) - 1);
    resp_world_open(&world, 60000);
    (void)snprintf(input, sizeof(input),
                   "SET a 1\r\n*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$60000\r\n%s\r\nGET k\r\nGET a\r\n",
                   value);
    world.net.client_options.send_bytes_max = sizeof(input);
    resp_world_check(&world, input,
                     "+OK\r\n-OOM command not allowed when used memory > 'maxmemory'.\r\n$-1\r\n"
                     "$1\r\n1\r\n");
}

static void test_no_memory_for_a_command_is_told(void **state)
{
    (void)state;
    static const char head[] = "PING\r\n*2\r\n$4\r\nECHO\r\n$50000\r\n";
    static char input[50100];
    memcpy(input, head, sizeof(head) - 1);
    memset(input + sizeof(head) - 1, 'x', 50000);
    world.net.budget_bytes = 20000; // a chunk for the replies, and little more
    resp_world_open(&world, 1U << 24);
    resp_world_check(&world, input, "+PONG\r\n-OOM no memory to receive the command\r\n");
    net_world_run_for(&world.net, 3 * SECOND);
    assert_int_equal(net_world_closed(&world.net, FIL_CLOSE_MEMORY), 1);
}

static void test_no_memory_for_a_value_is_told(void **state)
{
    (void)state;
    world.net.budget_bytes = 50000;
    resp_world_open(&world, 1U << 24);
    resp_world_check(&world,
                     "SETRANGE k 59999 v\r\nSET a 1\r\nGET k\r\nPING\r\nMGET a k\r\nGET a\r\n",
                     ":60000\r\n+OK\r\n-OOM no memory for the reply\r\n+PONG\r\n"
                     "*2\r\n$1\r\n1\r\n-OOM no memory for the reply\r\n$1\r\n1\r\n");
    assert_int_equal(net_world_closed_all(&world.net), 0);
}

#define NO_ROOM "-OOM no memory for the reply\r\n"

static void test_a_value_that_cannot_be_told_is_not_lost(void **state)
{
    (void)state;
    world.net.budget_bytes = 50000;
    resp_world_open(&world, 1U << 24);
    resp_world_check(&world,
                     "SETRANGE k 59999 v\r\nGETDEL k\r\nGETSET k new\r\nSET k new GET\r\n"
                     "SET k new XX GET\r\nGETEX k PXAT 1\r\nGETEX k EX 100\r\nPING\r\n",
                     ":60000\r\n" NO_ROOM NO_ROOM NO_ROOM NO_ROOM NO_ROOM NO_ROOM "+PONG\r\n");
    resp_world_check(&world, "STRLEN k\r\nTTL k\r\n", ":60000\r\n:-1\r\n");
    resp_world_check(&world, "SET k new\r\nGETSET k 7\r\nSET k 8 GET\r\nGETDEL k\r\nGET k\r\n",
                     "+OK\r\n$3\r\nnew\r\n$1\r\n7\r\n$1\r\n8\r\n$-1\r\n");
    assert_int_equal(net_world_closed_all(&world.net), 0);
}

static void test_every_failed_allocation_is_survived(void **state)
{
    (void)state;
    bool is_complete = false;
    for (int64_t position = 0; !is_complete; position++) {
        resp_world_init(&world);
        world.net.client_options.fragment_bytes = (struct fil_sim_range){.min = 11, .max = 11};
        resp_world_open(&world, 1U << 24);
        struct fil_sim_client *client = net_world_client(&world.net);
        net_world_send(client, "SET a 1\r\nGET a\r\nMGET 1 2 3 4 5 6 7 8 9\r\nCLIENT LIST\r\n"
                               "*3\r\n$3\r\nSET\r\n$1\r\nb\r\n$3\r\nabc\r\nPING\r\n");
        fil_alloc_fail_after(position);
        net_world_run_for(&world.net, 3 * SECOND);
        fil_alloc_fail_after(-1);
        struct fil_bytes received = fil_sim_client_received(client);
        bool is_refused = fil_counter_read(&world.net.acceptor.stats.refused_memory) > 0 ||
                          net_world_closed(&world.net, FIL_CLOSE_MEMORY) > 0;
        bool has_error =
            received.size > 0 && memmem(received.data, received.size, "OOM ", 4) != NULL;
        bool has_list_error =
            received.size > 0 && memmem(received.data, received.size, "-ERR out of", 11) != NULL;
        is_complete = !is_refused && !has_error && !has_list_error;
        if (is_complete) {
            assert_memory_equal(received.data + received.size - 7, "+PONG\r\n", 7);
        } else {
            resp_world_close(&world);
        }
        assert_true(position < 60);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(connection_commands),
        TEST(hello_chooses_the_version),
        TEST(client_tells_of_the_connection),
        TEST(longest_name_fits),
        TEST(client_list_tells_of_all),
        TEST(key_commands),
        TEST(keys_and_values_are_bytes),
        TEST(large_values_come_back),
        TEST(unknown_commands_answer_as_redis_does),
        TEST(long_unknown_command_is_cut),
        TEST(names_are_found_in_any_case),
        TEST(command_tells_of_commands),
        TEST(long_answers_are_well_formed),
        TEST(info_has_the_sections_that_are_asked_for),
        TEST(info_counts_the_calls_of_commands),
        TEST(info_counts_once_what_comes_again),
        TEST(info_tells_of_commands_only_where_asked),
        TEST(protocol_errors_are_answered_and_end_the_connection),
        TEST(quit_ends_the_connection),
        TEST(what_begins_otherwise_is_not_resp),
        TEST(empty_lines_at_the_beginning_are_nothing),
        TEST(pipelined_commands_are_answered_in_order),
        TEST(pieces_and_slow_readers_change_nothing),
        TEST(full_map_refuses_and_goes_on),
        TEST(no_memory_for_a_command_is_told),
        TEST(no_memory_for_a_value_is_told),
        TEST(a_value_that_cannot_be_told_is_not_lost),
        TEST(every_failed_allocation_is_survived),
    };
#undef TEST
    has_caller_runs = true;
    int failed = cmocka_run_group_tests_name("resp_command in place", tests, NULL, NULL);
    has_caller_runs = false;
    return failed + cmocka_run_group_tests_name("resp_command handed over", tests, NULL, NULL);
}
