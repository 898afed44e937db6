//! `linchpin lsp`: the language server on standard input and output.

use std::time::Duration;

use linchpin_lsp::{Settings, connect, serve};

use crate::exit::Exit;
use crate::memory;
use crate::screen::Screen;
use crate::shelf;

/// The part of the available memory that a check may occupy: the editor wants some, too.
const MEMORY_SHARE: f64 = 0.5;

/// Serves until the editor says goodbye.
pub(crate) fn run(time: Duration, screen: &Screen) -> Exit {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let settings = Settings {
        time,
        memory: memory::limit(None, MEMORY_SHARE),
        used: memory::used,
        // One core is left for the editor.
        workers: cores.saturating_sub(1).max(1),
        shelf: shelf::find_for,
    };
    let input = std::io::BufReader::new(std::io::stdin());
    let (connection, threads) = connect(input, std::io::stdout());
    let served = serve(&connection, settings);
    drop(connection);
    let ended = match served {
        Ok(()) => threads.join(),
        // The threads may wait for a client that is gone.
        Err(why) => Err(why),
    };
    match ended {
        Ok(()) => Exit::Holds,
        Err(why) => {
            screen.complain(&format!("the language server ended: {why}"));
            Exit::BadInput
        }
    }
}
