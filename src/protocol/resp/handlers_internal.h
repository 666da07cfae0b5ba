// SPDX-License-Identifier: Apache-2.0
/** The handlers and plans of the command table, by the file they are in. */
#pragma once

#include "protocol/resp/command.h"
#include "protocol/resp/plan.h"

#define FIL_RESP_HANDLER(name) \
    void fil_resp__##name(struct fil_resp_session *session, const struct fil_resp_command *command)
#define FIL_RESP_PLAN(name) \
    void fil_resp__plan_##name(const struct fil_resp_command *command, struct fil_resp_plan *plan)

/** HELP of a command with subcommands, or what is wrong with another one that it does not know. */
void fil_resp__help(struct fil_resp_session *session, const struct fil_resp_command *command,
                    const char *name, const char *const *lines, size_t count);

/** One of a command's subcommands. */
struct fil_resp_subcommand {
    const char *word;
    uint32_t count_min; // of all words
    uint32_t count_max;
    fil_resp_handler_fn run;
};

/** Runs the subcommand, or says that its words are too few or too many; false: there is none. */
bool fil_resp__run_subcommand(struct fil_resp_session *session,
                              const struct fil_resp_command *command, const char *name,
                              const struct fil_resp_subcommand *subcommands, size_t count);

// bit_commands.c
FIL_RESP_PLAN(bitcount);
FIL_RESP_PLAN(bitop);
FIL_RESP_PLAN(bitpos);
FIL_RESP_PLAN(getbit);
FIL_RESP_PLAN(setbit);

// bitfield_commands.c
FIL_RESP_PLAN(bitfield);
FIL_RESP_PLAN(bitfield_ro);

// block_commands.c
FIL_RESP_PLAN(blmove);
FIL_RESP_PLAN(blmpop);
FIL_RESP_PLAN(blpop);
FIL_RESP_PLAN(brpop);
FIL_RESP_PLAN(brpoplpush);
FIL_RESP_PLAN(bzmpop);
FIL_RESP_PLAN(bzpopmax);
FIL_RESP_PLAN(bzpopmin);
FIL_RESP_PLAN(lmpop);
FIL_RESP_PLAN(zmpop);

// client_commands.c
FIL_RESP_HANDLER(client);

// command_commands.c
FIL_RESP_HANDLER(command);

// config_commands.c
FIL_RESP_HANDLER(config);

// connection_commands.c
FIL_RESP_HANDLER(auth);
FIL_RESP_HANDLER(echo);
FIL_RESP_HANDLER(hello);
FIL_RESP_HANDLER(ping);
FIL_RESP_HANDLER(quit);
FIL_RESP_HANDLER(reset);
FIL_RESP_HANDLER(select);

// counter_commands.c
FIL_RESP_PLAN(decr);
FIL_RESP_PLAN(decrby);
FIL_RESP_PLAN(incr);
FIL_RESP_PLAN(incrby);
FIL_RESP_PLAN(incrbyfloat);

// debug_commands.c
FIL_RESP_HANDLER(debug);

// exec_commands.c
FIL_RESP_HANDLER(exec);

// hash_commands.c
FIL_RESP_PLAN(hdel);
FIL_RESP_PLAN(hexists);
FIL_RESP_PLAN(hget);
FIL_RESP_PLAN(hgetall);
FIL_RESP_PLAN(hincrby);
FIL_RESP_PLAN(hincrbyfloat);
FIL_RESP_PLAN(hkeys);
FIL_RESP_PLAN(hlen);
FIL_RESP_PLAN(hmget);
FIL_RESP_PLAN(hmset);
FIL_RESP_PLAN(hrandfield);
FIL_RESP_PLAN(hscan);
FIL_RESP_PLAN(hset);
FIL_RESP_PLAN(hsetnx);
FIL_RESP_PLAN(hstrlen);
FIL_RESP_PLAN(hvals);

// hll_commands.c
FIL_RESP_PLAN(pfadd);
FIL_RESP_PLAN(pfcount);
FIL_RESP_PLAN(pfmerge);

// info_commands.c
FIL_RESP_HANDLER(info);

// key_commands.c
FIL_RESP_HANDLER(memory);
FIL_RESP_HANDLER(object);
FIL_RESP_PLAN(del);
FIL_RESP_PLAN(exists);
FIL_RESP_PLAN(expire);
FIL_RESP_PLAN(expireat);
FIL_RESP_PLAN(expiretime);
FIL_RESP_PLAN(memory);
FIL_RESP_PLAN(object);
FIL_RESP_PLAN(persist);
FIL_RESP_PLAN(pexpire);
FIL_RESP_PLAN(pexpireat);
FIL_RESP_PLAN(pexpiretime);
FIL_RESP_PLAN(pttl);
FIL_RESP_PLAN(touch);
FIL_RESP_PLAN(ttl);
FIL_RESP_PLAN(type);

// list_commands.c
FIL_RESP_PLAN(lindex);
FIL_RESP_PLAN(llen);
FIL_RESP_PLAN(lpop);
FIL_RESP_PLAN(lpush);
FIL_RESP_PLAN(lpushx);
FIL_RESP_PLAN(lrange);
FIL_RESP_PLAN(lset);
FIL_RESP_PLAN(ltrim);
FIL_RESP_PLAN(rpop);
FIL_RESP_PLAN(rpush);
FIL_RESP_PLAN(rpushx);

