//! Tree to program: names get their meaning, macros and constants disappear.

mod assertion;
mod call;
mod code;
mod expr;
mod process;
mod sharing;
mod sharp;
mod unguarded;

use std::collections::HashMap;

use linchpin_text::Span;
use linchpin_text::{Code, Diagnostic, Sink};

use crate::ast::{self, Initial, Name};
use crate::codes;
use crate::eval::{Reader, in_range};
use crate::objects::Kind;
use crate::program::{Channel, Definition, Expr, Program, Variable};
use crate::sharp::Library;
use crate::starts;
use crate::value::{MAX, Value};

/// Something that cannot be resolved; it has been reported.
pub(crate) struct Failed;

type Resolved<T> = Result<T, Failed>;

/// The most slots of variables and channels.
const MAX_SLOTS: u64 = 1 << 16;

/// The most channels, counting those of arrays.
const MAX_CHANNELS: u64 = 1 << 12;

/// The program of a tree, unless something is wrong with it.
pub(crate) fn resolve(model: &ast::Model, sharp: Library, sink: &mut Sink) -> Program {
    let mut resolver = Resolver {
        model,
        program: Program { sharp, ..Program::default() },
        macros: HashMap::new(),
        variables: HashMap::new(),
        collections: HashMap::new(),
        channels: HashMap::new(),
        definitions: HashMap::new(),
        counted: HashMap::new(),
        names: HashMap::new(),
        scope: Scope::default(),
        depth: 0,
        expanded: 0,
        sink,
    };
    resolver.event_name("tau");
    resolver.all();
    let mut program = resolver.program;
    if sink.errors() == 0 {
        unguarded::mark(&mut program);
    }
    program
}

/// What names mean inside a definition.
#[derive(Default)]
struct Scope {
    /// Names of the places of the environment.
    places: Vec<String>,
    /// Local variables of the program: name, first place, sizes.
    locals: Vec<(String, u32, Vec<u32>)>,
    /// Places of the frame in use, and the most that were.
    frame: u32,
    deepest: u32,
    /// May expressions assign, and do local variables exist?
    in_program: bool,
    /// Is what comes next a statement, whose value nobody needs?
    statement: bool,
    /// Arguments of the macro whose body this is.
    arguments: Option<HashMap<String, Expr>>,
}

struct Resolver<'m> {
    model: &'m ast::Model,
    program: Program,
    macros: HashMap<&'m str, &'m ast::Define>,
    variables: HashMap<&'m str, u32>,
    /// What variables with a type are.
    collections: HashMap<u32, Kind>,
    /// First channel, how many there are, whether it is an array.
    channels: HashMap<&'m str, (u32, u32, bool)>,
    definitions: HashMap<&'m str, u32>,
    /// Slots of the numbers of processes.
    counted: HashMap<&'m str, u32>,
    names: HashMap<String, u32>,
    scope: Scope,
    /// Depth of macros.
    depth: usize,
    /// How often macros and quantifiers have been written out.
    expanded: usize,
    sink: &'m mut Sink,
}

impl<'m> Resolver<'m> {
    fn error<T>(&mut self, code: Code, span: Span, message: impl Into<String>) -> Resolved<T> {
        self.sink.push(Diagnostic::error(code, span, message));
        Err(Failed)
    }

    fn all(&mut self) {
        let model = self.model;
        self.declare_names(model);
        for variable in &model.variables {
            let _ = self.variable(variable);
        }
        for channel in &model.channels {
            let _ = self.channel(channel);
        }
        for definition in &model.processes {
            self.definitions
                .insert(definition.name.text.as_str(), self.program.definitions.len() as u32);
            self.program.definitions.push(Definition {
                name: definition.name.text.clone(),
                span: definition.name.span,
                parameters: Vec::new(),
                body: 0,
                alphabet: None,
            });
        }
        for name in &model.counted {
            let _ = self.number_of(name);
        }
        self.message_widths(model);
        for (i, definition) in model.processes.iter().enumerate() {
            let _ = self.parameters(i, definition);
        }
        for (i, definition) in model.processes.iter().enumerate() {
            // Nobody would see what is wrong with the rest.
            if self.sink.is_full() {
                return;
            }
            let _ = self.definition(i, definition);
        }
        for alphabet in &model.alphabets {
            let _ = self.alphabet(alphabet);
        }
        self.constants_of(model);
        for assertion in &model.assertions {
            if self.sink.is_full() {
                return;
            }
            let _ = self.assertion(assertion);
        }
    }

