// SPDX-License-Identifier: Apache-2.0

// What the Go client does with maps and, in structures.go, with what is beside them: scenario
// ADDRESS [restart|hello|structures]. Ends with 0 when all is as its
// documentation says. With "restart" it waits for a line of input, while the member is started
// again, and goes on; with "hello" nothing is configured.
package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hazelcast/hazelcast-go-client"
	"github.com/hazelcast/hazelcast-go-client/aggregate"
	"github.com/hazelcast/hazelcast-go-client/logger"
	"github.com/hazelcast/hazelcast-go-client/nearcache"
	"github.com/hazelcast/hazelcast-go-client/predicate"
	"github.com/hazelcast/hazelcast-go-client/serialization"
	"github.com/hazelcast/hazelcast-go-client/types"
)

const guard = 60 * time.Second

var (
	ctx     = context.Background()
	address string
	names   int64
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func same(what string, got, wanted interface{}) {
	if !reflect.DeepEqual(got, wanted) {
		panic(fmt.Sprintf("%s: got %v, wanted %v", what, got, wanted))
	}
}

func until(what string, isDone func() bool) {
	for end := time.Now().Add(guard); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if isDone() {
			return
		}
	}
	panic("gave up waiting for " + what)
}

func newName() string {
	return fmt.Sprintf("go-%d-%d", time.Now().UnixNano(), atomic.AddInt64(&names, 1))
}

func configure() hazelcast.Config {
	config := hazelcast.Config{}
	config.Cluster.Network.SetAddresses(address)
	config.Cluster.ConnectionStrategy.Timeout = types.Duration(guard)
	config.Logger.Level = logger.OffLevel
	return config
}

func connect(config hazelcast.Config) *hazelcast.Client {
	client, err := hazelcast.StartNewClientWithConfig(ctx, config)
	check(err)
	return client
}

func mapOf(client *hazelcast.Client, name string) *hazelcast.Map {
	m, err := client.GetMap(ctx, name)
	check(err)
	return m
}

func value(v interface{}, err error) interface{} {
	check(err)
	return v
}

func entries(client *hazelcast.Client) {
	m := mapOf(client, newName())
	same("put", value(m.Put(ctx, "k", "v")), nil)
	same("put again", value(m.Put(ctx, "k", "w")), "v")
	check(m.Set(ctx, "k", "x"))
	same("get", value(m.Get(ctx, "k")), "x")
	same("put if absent", value(m.PutIfAbsent(ctx, "k", "y")), "x")
	same("replace", value(m.Replace(ctx, "k", "y")), "x")
	same("replace if same", value(m.ReplaceIfSame(ctx, "k", "x", "z")), false)
	same("contains", value(m.ContainsKey(ctx, "k")), true)
	same("contains value", value(m.ContainsValue(ctx, "y")), true)
	same("remove if same", value(m.RemoveIfSame(ctx, "k", "no")), false)
	same("remove", value(m.Remove(ctx, "k")), "y")
	check(m.Delete(ctx, "k"))
	same("try put", value(m.TryPut(ctx, "k", int64(1))), true)
	same("try remove", value(m.TryRemove(ctx, "k")), true)
	same("try put in time", value(m.TryPutWithTimeout(ctx, "k", "v", time.Second)), true)
	same("replace if same", value(m.ReplaceIfSame(ctx, "k", "v", "w")), true)
	same("remove if same", value(m.RemoveIfSame(ctx, "k", "w")), true)
	same("try remove in time", value(m.TryRemoveWithTimeout(ctx, "k", time.Second)), false)
	check(m.PutTransient(ctx, "t", "v"))
	check(m.Flush(ctx))
	same("put transient", value(m.Get(ctx, "t")), "v")
	check(m.Set(ctx, "json", serialization.JSON(`{"a":1}`)))
	same("json", value(m.Get(ctx, "json")), serialization.JSON(`{"a":1}`))
	large := bytes.Repeat([]byte{7}, 10<<20)
	check(m.Set(ctx, "large", large))
	same("10 MB", bytes.Equal(value(m.Get(ctx, "large")).([]byte), large), true)
	check(m.Destroy(ctx))
}

