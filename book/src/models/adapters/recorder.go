package recorder

import (
	"encoding/json"
	"io"
	"sync"
	"time"
)

type Recorder struct {
	mutex sync.Mutex
	out   io.Writer
}

func (r *Recorder) write(entry map[string]any) {
	r.mutex.Lock() // one order for all goroutines
	defer r.mutex.Unlock()
	entry["time"] = time.Now().UnixNano()
	json.NewEncoder(r.out).Encode(entry)
}

func (r *Recorder) Call(process int, op string, args []any, do func() (any, error)) {
	r.write(map[string]any{"process": process, "type": "invoke", "op": op, "args": args})
	result, err := do()
	if err != nil { // it may have happened, or may still happen
		r.write(map[string]any{"process": process, "type": "info"})
		return
	}
	r.write(map[string]any{"process": process, "type": "ok", "result": result})
}
