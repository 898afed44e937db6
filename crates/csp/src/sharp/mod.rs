//! C# functions and classes of imported libraries, from their source.
//!
//! PAT's users put helper functions into C# and import the compiled library; Linchpin reads the source. What it knows is a
//! small language: static methods and classes derived from `ExpressionValue`, on `int`, `bool`, `int[]` and `List<int>`,
//! with the usual statements. Everything else is refused by name at its place in the C# file. Text ([`lexer`], [`parse`])
//! becomes a tree ([`tree`]), names and types are looked at ([`compile`]), and a machine runs the code ([`run`]).
//!
//! Where this departs from PAT: objects are values. Two objects are the same if their fields are; `GetClone`, `ToString`
//! and `ExpressionID` are not run. PAT takes objects for the same if `ExpressionID` gives the same text; a field that it does
//! not mention is reported. A change of an argument that is an object would be seen elsewhere in PAT; it is an error here. An
//! array that is an argument is copied in both.

mod code;
mod compile;
mod lexer;
mod parse;
mod run;
mod tree;

use linchpin_lts::{Trouble, Watch};
use linchpin_text::{Sink, Span};

pub(crate) use code::{CONSTRUCTOR, Function, Library, Member, Type};

use crate::objects::{Kind, Object, Objects};
use crate::value::{self, MAX, NOTHING, Value, is_number};
use code::Word;
use run::Machine;

/// The library of the files at these places of a text.
pub(crate) fn load(text: &str, files: &[Span], sink: &mut Sink) -> Library {
    let mut classes = Vec::new();
    for file in files {
        classes.extend(parse::parse(text, *file, sink));
    }
    match sink.errors() {
        0 => compile::compile(text, &classes, sink),
        _ => Library::default(),
    }
}

/// Can a model give or take values of this type?
pub(crate) fn crosses(ty: Type) -> bool {
    run::crosses(ty)
}

/// What comes of a call.
pub(crate) struct Called {
    pub(crate) result: Value,
    /// The object it was called on, afterwards.
    pub(crate) this: Option<Value>,
}

/// Calls a function from the model.
pub(crate) fn call(
    library: &Library,
    objects: &Objects,
    number: u32,
    this: Option<Value>,
    arguments: &[Value],
    span: Span,
    watch: &Watch,
) -> Result<Called, Box<Trouble>> {
    let function: &Function = &library.functions[number as usize];
    let at = |message: String| Box::new(Trouble::at(message, span.start, span.end));
    let name = &function.name;
    let mut border = Border { objects, machine: Machine::new(library, watch) };
    let mut words = Vec::new();
    let of = function.this.map(Type::Class);
    let given = this.into_iter().chain(arguments.iter().copied());
    let types: Vec<Type> = of.into_iter().chain(function.parameters.iter().copied()).collect();
    for (v, ty) in given.clone().zip(&types) {
        words.push(border.inward(v, *ty).map_err(|m| at(format!("{m} by `{name}`")))?);
    }
    let result = border.machine.call(number, &words)?;
    // Objects that were given, as they are now.
    let mut after = Vec::new();
    for ((word, ty), before) in words.iter().zip(&types).zip(given) {
        after.push(match ty {
            Type::Class(_) => {
                border.outward(*word, *ty).map_err(|m| at(format!("{m} of `{name}`")))?
            }
            _ => before,
        });
    }
    let first = usize::from(this.is_some());
    if after[first..] != *arguments {
        let message =
            format!("`{name}` changes an object that is its argument, which is not supported");
        return Err(at(message));
    }
    let result = match function.result {
        Type::Void => NOTHING,
        ty => border.outward(result, ty).map_err(|m| at(format!("{m} of `{name}`")))?,
    };
    Ok(Called { result, this: this.map(|_| after[0]) })
}

/// Values of the model on one side, the heap of the machine on the other.
struct Border<'a> {
    objects: &'a Objects,
    machine: Machine<'a>,
}

impl Border<'_> {
    /// A value of the model for the machine.
    fn inward(&mut self, v: Value, ty: Type) -> Result<Word, String> {
        let wrong = || {
            let wanted = match ty {
                Type::Int => "a number",
                Type::Bool => "a truth value",
                Type::Ints => "an array",
                _ => "an object of another class",
            };
            Err(format!("{}, but {wanted} is needed", value::describe(v)))
        };
        match ty {
            Type::Int if is_number(v) => Ok(Word::from(v)),
            Type::Bool if v == value::TRUE || v == value::FALSE => Ok(Word::from(v == value::TRUE)),
            _ => match (self.objects.get(v), ty) {
                (Some(Object { kind: Kind::Array, items }), Type::Ints)
                | (Some(Object { kind: Kind::List, items }), Type::List) => {
                    let words: Option<Vec<Word>> =
                        items.iter().map(|&v| is_number(v).then_some(Word::from(v))).collect();
                    match words {
                        Some(words) => Ok(self.machine.allocate(words)),
                        None => Err("an array with something else than numbers is given".into()),
                    }
                }
                (Some(Object { kind: Kind::Class(c), items }), Type::Class(class))
                    if *c == class =>
                {
                    let fields = &self.machine.library.classes[class as usize].fields;
                    let mut words = Vec::new();
                    for (v, (_, ty)) in items.iter().zip(fields) {
                        words.push(if *v == NOTHING { 0 } else { self.inward(*v, *ty)? });
                    }
                    Ok(self.machine.allocate(words))
                }
                _ => wrong(),
            },
        }
    }

    /// A value of the machine for the model.
    fn outward(&self, word: Word, ty: Type) -> Result<Value, String> {
        match ty {
            Type::Bool => Ok(value::bool(word != 0)),
            Type::Int if word.abs() <= Word::from(MAX) => Ok(word as Value),
            Type::Int => Err(format!("{word} is too large for Linchpin (at most {MAX}): a value")),
            _ => {
                let Some(cell) = self.machine.cell(word) else {
                    return Err("`null` is the result".to_string());
                };
                let (kind, items) = match ty {
                    Type::Class(class) => {
                        let fields = &self.machine.library.classes[class as usize].fields;
                        let mut items = Vec::new();
                        for (i, (&word, (name, ty))) in cell.items.iter().zip(fields).enumerate() {
                            let reference = ty.is_reference();
                            if reference && word != 0 && cell.items[..i].contains(&word) {
                                let other = (0..i)
                                    .find(|&j| fields[j].1.is_reference() && cell.items[j] == word);
                                if let Some(other) = other {
                                    return Err(format!(
                                        "the fields `{}` and `{name}` are one and the same: an object",
                                        fields[other].0
                                    ));
                                }
                            }
                            items.push(match reference && word == 0 {
                                true => NOTHING,
                                false => self.outward(word, *ty)?,
                            });
                        }
                        (Kind::Class(class), items)
                    }
                    _ => {
                        let kind = if ty == Type::List { Kind::List } else { Kind::Array };
                        let numbers: Result<Vec<Value>, String> =
                            cell.items.iter().map(|&w| self.outward(w, Type::Int)).collect();
                        (kind, numbers?)
                    }
                };
                self.objects.value(Object { kind, items })
            }
        }
    }
}