func times(client *hazelcast.Client) {
	m := mapOf(client, newName())
	check(m.SetWithTTL(ctx, "short", 1, 200*time.Millisecond))
	check(m.SetWithTTL(ctx, "long", 1, time.Hour))
	check(m.SetWithTTLAndMaxIdle(ctx, "idle", 1, time.Hour, 300*time.Millisecond))
	check(m.SetTTL(ctx, "long", 2*time.Hour))
	same("set ttl", value(m.SetTTLAffected(ctx, "none", time.Hour)), false)
	const soon = 200 * time.Millisecond
	value(m.PutWithTTL(ctx, "a", 1, soon))
	value(m.PutWithMaxIdle(ctx, "b", 1, soon))
	value(m.PutWithTTLAndMaxIdle(ctx, "c", 1, time.Hour, soon))
	value(m.PutIfAbsentWithTTL(ctx, "d", 1, soon))
	value(m.PutIfAbsentWithTTLAndMaxIdle(ctx, "e", 1, time.Hour, soon))
	check(m.PutTransientWithTTL(ctx, "f", 1, soon))
	check(m.PutTransientWithMaxIdle(ctx, "g", 1, soon))
	check(m.PutTransientWithTTLAndMaxIdle(ctx, "h", 1, time.Hour, soon))
	until("the end of entries", func() bool { return value(m.Size(ctx)) == 1 })
	view, err := m.GetEntryView(ctx, "long")
	check(err)
	same("key of a view", view.Key, "long")
	same("evict", value(m.Evict(ctx, "long")), true)
	check(m.Destroy(ctx))
}

func many(client *hazelcast.Client) {
	m := mapOf(client, newName())
	const count = 10000
	all := make([]types.Entry, count)
	keys := make([]interface{}, count)
	for i := range all {
		keys[i] = fmt.Sprintf("k%d", i)
		all[i] = types.NewEntry(keys[i], int64(i))
	}
	check(m.PutAll(ctx, all...))
	same("size", value(m.Size(ctx)), count)
	got, err := m.GetAll(ctx, keys...)
	check(err)
	same("all got", len(got), count)
	set, err := m.GetKeySet(ctx)
	check(err)
	same("keys", len(set), count)
	values, err := m.GetValues(ctx)
	check(err)
	same("values", len(values), count)
	walked, err := m.GetEntrySet(ctx)
	check(err)
	pairs := map[interface{}]interface{}{}
	for _, entry := range walked {
		pairs[entry.Key] = entry.Value
	}
	for i, key := range keys {
		same("iteration", pairs[key], int64(i))
	}
	one, err := m.GetEntrySetWithPredicate(ctx, predicate.Equal("__key", "k7"))
	check(err)
	same("entries by key", one, []types.Entry{types.NewEntry("k7", int64(7))})
	few, err := m.GetValuesWithPredicate(ctx, predicate.Less("this", int64(3)))
	check(err)
	same("chosen", len(few), 3)
	check(m.RemoveAll(ctx, predicate.GreaterOrEqual("this", int64(10))))
	same("left", value(m.Size(ctx)), 10)
	check(m.EvictAll(ctx))
	same("all evicted", value(m.Size(ctx)), 0)
	check(m.Set(ctx, "k", "v"))
	check(m.Clear(ctx))
	same("empty", value(m.IsEmpty(ctx)), true)
	check(m.Destroy(ctx))
}

func refusals(client *hazelcast.Client) {
	m := mapOf(client, newName())
	check(m.Set(ctx, "k", int64(1)))
	const no = "no such processor"
	_, onKey := m.ExecuteOnKey(ctx, no, "k")
	_, onKeys := m.ExecuteOnKeys(ctx, no, "k")
	_, onEntries := m.ExecuteOnEntries(ctx, no)
	_, onChosen := m.ExecuteOnEntriesWithPredicate(ctx, no, predicate.True())
	_, interceptor := m.AddInterceptor(ctx, no)
	for i, err := range []error{onKey, onKeys, onEntries, onChosen, interceptor} {
		same(fmt.Sprintf("refusal %d", i), err != nil, true)
	}
	same("not changed", value(m.Get(ctx, "k")), int64(1))
	same("no interceptor", value(m.RemoveInterceptor(ctx, no)), false)
	check(m.Destroy(ctx))
}

