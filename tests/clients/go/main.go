// SPDX-License-Identifier: Apache-2.0

// go-redis through scenario.json; see ../README.md for what a program has to do.
//
//	main SCENARIO PORT VERSION
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

type command []string

type scenario struct {
	Commands    []command
	Pipeline    []command
	Transaction []command
	Watch       struct {
		Key      string
		Change   command
		Commands []command
		After    command
	}
	Subscribe struct {
		Channel  string
		Pattern  string
		Messages []string
	}
}

var background = context.Background()

func words(all command) []interface{} {
	result := make([]interface{}, len(all))
	for i, word := range all {
		result[i] = word
	}
	return result
}

// canonical gives a reply as JSON has it; maps of RESP 3 are lists, as in RESP 2.
func canonical(reply interface{}) interface{} {
	switch value := reply.(type) {
	case error:
		return map[string]string{"error": value.Error()}
	case []interface{}:
		for i := range value {
			value[i] = canonical(value[i])
		}
	case map[interface{}]interface{}:
		var flat []interface{}
		for key, part := range value {
			flat = append(flat, canonical(key), canonical(part))
		}
		return flat
	}
	return reply
}

func result(sent *redis.Cmd) interface{} {
	reply, err := sent.Result()
	if errors.Is(err, redis.Nil) {
		return nil
	}
	if err != nil {
		return canonical(err)
	}
	return canonical(reply)
}

type sender interface {
	Do(ctx context.Context, words ...interface{}) *redis.Cmd
}

func send(target sender, commands []command) []*redis.Cmd {
	sent := make([]*redis.Cmd, len(commands))
	for i, each := range commands {
		sent[i] = target.Do(background, words(each)...)
	}
	return sent
}

func results(sent []*redis.Cmd) []interface{} {
	all := make([]interface{}, len(sent))
	for i, each := range sent {
		all[i] = result(each)
	}
	return all
}

func runTogether(pipe redis.Pipeliner, commands []command) []interface{} {
	sent := send(pipe, commands)
	// What went wrong is in the replies.
	_, _ = pipe.Exec(background)
	return results(sent)
}

// runWatch tells whether the transaction ran although another connection has changed the key.
func runWatch(client *redis.Client, input *scenario) bool {
	watch := input.Watch
	err := client.Watch(background, func(transaction *redis.Tx) error {
		client.Do(background, words(watch.Change)...)
		_, err := transaction.TxPipelined(background, func(pipe redis.Pipeliner) error {
			send(pipe, watch.Commands)
			return nil
		})
		return err
	}, watch.Key)
	return !errors.Is(err, redis.TxFailedErr)
}

func runSubscribe(client *redis.Client, input *scenario) ([]interface{}, error) {
	subscribe := input.Subscribe
	subscriber := client.Subscribe(background, subscribe.Channel)
	defer subscriber.Close()
	if err := subscriber.PSubscribe(background, subscribe.Pattern); err != nil {
		return nil, err
	}
	for i := 0; i < 2; i++ { // the confirmations: from now on nothing is missed
		if _, err := subscriber.ReceiveTimeout(background, 10*time.Second); err != nil {
			return nil, err
		}
	}
	for _, message := range subscribe.Messages {
		client.Publish(background, subscribe.Channel, message)
	}
	var heard []interface{}
	for len(heard) < 2*len(subscribe.Messages) {
		received, err := subscriber.ReceiveTimeout(background, 10*time.Second)
		if err != nil {
			return nil, err
		}
		message, isMessage := received.(*redis.Message)
		if !isMessage {
			return nil, fmt.Errorf("not a message: %v", received)
		}
		heard = append(heard, []interface{}{orNull(message.Pattern), message.Channel, message.Payload})
	}
	return heard, nil
}

func orNull(text string) interface{} {
	if text == "" {
		return nil
	}
	return text
}

func run(input *scenario, port, version string) (map[string]interface{}, error) {
	protocol, err := strconv.Atoi(version)
	if err != nil {
		return nil, err
	}
	options := redis.Options{Addr: "127.0.0.1:" + port, Protocol: protocol}
	client := redis.NewClient(&options)
	defer client.Close()
	options.PoolSize = 1 // commands like SELECT are about the connection
	single := redis.NewClient(&options)
	defer single.Close()
	output := map[string]interface{}{
		"commands":    results(send(single, input.Commands)),
		"pipeline":    runTogether(client.Pipeline(), input.Pipeline),
		"transaction": runTogether(client.TxPipeline(), input.Transaction),
		"watch":       runWatch(client, input),
	}
	output["after"] = result(client.Do(background, words(input.Watch.After)...))
	output["subscribe"], err = runSubscribe(client, input)
	return output, err
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var input scenario
	if err := json.Unmarshal(text, &input); err != nil {
		log.Fatal(err)
	}
	output, err := run(&input, os.Args[2], os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(output); err != nil {
		log.Fatal(err)
	}
}
