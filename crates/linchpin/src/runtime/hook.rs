//! Panics of explored threads are kept for the report instead of being printed.

use std::panic;
use std::sync::Once;

static HOOK: Once = Once::new();

/// From now on.
pub(crate) fn install() {
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let payload = info.payload();
            let text = payload.downcast_ref::<&str>().copied();
            let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
            let message = text.unwrap_or("a value that is no text");
            let place = info.location().map(|l| format!("{}:{}", l.file(), l.line()));
            let text = match place {
                Some(place) => format!("`{message}` at {place}"),
                None => format!("`{message}`"),
            };
            let kept = super::WORLD.try_with(|world| match world.try_borrow_mut() {
                Ok(mut world) => match world.as_deref_mut() {
                    Some(world) => {
                        world.panic = Some(text);
                        true
                    }
                    None => false,
                },
                Err(_) => false,
            });
            if !kept.unwrap_or(false) {
                before(info);
            }
        }));
    });
}