func queries(client *hazelcast.Client) {
	m := mapOf(client, newName())
	check(m.AddIndex(ctx, types.IndexConfig{Type: types.IndexTypeSorted, Attributes: []string{"age"}}))
	for i := 0; i < 10; i++ {
		text := fmt.Sprintf(`{"age": %d, "name": "N%d", "home": {"zip": "%d"}}`, i, i%3, i)
		check(m.Set(ctx, fmt.Sprintf("p%d", i), serialization.JSON(text)))
	}
	keys := func(p predicate.Predicate) string {
		found, err := m.GetKeySetWithPredicate(ctx, p)
		check(err)
		var names []string
		for _, key := range found {
			names = append(names, key.(string))
		}
		sort.Strings(names)
		return strings.Join(names, " ")
	}
	same("equal", keys(predicate.Equal("age", int64(7))), "p7")
	same("sql", keys(predicate.SQL("age > 8 OR home.zip = '3'")), "p3 p9")
	same("regex", keys(predicate.Regex("name", "[A-Z]2")), "p2 p5 p8")
	same("count", value(m.Aggregate(ctx, aggregate.CountAll())), int64(10))
	same("sum", value(m.Aggregate(ctx, aggregate.LongSum("age"))), int64(45))
	same("max", value(m.AggregateWithPredicate(ctx, aggregate.Max("name"),
		predicate.Less("age", int64(2)))), "N1")
	check(m.Destroy(ctx))
}

func locks(client *hazelcast.Client) {
	name := newName()
	other := connect(configure())
	m, theirs := mapOf(client, name), mapOf(other, name)
	mine := m.NewLockContext(ctx)
	yours := theirs.NewLockContext(ctx)
	check(m.Lock(mine, "k"))
	same("locked", value(theirs.IsLocked(yours, "k")), true)
	same("try lock", value(theirs.TryLock(yours, "k")), false)
	if theirs.Unlock(yours, "k") == nil {
		panic("another client unlocks")
	}
	done := make(chan interface{})
	go func() { done <- value(theirs.Put(yours, "k", "theirs")) }()
	same("put by the owner", value(m.Put(mine, "k", "mine")), nil)
	check(m.Unlock(mine, "k"))
	same("put that waited", <-done, "mine")
	check(m.LockWithLease(mine, "k", 100*time.Millisecond))
	same("lease", value(theirs.TryLockWithTimeout(yours, "k", guard)), true)
	check(theirs.ForceUnlock(yours, "k"))
	check(other.Shutdown(ctx))
	check(m.Destroy(ctx))
}

func listeners(client *hazelcast.Client) {
	m := mapOf(client, newName())
	var mutex sync.Mutex
	told := map[string]int{}
	note := func(e *hazelcast.EntryNotified) {
		mutex.Lock()
		defer mutex.Unlock()
		told[fmt.Sprintf("%d %v %v %v", e.EventType, e.Key, e.Value, e.OldValue)]++
	}
	count := func() int {
		mutex.Lock()
		defer mutex.Unlock()
		return len(told)
	}
	config := hazelcast.MapEntryListenerConfig{IncludeValue: true}
	config.NotifyEntryAdded(true)
	config.NotifyEntryUpdated(true)
	config.NotifyEntryRemoved(true)
	config.NotifyEntryEvicted(true)
	config.NotifyEntryExpired(true)
	config.NotifyEntryAllEvicted(true)
	config.NotifyEntryAllCleared(true)
	id, err := m.AddEntryListener(ctx, config, note)
	check(err)
	value(m.Put(ctx, "k", "v"))
	value(m.Put(ctx, "k", "w"))
	value(m.Remove(ctx, "k"))
	value(m.Put(ctx, "e", "v"))
	value(m.Evict(ctx, "e"))
	value(m.Put(ctx, "c", "v"))
	check(m.Clear(ctx))
	value(m.Put(ctx, "a", "v"))
	check(m.EvictAll(ctx))
	check(m.SetWithTTL(ctx, "x", "v", 100*time.Millisecond))
	until("events", func() bool { return count() >= 11 })
	same("added", told["1 k v <nil>"], 1)
	same("updated", told["4 k w v"], 1)
	same("removed", told["2 k <nil> w"], 1)
	same("evicted", told["8 e <nil> v"], 1)
	same("evicted when its time is over", told["8 x <nil> v"], 0)
	same("expired", told["16 x <nil> v"], 1)
	same("all evicted", told["32 <nil> <nil> <nil>"], 1)
	same("cleared", told["64 <nil> <nil> <nil>"], 1)
	check(m.RemoveEntryListener(ctx, id))
	var byKey, chosen int64
	counting := func(counter *int64) hazelcast.MapListener {
		return hazelcast.MapListener{
			EntryAdded: func(*hazelcast.EntryNotified) { atomic.AddInt64(counter, 1) },
		}
	}
	_, err = m.AddListenerWithKey(ctx, counting(&byKey), "k", false)
	check(err)
	_, err = m.AddListenerWithPredicate(ctx, counting(&chosen), predicate.Equal("this", "v2"), true)
	check(err)
	check(m.Set(ctx, "k", "v"))
	check(m.Set(ctx, "other", "v2"))
	until("chosen events", func() bool {
		return atomic.LoadInt64(&byKey) == 1 && atomic.LoadInt64(&chosen) == 1
	})
	check(m.Destroy(ctx))
}

