// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hazelcast/hazelcast-go-client"
	"github.com/hazelcast/hazelcast-go-client/types"
)

func sortedTexts(items []interface{}, err error) []string {
	check(err)
	texts := []string{}
	for _, item := range items {
		texts = append(texts, fmt.Sprint(item))
	}
	sort.Strings(texts)
	return texts
}

func queues(client *hazelcast.Client) {
	queue, err := client.GetQueue(ctx, newName())
	check(err)
	var told int64
	_, err = queue.AddItemListener(ctx, true, func(*hazelcast.QueueItemNotified) {
		atomic.AddInt64(&told, 1)
	})
	check(err)
	same("add", value(queue.Add(ctx, "a")), true)
	check(queue.Put(ctx, "b"))
	same("add all", value(queue.AddAll(ctx, "c", "d", "e")), true)
	same("peek", value(queue.Peek(ctx)), "a")
	same("poll", value(queue.Poll(ctx)), "a")
	same("take", value(queue.Take(ctx)), "b")
	same("contains", value(queue.Contains(ctx, "c")), true)
	same("remove all", value(queue.RemoveAll(ctx, "d")), true)
	same("retain all", value(queue.RetainAll(ctx, "c")), true)
	same("size", value(queue.Size(ctx)), 1)
	drained, err := queue.Drain(ctx)
	check(err)
	same("drain", drained, []interface{}{"c"})
	same("poll in time", value(queue.PollWithTimeout(ctx, 50*time.Millisecond)), nil)
	until("events of a queue", func() bool { return atomic.LoadInt64(&told) == 10 })
}

// A hundred wait; each gets one item, and none is lost.
func takers(client *hazelcast.Client) {
	queue, err := client.GetQueue(ctx, newName())
	check(err)
	var group sync.WaitGroup
	var taken sync.Map
	for i := 0; i < 100; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			taken.Store(value(queue.Take(ctx)), true)
		}()
	}
	for i := 0; i < 100; i++ {
		check(queue.Put(ctx, fmt.Sprint("item ", i)))
	}
	group.Wait()
	count := 0
	taken.Range(func(interface{}, interface{}) bool { count++; return true })
	same("takers", count, 100)
}

func listsAndSets(client *hazelcast.Client) {
	list, err := client.GetList(ctx, newName())
	check(err)
	same("add", value(list.Add(ctx, "a")), true)
	same("add all", value(list.AddAll(ctx, "b", "c")), true)
	check(list.AddAt(ctx, 1, "x"))
	same("set", value(list.Set(ctx, 1, "y")), "x")
	same("remove at", value(list.RemoveAt(ctx, 1)), "y")
	same("get", value(list.Get(ctx, 2)), "c")
	same("index", value(list.IndexOf(ctx, "c")), 2)
	same("items", sortedTexts(list.GetAll(ctx)), []string{"a", "b", "c"})
	same("retain", value(list.RetainAll(ctx, "b")), true)
	same("size", value(list.Size(ctx)), 1)
	set, err := client.GetSet(ctx, newName())
	check(err)
	same("add", value(set.Add(ctx, "a")), true)
	same("add again", value(set.Add(ctx, "a")), false)
	same("add all", value(set.AddAll(ctx, "a", "b")), true)
	same("items", sortedTexts(set.GetAll(ctx)), []string{"a", "b"})
	same("remove", value(set.Remove(ctx, "a")), true)
	same("contains", value(set.Contains(ctx, "a")), false)
}

