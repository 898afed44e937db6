//! What is wrong about points, in sentences.

use linchpin_lin::display::{display_call, display_value};
use linchpin_lin::specify::AbstractState;
use linchpin_lin::{Files, Value};

use super::{Mark, Mistake};
use crate::history::Operation;
use crate::judge::Judged;
use crate::narrative::Location;

/// Of many possibilities at most so many are told.
const SEVERAL: usize = 3;

/// What is wrong about points.
pub(crate) fn words(
    judged: &Judged,
    operations: &[Operation],
    operation: Option<usize>,
    mistake: &Mistake,
    source: &Files,
) -> Vec<String> {
    let (model, program) = (&judged.model, judged.model.program());
    let spec = model.specification().ok();
    let state =
        |s: &AbstractState| spec.as_ref().map_or_else(String::new, |d| d.describe(s).join(", "));
    let line = |mark: &Mark| Location::of(source, mark.at, mark.at).words();
    let by = |mark: &Mark, own: u32| match mark.by == own {
        true => line(mark),
        false => format!("{}, executed by T{},", line(mark), mark.by),
    };
    let failed = operation.map(|i| &operations[i]);
    let thread = failed.map_or(0, |o| o.thread);
    let name = failed.map_or_else(String::new, |o| {
        let call = display_call(model.object().unit.op(o.op), &o.args, program);
        format!("T{thread}: {call}")
    });
    let shown = |value: &Value| {
        let ty = failed.map(|o| &model.object().unit.op(o.op).result);
        ty.map_or_else(String::new, |ty| display_value(value, ty, program))
    };
    let mut lines = Vec::new();
    match mistake {
        Mistake::Outside(mark, 0) => {
            lines.push(format!("The point in {} is for no thread.", line(mark)));
        }
        Mistake::Outside(mark, whose) => lines.push(format!(
            "The point in {} is for T{whose}, which is in no operation then.",
            by(mark, *whose)
        )),
        Mistake::Second(mark, effects) => {
            for e in effects.iter().take(SEVERAL) {
                lines.push(format!("{name} took effect at its point in {}.", by(&e.mark, thread)));
                lines.push(format!("  It changed {} to {}.", state(&e.before), state(&e.after)));
            }
            lines.push(format!("At the point in {} it would take effect again.", by(mark, thread)));
        }
        Mistake::Impossible(mark, states) => {
            lines.push(format!("{name} cannot take effect at its point in {}:", by(mark, thread)));
            for s in states.iter().take(SEVERAL) {
                lines.push(format!("  the specification does not allow it when {}.", state(s)));
            }
        }
        Mistake::Missing => lines.push(format!("{name} returned, but it had come to no point.")),
        Mistake::Result(effects) => {
            let response = failed.and_then(|o| o.response.as_ref());
            let got = response.map_or_else(String::new, |r| shown(&r.result));
            lines.push(format!("{name} returned {got}."));
            for e in effects.iter().take(SEVERAL) {
                let at = by(&e.mark, thread);
                lines.push(format!(
                    "At its point in {at} the specification gives {}:",
                    shown(&e.result)
                ));
                lines.push(format!("  {} there.", state(&e.before)));
            }
        }
    }
    lines
}
