import json, threading, time

class Recorder:
    def __init__(self, path):
        self.file, self.lock = open(path, "w"), threading.Lock()

    def write(self, **entry):
        with self.lock:  # one order for all threads
            self.file.write(json.dumps({**entry, "time": time.monotonic_ns()}) + "\n")

    def call(self, process, op, args, do):
        self.write(process=process, type="invoke", op=op, args=args)
        try:
            result = do(*args)
        except TimeoutError:  # it may have happened, or may still happen
            self.write(process=process, type="info")
            raise
        self.write(process=process, type="ok", result=result)
        return result
