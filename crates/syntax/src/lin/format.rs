//! placeholder
use crate::diagnostic::Diagnostic;
/// placeholder
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    Ok(text.to_string())
}