    /// One name, one thing.
    fn declare_names(&mut self, model: &'m ast::Model) {
        let mut seen: HashMap<&str, (&str, Span)> = HashMap::new();
        let names = (model.defines.iter().map(|d| ("constant", &d.name)))
            .chain(model.variables.iter().map(|v| ("variable", &v.name)))
            .chain(model.channels.iter().map(|c| ("channel", &c.name)))
            .chain(model.processes.iter().map(|p| ("process", &p.name)));
        for (kind, name) in names {
            if let Some((other, span)) = seen.insert(&name.text, (kind, name.span)) {
                let message = format!("`{}` is declared twice", name.text);
                let first = format!("here it is a {other}");
                self.sink.push(
                    Diagnostic::error(codes::DUPLICATE, name.span, message).also(span, first),
                );
            }
        }
        for define in &model.defines {
            self.macros.insert(define.name.text.as_str(), define);
        }
    }

    /// The values of constants that stand for one.
    fn constants_of(&mut self, model: &'m ast::Model) {
        for define in &model.defines {
            // What is wrong with one that nobody uses is of no interest.
            let mut unheard = Sink::default();
            std::mem::swap(self.sink, &mut unheard);
            let value = match crate::settings::can_be_set(define) {
                true => self.expand(&define.name.text, &[], define.name.span).ok(),
                false => None,
            };
            let value = value.and_then(|e| self.known(&e, define.name.span).ok());
            std::mem::swap(self.sink, &mut unheard);
            self.program.constants.push(value);
        }
    }

    /// The value of an expression that is known before the model runs.
    fn constant(&mut self, e: &ast::Expr) -> Resolved<Value> {
        let resolved = self.expr(e)?;
        self.known(&resolved, e.span)
    }

    fn known(&mut self, e: &Expr, span: Span) -> Resolved<Value> {
        if e.reads_state() || e.free() != 0 {
            let message = "a constant is needed here, but this depends on variables";
            return self.error(codes::CONSTANT, span, message);
        }
        let value = Reader { program: &self.program, data: &[], env: &[] }.value(e);
        match value {
            Ok(value) => Ok(value),
            Err(trouble) => self.error(codes::CONSTANT, span, trouble.message),
        }
    }

    /// A constant number from zero to a limit.
    fn count(&mut self, e: &ast::Expr, most: u64, what: &str) -> Resolved<u32> {
        let v = self.constant(e)?;
        if v >= 0 && (v as u64) <= most {
            return Ok(v as u32);
        }
        let v = crate::value::show(v);
        self.error(codes::RANGE, e.span, format!("{what} must be from 0 to {most}, not {v}"))
    }

    fn range(&mut self, range: &Option<ast::Bounds>) -> Resolved<Option<(Value, Value)>> {
        let Some((low, high)) = range else { return Ok(None) };
        let low = low.as_ref().map_or(Ok(-MAX), |e| self.constant(e))?;
        let high = high.as_ref().map_or(Ok(MAX), |e| self.constant(e))?;
        Ok(Some((low, high)))
    }

