// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/hazelcast/hazelcast-go-client"
	"github.com/hazelcast/hazelcast-go-client/types"
)

const (
	inFlight = 256
	batch    = 1000
)

// callUntil gives the times of calls one after the other.
func callUntil(call func() error, end time.Time) []time.Duration {
	var times []time.Duration
	for begin := time.Now(); begin.Before(end); {
		check(call())
		done := time.Now()
		times = append(times, done.Sub(begin))
		begin = done
	}
	return times
}

// measure prints how fast the client is: scenario ADDRESS measure one|many|getall|putall SECONDS.
// A line of JSON has the calls, the seconds they took, and the median of a call in microseconds.
func measure(client *hazelcast.Client, kind string, seconds time.Duration) {
	m := mapOf(client, "measure")
	value := strings.Repeat("v", 100)
	var entries []types.Entry
	var keys []interface{}
	for i := 0; i < batch; i++ {
		key := fmt.Sprintf("key-%d", i)
		keys = append(keys, key)
		entries = append(entries, types.NewEntry(key, value))
	}
	check(m.PutAll(ctx, entries...))
	check(m.Set(ctx, "k", value))
	get := func() error { _, err := m.Get(ctx, "k"); return err }
	call := map[string]func() error{
		"one":    get,
		"many":   get,
		"getall": func() error { _, err := m.GetAll(ctx, keys...); return err },
		"putall": func() error { return m.PutAll(ctx, entries...) },
	}[kind]
	callers := 1
	if kind == "many" {
		callers = inFlight
	}
	var mutex sync.Mutex
	var group sync.WaitGroup
	var times []time.Duration
	begin := time.Now()
	for i := 0; i < callers; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			mine := callUntil(call, begin.Add(seconds))
			mutex.Lock()
			times = append(times, mine...)
			mutex.Unlock()
		}()
	}
	group.Wait()
	elapsed := time.Since(begin)
	sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
	fmt.Printf("{\"calls\": %d, \"seconds\": %f, \"p50_us\": %f}\n", len(times), elapsed.Seconds(),
		float64(times[len(times)/2].Nanoseconds())/1000)
}