func multimaps(client *hazelcast.Client) {
	multimap, err := client.GetMultiMap(ctx, newName())
	check(err)
	same("put", value(multimap.Put(ctx, "k", "a")), true)
	same("put again", value(multimap.Put(ctx, "k", "a")), false)
	check(multimap.PutAll(ctx, "k", "b", "c"))
	check(multimap.PutAll(ctx, "l", "d"))
	same("get", sortedTexts(multimap.Get(ctx, "k")), []string{"a", "b", "c"})
	same("count", value(multimap.ValueCount(ctx, "k")), 3)
	same("size", value(multimap.Size(ctx)), 4)
	same("entry", value(multimap.ContainsEntry(ctx, "l", "d")), true)
	same("value", value(multimap.ContainsValue(ctx, "d")), true)
	same("keys", sortedTexts(multimap.GetKeySet(ctx)), []string{"k", "l"})
	same("values", sortedTexts(multimap.GetValues(ctx)), []string{"a", "b", "c", "d"})
	same("remove entry", value(multimap.RemoveEntry(ctx, "k", "a")), true)
	same("remove", sortedTexts(multimap.Remove(ctx, "k")), []string{"b", "c"})
	locked := multimap.NewLockContext(ctx)
	check(multimap.Lock(locked, "l"))
	same("try lock", value(multimap.TryLock(multimap.NewLockContext(ctx), "l")), false)
	same("locked", value(multimap.IsLocked(ctx, "l")), true)
	check(multimap.Unlock(locked, "l"))
	check(multimap.Delete(ctx, "l"))
	same("key", value(multimap.ContainsKey(ctx, "l")), false)
	same("put", value(multimap.Put(ctx, "m", "e")), true)
	check(multimap.Clear(ctx))
	same("cleared", value(multimap.Size(ctx)), 0)
}

func ringbuffers(client *hazelcast.Client) {
	ring, err := client.GetRingbuffer(ctx, newName())
	check(err)
	same("add", value(ring.Add(ctx, "a", hazelcast.OverflowPolicyOverwrite)), int64(0))
	same("add all", value(ring.AddAll(ctx, hazelcast.OverflowPolicyOverwrite, "b", "c")), int64(2))
	same("size", value(ring.Size(ctx)), int64(3))
	same("tail", value(ring.TailSequence(ctx)), int64(2))
	same("read", value(ring.ReadOne(ctx, 1)), "b")
	read, err := ring.ReadMany(ctx, 1, 2, 10, nil)
	check(err)
	same("count", read.ReadCount(), int32(2))
}

func topics(client *hazelcast.Client) {
	topic, err := client.GetTopic(ctx, newName())
	check(err)
	var mutex sync.Mutex
	told := []interface{}{}
	_, err = topic.AddMessageListener(ctx, func(event *hazelcast.MessagePublished) {
		mutex.Lock()
		defer mutex.Unlock()
		told = append(told, event.Value)
	})
	check(err)
	check(topic.Publish(ctx, "a"))
	check(topic.PublishAll(ctx, "b", "c"))
	until("messages", func() bool {
		mutex.Lock()
		defer mutex.Unlock()
		return len(told) == 3
	})
	same("messages", told, []interface{}{"a", "b", "c"})
}

func others(client *hazelcast.Client) {
	replicated, err := client.GetReplicatedMap(ctx, newName())
	check(err)
	same("put", value(replicated.Put(ctx, "k", "v")), nil)
	same("put again", value(replicated.Put(ctx, "k", "w")), "v")
	check(replicated.PutAll(ctx, types.Entry{Key: "a", Value: "1"}))
	same("get", value(replicated.Get(ctx, "a")), "1")
	same("remove", value(replicated.Remove(ctx, "k")), "w")
	same("size", value(replicated.Size(ctx)), 1)
	counter, err := client.GetPNCounter(ctx, newName())
	check(err)
	same("add", value(counter.AddAndGet(ctx, 5)), int64(5))
	same("decrement", value(counter.DecrementAndGet(ctx)), int64(4))
	ids, err := client.GetFlakeIDGenerator(ctx, newName())
	check(err)
	seen := map[int64]bool{}
	for i := 0; i < 1000; i++ {
		id, err := ids.NewID(ctx)
		check(err)
		seen[id] = true
	}
	same("ids", len(seen), 1000)
}

func structures(client *hazelcast.Client) {
	for _, run := range []func(*hazelcast.Client){
		queues, takers, listsAndSets, multimaps, ringbuffers, topics, others,
	} {
		run(client)
	}
}
