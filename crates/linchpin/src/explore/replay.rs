//! An execution again, by its schedule; and schedules as text, for `LINCHPIN_REPLAY`.

use crate::runtime::event::{Event, Mask};
use crate::runtime::scheduler::Chooser;

/// Follows a schedule. Where it ends or cannot be followed, the thread that ran goes on.
pub(crate) struct Replay {
    schedule: Vec<u8>,
    position: usize,
    /// Has it been followed so far?
    pub(crate) exact: bool,
}

impl Replay {
    pub(crate) fn new(schedule: Vec<u8>) -> Replay {
        Replay { schedule, position: 0, exact: true }
    }
}

impl Chooser for Replay {
    fn choose(&mut self, enabled: Mask, last: Option<u8>) -> Option<u8> {
        let wanted = self.schedule.get(self.position).copied();
        self.position += 1;
        match wanted {
            Some(wanted) if enabled & 1 << wanted != 0 => Some(wanted),
            _ => {
                self.exact = false;
                last.filter(|l| enabled & 1 << l != 0).or(Some(enabled.trailing_zeros() as u8))
            }
        }
    }

    fn executed(&mut self, _events: &[Event]) -> bool {
        true
    }
}

/// `1x3.2x2`: thread 1 for three events, then thread 2 for two.
pub(crate) fn written(schedule: &[u8]) -> String {
    let runs = schedule.chunk_by(|a, b| a == b);
    let run = |run: &[u8]| match run.len() {
        1 => run[0].to_string(),
        n => format!("{}x{n}", run[0]),
    };
    runs.map(run).collect::<Vec<_>>().join(".")
}

/// The schedule that a text is.
pub(crate) fn read(text: &str) -> Option<Vec<u8>> {
    let mut schedule = Vec::new();
    for run in text.split('.').filter(|r| !r.is_empty()) {
        let (thread, times) = run.split_once('x').unwrap_or((run, "1"));
        let (thread, times) = (thread.parse::<u8>().ok()?, times.parse::<usize>().ok()?);
        if thread >= 32 || schedule.len() + times > 1 << 20 {
            return None;
        }
        schedule.extend(std::iter::repeat_n(thread, times));
    }
    Some(schedule)
}
