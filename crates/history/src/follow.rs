//! A log that grows, line by line, given to a monitor.

use linchpin_lts::{Verdict, Watch};

use crate::formats::{self, Clocks, Format, Reading, What};
use crate::monitor::{Monitor, Unexplained};
use crate::spec::{Input, Output, Spec, Trouble};

/// Follows a log.
#[derive(Debug)]
pub struct Follower {
    monitor: Monitor,
    reading: Reading,
    keyed: bool,
    clocks: Clocks,
    line: u32,
    /// The lines of the events that were not asked about.
    last: u32,
}

impl Follower {
    /// Follows a log of an object that should be this, within limits.
    pub fn new(spec: Spec, reading: Reading, watch: &Watch) -> Self {
        let keyed = spec.has_keys();
        let (monitor, clocks) = (Monitor::within(spec, watch), Clocks::default());
        Follower { monitor, reading, keyed, clocks, line: 0, last: 0 }
    }

    /// The next line.
    ///
    /// # Errors
    /// If it is wrong.
    pub fn line(&mut self, text: &str) -> Result<(), Trouble> {
        self.line += 1;
        let number = self.line;
        if text.trim().is_empty() {
            return Ok(());
        }
        let format = match self.reading.format {
            Some(format) => format,
            None => {
                // Lines before the first that is understood are those of other programs.
                let Ok(format) = formats::recognise(text) else { return Ok(()) };
                *self.reading.format.insert(format)
            }
        };
        if format == Format::Edn && text.trim_start().starts_with(['[', '(']) {
            let message =
                "a history in a vector ends with it; to be followed, maps are written one per line";
            return Err(Trouble { line: number, message: message.to_string() });
        }
        let Some(entry) = formats::line(text.trim(), number, format)? else { return Ok(()) };
        self.last = number;
        let at = |trouble: Trouble| Trouble { line: number, ..trouble };
        let process = entry.process;
        self.clocks.look(Some(format), &process, entry.time, number)?;
        match entry.what {
            What::Invoke(Input::Value(value)) => {
                // A pair of key and value; of a register only if a key is asked for by a field of its own.
                let pair = value.elements().filter(|e| e.len() == 2 && self.keyed);
                let (key, input) = match pair {
                    Some([key, value]) => (Some(key.clone()), Input::Value(value.clone())),
                    _ => (entry.key, Input::Value(value)),
                };
                self.monitor.called(&process, &entry.name, key, input).map_err(at)
            }
            What::Invoke(input) => {
                self.monitor.called(&process, &entry.name, entry.key, input).map_err(at)
            }
            What::Ok(Output::Value(value)) => {
                let value = match value.elements() {
                    Some([_, inner]) if self.keyed => inner.clone(),
                    _ => value,
                };
                self.monitor.ended(&process, &Output::Value(value)).map_err(at)
            }
            What::Ok(output) => self.monitor.ended(&process, &output).map_err(at),
            What::Fail(_) if self.reading.failed_cas_returns && entry.name.contains("cas") => {
                self.monitor.ended(&process, &Output::Failed).map_err(at)
            }
            What::Fail(_) => self.monitor.failed(&process).map_err(at),
            What::Info => self.monitor.lost(&process).map_err(at),
            What::Whole { .. } => Err(Trouble {
                line: number,
                message: "a log that is followed has calls and returns; here is a whole operation, which \
                          others may have overtaken"
                    .to_string(),
            }),
        }
    }

    /// The last line that said something.
    pub fn last_line(&self) -> u32 {
        self.last
    }

    /// Is the history so far linearizable?
    ///
    /// # Errors
    /// If the specification goes wrong, or a result does not fit it.
    pub fn verdict(&mut self) -> Result<Verdict<Unexplained>, Trouble> {
        self.monitor.verdict()
    }
}
