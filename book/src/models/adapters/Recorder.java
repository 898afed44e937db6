import java.io.PrintStream;
import java.util.concurrent.Callable;

final class Recorder {
    private final PrintStream out;

    Recorder(PrintStream out) { this.out = out; }

    private synchronized void write(int process, String rest) { // one order for all threads
        out.printf("{\"process\":%d,%s,\"time\":%d}%n", process, rest, System.nanoTime());
    }

    /** `args` and what `operation` gives are JSON: 3, "text", null. */
    void call(int process, String op, String args, Callable<String> operation) throws Exception {
        write(process, "\"type\":\"invoke\",\"op\":\"" + op + "\",\"args\":[" + args + "]");
        String result;
        try {
            result = operation.call();
        } catch (Exception e) { // it may have happened, or may still happen
            write(process, "\"type\":\"info\"");
            throw e;
        }
        write(process, "\"type\":\"ok\",\"result\":" + result);
    }
}
