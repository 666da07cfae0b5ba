// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <string.h>

#include "lib/base/attr.h"
#include "protocol/resp/notify.h"
#include "protocol/resp/notify_internal.h"

// Alphabetical: found by binary search.
// clang-format off
static const struct fil_resp_notify_rule rules[] = {
    {.name = "append", .class = FIL_RESP_NOTIFY_STRING, .event = "append"},
    {.name = "bitfield", .class = FIL_RESP_NOTIFY_STRING, .event = "setbit"},
    {.name = "bitop", .class = FIL_RESP_NOTIFY_STRING, .event = "set", .is_silent_when_gone = true,
     .is_reader = true, .kind = FIL_RESP_NOTIFY_STORES},
    {.name = "blmove", .class = FIL_RESP_NOTIFY_LIST, .kind = FIL_RESP_NOTIFY_MOVES_ITEM},
    {.name = "blmpop", .class = FIL_RESP_NOTIFY_LIST, .event = "lpop"},
    {.name = "blpop", .class = FIL_RESP_NOTIFY_LIST, .event = "lpop"},
    {.name = "brpop", .class = FIL_RESP_NOTIFY_LIST, .event = "rpop"},
    {.name = "brpoplpush", .class = FIL_RESP_NOTIFY_LIST, .kind = FIL_RESP_NOTIFY_MOVES_ITEM},
    {.name = "bzmpop", .class = FIL_RESP_NOTIFY_ZSET, .event = "zpopmin"},
    {.name = "bzpopmax", .class = FIL_RESP_NOTIFY_ZSET, .event = "zpopmax"},
    {.name = "bzpopmin", .class = FIL_RESP_NOTIFY_ZSET, .event = "zpopmin"},
    {.name = "copy", .class = FIL_RESP_NOTIFY_GENERIC, .is_reader = true,
     .kind = FIL_RESP_NOTIFY_COPIES},
    {.name = "decr", .class = FIL_RESP_NOTIFY_STRING, .event = "incrby"},
    {.name = "decrby", .class = FIL_RESP_NOTIFY_STRING, .event = "incrby"},
    {.name = "del", .class = FIL_RESP_NOTIFY_GENERIC, .is_silent_when_gone = true},
    {.name = "expire", .class = FIL_RESP_NOTIFY_GENERIC, .event = "expire",
     .is_silent_when_gone = true},
    {.name = "expireat", .class = FIL_RESP_NOTIFY_GENERIC, .event = "expire",
     .is_silent_when_gone = true},
    {.name = "getdel", .class = FIL_RESP_NOTIFY_GENERIC, .is_silent_when_gone = true,
     .is_reader = true},
    {.name = "getex", .class = FIL_RESP_NOTIFY_GENERIC, .event = "expire",
     .is_silent_when_gone = true, .is_reader = true, .kind = FIL_RESP_NOTIFY_EXPIRES},
    {.name = "getset", .class = FIL_RESP_NOTIFY_STRING, .event = "set", .is_reader = true},
    {.name = "hdel", .class = FIL_RESP_NOTIFY_HASH, .event = "hdel"},
    {.name = "hincrby", .class = FIL_RESP_NOTIFY_HASH, .event = "hincrby"},
    {.name = "hincrbyfloat", .class = FIL_RESP_NOTIFY_HASH, .event = "hincrbyfloat"},
    {.name = "hmset", .class = FIL_RESP_NOTIFY_HASH, .event = "hset"},
    {.name = "hset", .class = FIL_RESP_NOTIFY_HASH, .event = "hset"},
    {.name = "hsetnx", .class = FIL_RESP_NOTIFY_HASH, .event = "hset"},
    {.name = "incr", .class = FIL_RESP_NOTIFY_STRING, .event = "incrby"},
    {.name = "incrby", .class = FIL_RESP_NOTIFY_STRING, .event = "incrby"},
    {.name = "incrbyfloat", .class = FIL_RESP_NOTIFY_STRING, .event = "incrbyfloat"},
    {.name = "linsert", .class = FIL_RESP_NOTIFY_LIST, .event = "linsert"},
    {.name = "lmove", .class = FIL_RESP_NOTIFY_LIST, .kind = FIL_RESP_NOTIFY_MOVES_ITEM},
    {.name = "lmpop", .class = FIL_RESP_NOTIFY_LIST, .event = "lpop"},
    {.name = "lpop", .class = FIL_RESP_NOTIFY_LIST, .event = "lpop"},
    {.name = "lpush", .class = FIL_RESP_NOTIFY_LIST, .event = "lpush"},
    {.name = "lpushx", .class = FIL_RESP_NOTIFY_LIST, .event = "lpush"},
    {.name = "lrem", .class = FIL_RESP_NOTIFY_LIST, .event = "lrem"},
    {.name = "lset", .class = FIL_RESP_NOTIFY_LIST, .event = "lset"},
    {.name = "ltrim", .class = FIL_RESP_NOTIFY_LIST, .event = "ltrim"},
    {.name = "move", .class = FIL_RESP_NOTIFY_GENERIC, .kind = FIL_RESP_NOTIFY_MOVES_KEY},
    {.name = "mset", .class = FIL_RESP_NOTIFY_STRING, .event = "set"},
    {.name = "msetnx", .class = FIL_RESP_NOTIFY_STRING, .event = "set",
     .kind = FIL_RESP_NOTIFY_SETS},
    {.name = "persist", .class = FIL_RESP_NOTIFY_GENERIC, .event = "persist"},
    {.name = "pexpire", .class = FIL_RESP_NOTIFY_GENERIC, .event = "expire",
     .is_silent_when_gone = true},
    {.name = "pexpireat", .class = FIL_RESP_NOTIFY_GENERIC, .event = "expire",
     .is_silent_when_gone = true},
    {.name = "pfadd", .class = FIL_RESP_NOTIFY_STRING, .event = "pfadd"},
    {.name = "pfmerge", .class = FIL_RESP_NOTIFY_STRING, .event = "pfadd", .is_reader = true,
     .kind = FIL_RESP_NOTIFY_MERGES},
    {.name = "psetex", .class = FIL_RESP_NOTIFY_STRING, .event = "set",
     .kind = FIL_RESP_NOTIFY_SETS},
    {.name = "rename", .class = FIL_RESP_NOTIFY_GENERIC, .kind = FIL_RESP_NOTIFY_RENAMES},
    {.name = "renamenx", .class = FIL_RESP_NOTIFY_GENERIC, .kind = FIL_RESP_NOTIFY_RENAMES},
    {.name = "rpop", .class = FIL_RESP_NOTIFY_LIST, .event = "rpop"},
    {.name = "rpoplpush", .class = FIL_RESP_NOTIFY_LIST, .kind = FIL_RESP_NOTIFY_MOVES_ITEM},
    {.name = "rpush", .class = FIL_RESP_NOTIFY_LIST, .event = "rpush"},
    {.name = "rpushx", .class = FIL_RESP_NOTIFY_LIST, .event = "rpush"},
    {.name = "sadd", .class = FIL_RESP_NOTIFY_SET, .event = "sadd"},
    {.name = "sdiffstore", .class = FIL_RESP_NOTIFY_SET, .event = "sdiffstore",
     .is_silent_when_gone = true, .is_reader = true, .kind = FIL_RESP_NOTIFY_STORES},
    {.name = "set", .class = FIL_RESP_NOTIFY_STRING, .event = "set", .kind = FIL_RESP_NOTIFY_SETS},
    {.name = "setbit", .class = FIL_RESP_NOTIFY_STRING, .event = "setbit"},
    {.name = "setex", .class = FIL_RESP_NOTIFY_STRING, .event = "set",
     .kind = FIL_RESP_NOTIFY_SETS},
    {.name = "setnx", .class = FIL_RESP_NOTIFY_STRING, .event = "set"},
    {.name = "setrange", .class = FIL_RESP_NOTIFY_STRING, .event = "setrange"},
    {.name = "sinterstore", .class = FIL_RESP_NOTIFY_SET, .event = "sinterstore",
     .is_silent_when_gone = true, .is_reader = true, .kind = FIL_RESP_NOTIFY_STORES},
    {.name = "smove", .class = FIL_RESP_NOTIFY_SET, .kind = FIL_RESP_NOTIFY_MOVES_MEMBER},
    {.name = "spop", .class = FIL_RESP_NOTIFY_SET, .event = "spop"},
    {.name = "srem", .class = FIL_RESP_NOTIFY_SET, .event = "srem"},
    {.name = "sunionstore", .class = FIL_RESP_NOTIFY_SET, .event = "sunionstore",
     .is_silent_when_gone = true, .is_reader = true, .kind = FIL_RESP_NOTIFY_STORES},
    {.name = "unlink", .class = FIL_RESP_NOTIFY_GENERIC, .is_silent_when_gone = true},
    {.name = "xadd", .class = FIL_RESP_NOTIFY_STREAM, .event = "xadd",
     .kind = FIL_RESP_NOTIFY_ADDS_ENTRY},
    {.name = "xdel", .class = FIL_RESP_NOTIFY_STREAM, .event = "xdel"},
    {.name = "xsetid", .class = FIL_RESP_NOTIFY_STREAM, .event = "xsetid"},
    {.name = "xtrim", .class = FIL_RESP_NOTIFY_STREAM, .event = "xtrim"},
    {.name = "zadd", .class = FIL_RESP_NOTIFY_ZSET, .event = "zadd",
     .kind = FIL_RESP_NOTIFY_SCORES},
    {.name = "zdiffstore", .class = FIL_RESP_NOTIFY_ZSET, .event = "zdiffstore",
     .is_silent_when_gone = true, .is_reader = true, .kind = FIL_RESP_NOTIFY_STORES},
    {.name = "zincrby", .class = FIL_RESP_NOTIFY_ZSET, .event = "zincr"},
    {.name = "zinterstore", .class = FIL_RESP_NOTIFY_ZSET, .event = "zinterstore",
     .is_silent_when_gone = true, .is_reader = true, .kind = FIL_RESP_NOTIFY_STORES},
    {.name = "zmpop", .class = FIL_RESP_NOTIFY_ZSET, .event = "zpopmin"},
    {.name = "zpopmax", .class = FIL_RESP_NOTIFY_ZSET, .event = "zpopmax"},
    {.name = "zpopmin", .class = FIL_RESP_NOTIFY_ZSET, .event = "zpopmin"},
    {.name = "zrangestore", .class = FIL_RESP_NOTIFY_ZSET, .event = "zrangestore",
     .is_silent_when_gone = true, .is_reader = true, .kind = FIL_RESP_NOTIFY_STORES},
    {.name = "zrem", .class = FIL_RESP_NOTIFY_ZSET, .event = "zrem"},
    {.name = "zremrangebylex", .class = FIL_RESP_NOTIFY_ZSET, .event = "zremrangebylex"},
    {.name = "zremrangebyrank", .class = FIL_RESP_NOTIFY_ZSET, .event = "zremrangebyrank"},
    {.name = "zremrangebyscore", .class = FIL_RESP_NOTIFY_ZSET, .event = "zremrangebyscore"},
    {.name = "zunionstore", .class = FIL_RESP_NOTIFY_ZSET, .event = "zunionstore",
     .is_silent_when_gone = true, .is_reader = true, .kind = FIL_RESP_NOTIFY_STORES},
};
// clang-format on

const struct fil_resp_notify_rule *fil_resp_notify__find(const char *name)
{
    size_t begin = 0;
    size_t end = FIL_COUNT_OF(rules);
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        int order = strcmp(name, rules[middle].name);
        if (order == 0) {
            return &rules[middle];
        }
        if (order < 0) {
            end = middle;
        } else {
            begin = middle + 1;
        }
    }
    return NULL;
}