    fn variable(&mut self, variable: &'m ast::Variable) -> Resolved<()> {
        let Name { text, span } = &variable.name;
        let kind = variable.collection.as_ref().map(|name| self.kind(name)).transpose()?;
        let mut sizes = Vec::new();
        let mut length = 1u64;
        if let (Some(_), [size, ..]) = (kind, variable.sizes.as_slice()) {
            let message = "an array of collections is not supported";
            return self.error(codes::UNSUPPORTED, size.span, message);
        }
        for size in &variable.sizes {
            let size = self.count(size, MAX_SLOTS, "the size of an array")?;
            length = length.saturating_mul(u64::from(size));
            sizes.push(size);
        }
        let values = match &variable.initial {
            None => match kind {
                Some(kind) => Some(vec![self.new_value(kind, variable)?]),
                None => None,
            },
            Some(Initial::Value(e)) => {
                // Variables declared before may be used: their initial values are meant.
                let resolved = self.whole(e)?;
                let data: Vec<u32> =
                    self.program.initial.iter().map(|&v| crate::value::to_slot(v)).collect();
                if let Some(other) = starts::reads_any(&self.program, &resolved) {
                    let message = format!(
                        "an initial value that depends on `{other}`, which begins with any, is not supported"
                    );
                    return self.error(codes::UNSUPPORTED, e.span, message);
                }
                let reader = Reader { program: &self.program, data: &data, env: &[] };
                let v = match reader.value(&resolved) {
                    Ok(v) => v,
                    Err(t) => {
                        let at = t.at.map_or(e.span, |(a, b)| Span::new(a as usize, b as usize));
                        return self.error(codes::CONSTANT, at, t.message);
                    }
                };
                match self.program.objects.elements(v) {
                    Ok(array) if kind.is_none() => {
                        if sizes.is_empty() {
                            sizes.push(array.items.len() as u32);
                            length = array.items.len() as u64;
                        } else if array.items.len() as u64 != length {
                            let n = array.items.len();
                            let message =
                                format!("the array has {length} elements, but {n} are given");
                            return self.error(codes::ARGUMENTS, e.span, message);
                        }
                        Some(array.items.clone())
                    }
                    _ => Some(vec![v]),
                }
            }
            Some(Initial::Any(span)) => {
                let declared = match &variable.range {
                    Some((Some(low), Some(_))) if kind.is_none() => low,
                    _ => {
                        let message = "an arbitrary initial value without a range is not supported";
                        let d = Diagnostic::error(codes::UNSUPPORTED, *span, message);
                        self.sink.push(d.help("declare one: `var x:{0..3} = *;`"));
                        return Err(Failed);
                    }
                };
                // The first one; the others follow.
                Some(vec![self.constant(declared)?; length as usize])
            }
            Some(Initial::Array(elements, span)) => {
                let values = self.elements(elements)?;
                if sizes.is_empty() {
                    sizes.push(values.len() as u32);
                    length = values.len() as u64;
                } else if values.len() as u64 != length {
                    let n = values.len();
                    let message = format!("the array has {length} elements, but {n} are given");
                    return self.error(codes::ARGUMENTS, *span, message);
                }
                Some(values)
            }
        };
        let base = self.program.initial.len() as u64;
        if base + length > MAX_SLOTS {
            let message = format!("the variables have more than {MAX_SLOTS} elements");
            return self.error(codes::RANGE, *span, message);
        }
        let range = self.range(&variable.range)?;
        let values = match values {
            Some(values) if values.len() as u64 == length => values,
            Some(values) => vec![values[0]; length as usize],
            None => vec![0; length as usize],
        };
        let id = self.program.variables.len() as u32;
        self.variables.insert(text, id);
        if let Some(kind) = kind {
            self.collections.insert(id, kind);
        }
        let any = match variable.initial {
            Some(Initial::Any(span)) => Some(span),
            _ => None,
        };
        if any.is_some() {
            self.program.any.push(id);
        } else if variable.hidden {
            self.program.hidden.extend(base as u32..(base + length) as u32);
        }
        self.program.variables.push(Variable {
            name: text.clone(),
            base: base as u32,
            sizes,
            length: length as u32,
            range,
        });
        if let Some(span) = any
            && starts::count(&self.program).is_none()
        {
            let most = starts::MOST;
            let message = format!("there are more than {most} ways to begin");
            return self.error(codes::RANGE, span, message);
        }
        for &v in &values {
            if let Err(t) = in_range(&self.program, id, v, *span) {
                return self.error(codes::RANGE, *span, t.message);
            }
        }
        self.program.initial.extend(values);
        Ok(())
    }