func nearCache(client *hazelcast.Client) {
	name := newName()
	config := configure()
	config.AddNearCache(nearcache.Config{Name: name})
	near := connect(config)
	cached, plain := mapOf(near, name), mapOf(client, name)
	check(plain.Set(ctx, "k", "old"))
	same("first", value(cached.Get(ctx, "k")), "old")
	same("second", value(cached.Get(ctx, "k")), "old")
	check(plain.Set(ctx, "k", "new"))
	until("an invalidation", func() bool { return value(cached.Get(ctx, "k")) == "new" })
	check(plain.Clear(ctx))
	until("a clear", func() bool { return value(cached.Get(ctx, "k")) == nil })
	check(near.Shutdown(ctx))
	check(plain.Destroy(ctx))
}

func sessions(client *hazelcast.Client) {
	wrong := configure()
	wrong.Cluster.Name = "other"
	wrong.Cluster.ConnectionStrategy.Timeout = types.Duration(100 * time.Millisecond)
	if _, err := hazelcast.StartNewClientWithConfig(ctx, wrong); err == nil {
		panic("a wrong cluster name is let in")
	}
	name := newName()
	var group sync.WaitGroup
	for i := 0; i < 100; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			each := connect(configure())
			check(mapOf(each, name).Set(ctx, int64(i), "v"))
			check(each.Shutdown(ctx))
		}(i)
	}
	group.Wait()
	same("clients", value(mapOf(client, name).Size(ctx)), 100)
	first := connect(configure())
	check(mapOf(first, name).Set(ctx, "restarted", "v"))
	check(first.Shutdown(ctx))
	second := connect(configure())
	same("client restart", value(mapOf(second, name).Get(ctx, "restarted")), "v")
	check(second.Shutdown(ctx))
}

func restart(client *hazelcast.Client) {
	m := mapOf(client, newName())
	var told int64
	config := hazelcast.MapEntryListenerConfig{}
	config.NotifyEntryAdded(true)
	_, err := m.AddEntryListener(ctx, config, func(*hazelcast.EntryNotified) {
		atomic.AddInt64(&told, 1)
	})
	check(err)
	check(m.Set(ctx, "before", 1))
	until("an event", func() bool { return atomic.LoadInt64(&told) == 1 })
	fmt.Println("ready")
	_, err = bufio.NewReader(os.Stdin).ReadString('\n')
	check(err)
	until("a listener that goes on", func() bool {
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_ = m.Set(short, fmt.Sprint(time.Now().UnixNano()), 2)
		return atomic.LoadInt64(&told) > 1
	})
}

// A client that is told nothing at all finds the member at its usual place.
func hello() {
	client, err := hazelcast.StartNewClient(ctx)
	check(err)
	m := mapOf(client, newName())
	check(m.Set(ctx, "k", "v"))
	same("zero configuration", value(m.Get(ctx, "k")), "v")
	check(m.Destroy(ctx))
	check(client.Shutdown(ctx))
}

func main() {
	address = os.Args[1]
	if len(os.Args) > 2 && os.Args[2] == "hello" {
		hello()
		os.Exit(0)
	}
	client := connect(configure())
	if len(os.Args) > 2 && os.Args[2] == "restart" {
		restart(client)
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[2] == "structures" {
		structures(client)
		os.Exit(0)
	}
	if len(os.Args) > 4 && os.Args[2] == "measure" {
		seconds, err := time.ParseDuration(os.Args[4] + "s")
		check(err)
		measure(client, os.Args[3], seconds)
		os.Exit(0)
	}
	for _, run := range []func(*hazelcast.Client){
		entries, times, many, refusals, queries, locks, listeners, nearCache, sessions,
	} {
		run(client)
	}
	fmt.Println("ok")
	check(client.Shutdown(ctx))
}
