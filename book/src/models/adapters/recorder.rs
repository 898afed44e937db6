use std::io::Write;
use std::sync::Mutex;

pub struct Recorder<W: Write>(pub Mutex<W>);

impl<W: Write> Recorder<W> {
    /// `args` and what `operation` gives are JSON: `3`, `"text"`, `null`. `None`: nobody knows what became of it.
    pub fn call(
        &self,
        process: u32,
        op: &str,
        args: &str,
        operation: impl FnOnce() -> Option<String>,
    ) {
        self.write(process, &format!(r#""type":"invoke","op":"{op}","args":[{args}]"#));
        match operation() {
            Some(result) => self.write(process, &format!(r#""type":"ok","result":{result}"#)),
            None => self.write(process, r#""type":"info""#),
        }
    }

    fn write(&self, process: u32, rest: &str) {
        let mut file = self.0.lock().expect("nobody panicked"); // one order for all threads
        writeln!(file, r#"{{"process":{process},{rest}}}"#).expect("written");
    }
}