    /// A slot for the number of processes of this name.
    fn number_of(&mut self, name: &'m Name) -> Resolved<()> {
        let Some(&definition) = self.definitions.get(name.text.as_str()) else {
            return self.unknown(&name.text, name.span, "process");
        };
        if !self.model.processes[definition as usize].parameters.is_empty() {
            let message =
                format!("counting `{}`, which has parameters, is not supported", name.text);
            return self.error(codes::UNSUPPORTED, name.span, message);
        }
        if self.counted.contains_key(name.text.as_str()) {
            return Ok(());
        }
        let base = self.program.initial.len() as u32;
        self.counted.insert(&name.text, base);
        self.program.counted.push((definition, base));
        let name = format!("#{}()", name.text);
        let (sizes, length, range) = (Vec::new(), 1, None);
        self.program.variables.push(Variable { name, base, sizes, length, range });
        self.program.initial.push(0);
        Ok(())
    }

    /// The values of `[1(2), 3..6]`.
    fn elements(&mut self, elements: &[ast::Element]) -> Resolved<Vec<Value>> {
        let mut values = Vec::new();
        for element in elements {
            match element {
                ast::Element::Times(e, times) => {
                    let v = self.constant(e)?;
                    let times = match times {
                        Some(t) => self.count(t, MAX_SLOTS, "the number of repetitions")?,
                        None => 1,
                    };
                    values.extend(std::iter::repeat_n(v, times as usize));
                }
                ast::Element::Range(from, to) => {
                    let (a, b) = (self.constant(from)?, self.constant(to)?);
                    if i64::from(a).abs_diff(i64::from(b)) > MAX_SLOTS {
                        return self.error(codes::RANGE, from.span, "this range is too long");
                    }
                    if a <= b {
                        values.extend(a..=b);
                    } else {
                        values.extend((b..=a).rev());
                    }
                }
            }
        }
        Ok(values)
    }

    fn channel(&mut self, channel: &'m ast::Channel) -> Resolved<()> {
        let size = self.count(&channel.size, 1 << 10, "the size of a channel")?;
        let (count, array) = match &channel.count {
            Some(e) => (self.count(e, MAX_CHANNELS, "the number of channels")?, true),
            None => (1, false),
        };
        let first = self.program.channels.len() as u32;
        if u64::from(first) + u64::from(count) > MAX_CHANNELS {
            return self.error(codes::RANGE, channel.name.span, "there are too many channels");
        }
        self.channels.insert(&channel.name.text, (first, count, array));
        for i in 0..count {
            let mut name = channel.name.text.clone();
            if array {
                name += &format!("[{i}]");
            }
            self.program.channels.push(Channel { name, size, width: 0, mixed: false, base: 0 });
        }
        Ok(())
    }

    /// Finds out how many values the messages of each channel have, and places the buffers.
    fn message_widths(&mut self, model: &ast::Model) {
        let mut sends: HashMap<&str, (usize, usize)> = HashMap::new();
        for definition in &model.processes {
            process::each_send(&definition.body, &mut |channel, values| {
                let entry = sends.entry(channel).or_insert((values, values));
                *entry = (entry.0.min(values), entry.1.max(values));
            });
        }
        let mut base = self.program.initial.len() as u64;
        for channel in &model.channels {
            let Some(&(first, count, _)) = self.channels.get(channel.name.text.as_str()) else {
                continue;
            };
            let (least, most) = sends.get(channel.name.text.as_str()).copied().unwrap_or((0, 0));
            for c in &mut self.program.channels[first as usize..(first + count) as usize] {
                c.mixed = least != most;
                c.width = (most + usize::from(c.mixed)) as u32;
                c.base = base as u32;
                if c.size > 0 {
                    base += 1 + u64::from(c.size) * u64::from(c.width);
                }
            }
        }
        if base > MAX_SLOTS {
            let span = model.channels.first().map_or(Span::default(), |c| c.name.span);
            let message = format!("variables and channels need more than {MAX_SLOTS} slots");
            let _ = self.error::<()>(codes::RANGE, span, message);
        }
    }

    /// The number of an event's name.
    fn event_name(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.names.get(name) {
            return id;
        }
        let id = self.program.names.len() as u32;
        self.program.names.push(name.to_string());
        self.names.insert(name.to_string(), id);
        id
    }
}
