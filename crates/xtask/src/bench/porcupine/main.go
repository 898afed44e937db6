// Decides a log of JSON lines, one per operation, with Porcupine: main SPEC SECONDS FILE.
//
// The models are written as Porcupine's own are: a state that is compared by value, and a part per key or element. A lost
// operation returns after everything else, with any result.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
	"time"

	"github.com/anishathalye/porcupine"
)

type call struct {
	Op     string
	Args   []any
	Lost   bool
	Result any
}

type line struct {
	Process int
	Op      string
	Args    []any
	Result  any
	Call    int64
	Return  *int64
}

// The state: its elements, or the one value of a register or key.
func step(spec string, state []any, c call) (bool, []any) {
	is := func(found any) bool { return c.Lost || c.Result == found }
	last := len(state) - 1
	switch c.Op {
	case "read", "get":
		return is(state[0]), state
	case "write":
		return true, []any{c.Args[0]}
	case "put":
		return true, []any{c.Args[1]}
	case "delete":
		return true, []any{nil}
	case "append":
		before, _ := state[0].(string)
		return true, []any{before + c.Args[1].(string)}
	case "cas":
		from, to := c.Args[len(c.Args)-2], c.Args[len(c.Args)-1]
		if state[0] == from {
			return is(true), []any{to}
		}
		return is(false), state
	case "add":
		return is(state[0] == nil), []any{true}
	case "remove":
		return is(state[0] != nil), []any{nil}
	case "contains":
		return is(state[0] != nil), state
	case "enqueue", "push":
		return true, append(append([]any{}, state...), c.Args[0])
	case "insert":
		after := append(append([]any{}, state...), c.Args[0])
		sort.Slice(after, func(i, j int) bool { return after[i].(float64) < after[j].(float64) })
		return true, after
	case "peek":
		switch {
		case last < 0:
			return is(nil), state
		case spec == "stack":
			return is(state[last]), state
		}
		return is(state[0]), state
	case "dequeue", "poll":
		if last < 0 {
			return is(nil), state
		}
		return is(state[0]), state[1:]
	case "pop":
		if last < 0 {
			return is(nil), state
		}
		return is(state[last]), state[:last]
	}
	panic("an operation that is not known: " + c.Op)
}

func model(spec string) porcupine.Model {
	m := porcupine.Model{
		Init: func() any {
			switch spec {
			case "queue", "stack", "priority-queue":
				return []any{}
			}
			return []any{nil}
		},
		Step: func(state, input, output any) (bool, any) {
			return step(spec, state.([]any), input.(call))
		},
		Equal: func(a, b any) bool {
			x, y := a.([]any), b.([]any)
			if len(x) != len(y) {
				return false
			}
			for i := range x {
				if x[i] != y[i] {
					return false
				}
			}
			return true
		},
	}
	if spec == "map" || spec == "set" {
		m.Partition = func(history []porcupine.Operation) [][]porcupine.Operation {
			parts := map[any][]porcupine.Operation{}
			for _, o := range history {
				key := o.Input.(call).Args[0]
				parts[key] = append(parts[key], o)
			}
			all := [][]porcupine.Operation{}
			for _, part := range parts {
				all = append(all, part)
			}
			return all
		}
	}
	return m
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func main() {
	spec := os.Args[1]
	seconds, err := strconv.Atoi(os.Args[2])
	fail(err)
	file, err := os.Open(os.Args[3])
	fail(err)
	history := []porcupine.Operation{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		l := line{}
		fail(json.Unmarshal(lines.Bytes(), &l))
		o := porcupine.Operation{ClientId: l.Process, Call: l.Call, Return: math.MaxInt64}
		if l.Return != nil {
			o.Return = *l.Return
		}
		o.Input = call{l.Op, l.Args, l.Return == nil, l.Result}
		history = append(history, o)
	}
	fail(lines.Err())
	start := time.Now()
	result := porcupine.CheckOperationsTimeout(model(spec), history, time.Duration(seconds)*time.Second)
	fmt.Println(result, time.Since(start).Seconds())
}