// list_place_commands.c
FIL_RESP_PLAN(linsert);
FIL_RESP_PLAN(lmove);
FIL_RESP_PLAN(lpos);
FIL_RESP_PLAN(lrem);
FIL_RESP_PLAN(rpoplpush);

// pubsub_commands.c
FIL_RESP_HANDLER(psubscribe);
FIL_RESP_HANDLER(publish);
FIL_RESP_HANDLER(pubsub);
FIL_RESP_HANDLER(punsubscribe);
FIL_RESP_HANDLER(subscribe);
FIL_RESP_HANDLER(unsubscribe);

// scan_commands.c
FIL_RESP_HANDLER(dbsize);
FIL_RESP_HANDLER(flushall);
FIL_RESP_HANDLER(flushdb);
FIL_RESP_HANDLER(keys);
FIL_RESP_HANDLER(randomkey);
FIL_RESP_HANDLER(scan);

// server_commands.c
FIL_RESP_HANDLER(latency);
FIL_RESP_HANDLER(lolwut);
FIL_RESP_HANDLER(slowlog);
FIL_RESP_HANDLER(swapdb);
FIL_RESP_HANDLER(time);

// set_algebra_commands.c
FIL_RESP_PLAN(sdiff);
FIL_RESP_PLAN(sdiffstore);
FIL_RESP_PLAN(sinter);
FIL_RESP_PLAN(sintercard);
FIL_RESP_PLAN(sinterstore);
FIL_RESP_PLAN(smove);
FIL_RESP_PLAN(sunion);
FIL_RESP_PLAN(sunionstore);

// set_commands.c
FIL_RESP_PLAN(sadd);
FIL_RESP_PLAN(scard);
FIL_RESP_PLAN(sismember);
FIL_RESP_PLAN(smembers);
FIL_RESP_PLAN(smismember);
FIL_RESP_PLAN(spop);
FIL_RESP_PLAN(srandmember);
FIL_RESP_PLAN(srem);
FIL_RESP_PLAN(sscan);

// stream_commands.c
FIL_RESP_PLAN(xadd);
FIL_RESP_PLAN(xdel);
FIL_RESP_PLAN(xlen);
FIL_RESP_PLAN(xsetid);
FIL_RESP_PLAN(xtrim);

// stream_read_commands.c
FIL_RESP_HANDLER(xinfo);
FIL_RESP_PLAN(xinfo);
FIL_RESP_PLAN(xrange);
FIL_RESP_PLAN(xread);
FIL_RESP_PLAN(xrevrange);

// string_commands.c
/** Whether the options of SET say when the key expires, and whether they ask for the old value. */
bool fil_resp__set_has_time(uint32_t options);
bool fil_resp__set_gets(uint32_t options);
FIL_RESP_PLAN(append);
FIL_RESP_PLAN(get);
FIL_RESP_PLAN(getdel);
FIL_RESP_PLAN(getex);
FIL_RESP_PLAN(getrange);
FIL_RESP_PLAN(getset);
FIL_RESP_PLAN(mget);
FIL_RESP_PLAN(psetex);
FIL_RESP_PLAN(set);
FIL_RESP_PLAN(setex);
FIL_RESP_PLAN(setnx);
FIL_RESP_PLAN(setrange);
FIL_RESP_PLAN(strlen);

// together_commands.c
FIL_RESP_PLAN(copy);
FIL_RESP_PLAN(move);
FIL_RESP_PLAN(mset);
FIL_RESP_PLAN(msetnx);
FIL_RESP_PLAN(rename);
FIL_RESP_PLAN(renamenx);

// transaction_commands.c
FIL_RESP_HANDLER(discard);
FIL_RESP_HANDLER(multi);
FIL_RESP_HANDLER(unwatch);
FIL_RESP_HANDLER(watch);

// zset_algebra_commands.c
FIL_RESP_PLAN(zdiff);
FIL_RESP_PLAN(zdiffstore);
FIL_RESP_PLAN(zinter);
FIL_RESP_PLAN(zintercard);
FIL_RESP_PLAN(zinterstore);
FIL_RESP_PLAN(zunion);
FIL_RESP_PLAN(zunionstore);

// zset_commands.c
/** Whether the options of ZADD have it add to a score. */
bool fil_resp__zadd_adds(uint32_t options);
FIL_RESP_PLAN(zadd);
FIL_RESP_PLAN(zcard);
FIL_RESP_PLAN(zincrby);
FIL_RESP_PLAN(zmscore);
FIL_RESP_PLAN(zrandmember);
FIL_RESP_PLAN(zrank);
FIL_RESP_PLAN(zrem);
FIL_RESP_PLAN(zrevrank);
FIL_RESP_PLAN(zscan);
FIL_RESP_PLAN(zscore);

// zset_range_commands.c
FIL_RESP_PLAN(zcount);
FIL_RESP_PLAN(zlexcount);
FIL_RESP_PLAN(zpopmax);
FIL_RESP_PLAN(zpopmin);
FIL_RESP_PLAN(zrange);
FIL_RESP_PLAN(zrangebylex);
FIL_RESP_PLAN(zrangebyscore);
FIL_RESP_PLAN(zrangestore);
FIL_RESP_PLAN(zremrangebylex);
FIL_RESP_PLAN(zremrangebyrank);
FIL_RESP_PLAN(zremrangebyscore);
FIL_RESP_PLAN(zrevrange);
FIL_RESP_PLAN(zrevrangebylex);
FIL_RESP_PLAN(zrevrangebyscore);
