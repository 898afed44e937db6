//! The machine that runs C# code.
//!
//! It runs nothing else: no files, no network, no other code. An `int` has 32 bits, and sums, products and shifts wrap
//! around as in C# without `checked`; what throws an exception in C# is an error of the model at its place in the C# file.
//! The steps of a call from the model are bounded, and so is its memory, because new elements count as steps.

use linchpin_lts::{Trouble, Watch};
use linchpin_text::Span;

use super::code::{Function, Instr, Library, ListMethod, Math, Type, UNSET, Word};
use super::tree::Binary;

/// The most steps of a call from the model.
pub(crate) const MAX_STEPS: u64 = 10_000_000;

/// The most calls inside of each other.
const MAX_CALLS: usize = 1_000;

/// So many steps are taken before somebody is asked again.
const ASK: u64 = 1 << 16;

/// An array, a list or the fields of an object.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub(super) items: Vec<Word>,
    /// How often something was changed.
    version: Word,
}

/// All that a call works with.
pub(super) struct Machine<'a> {
    pub(super) library: &'a Library,
    pub(super) watch: &'a Watch,
    pub(super) heap: Vec<Cell>,
    steps: u64,
}

/// Boxed, because almost everything goes well.
type Done<T> = Result<T, Box<Trouble>>;

/// What went wrong in an instruction.
type Fault = String;

struct Frame {
    function: u32,
    at: usize,
    base: usize,
}

impl<'a> Machine<'a> {
    pub(super) fn new(library: &'a Library, watch: &'a Watch) -> Self {
        Machine { library, watch, heap: Vec::new(), steps: 0 }
    }

    /// A new cell; its place plus one.
    pub(super) fn allocate(&mut self, items: Vec<Word>) -> Word {
        self.heap.push(Cell { items, version: 0 });
        self.heap.len() as Word
    }

    pub(super) fn cell(&self, reference: Word) -> Option<&Cell> {
        self.heap.get(usize::try_from(reference).ok()?.checked_sub(1)?)
    }

    /// Calls a function; its result, if it has one.
    pub(super) fn call(&mut self, function: u32, arguments: &[Word]) -> Done<Word> {
        let mut stack: Vec<Word> = Vec::new();
        let mut frames: Vec<Frame> = Vec::new();
        stack.extend(arguments);
        self.enter(function, &mut stack, &mut frames);
        let mut ask = ASK;
        loop {
            let Some(frame) = frames.last_mut() else { return Ok(0) };
            let code = &self.library.functions[frame.function as usize];
            let (instr, span) = (code.code[frame.at], code.spans[frame.at]);
            frame.at += 1;
            self.steps += 1;
            if self.steps > ask {
                ask = self.steps + ASK;
                if let Some(limit) = self.watch.over() {
                    return Err(Box::new(limit.into()));
                }
                if self.steps > MAX_STEPS {
                    let name = &self.library.functions[function as usize].name;
                    let text = format!("`{name}` has not ended after {MAX_STEPS} steps");
                    return self.wrong(&frames, span, text);
                }
            }
            match instr {
                Instr::Jump(to) => frame.at = to as usize,
                Instr::JumpIf(wanted, to) => {
                    if (pop(&mut stack) != 0) == wanted {
                        frame.at = to as usize;
                    }
                }
                Instr::Load(local) => {
                    let v = stack[frame.base + local as usize];
                    if v == UNSET {
                        let name = &code.names[local as usize];
                        let text = format!("`{name}` is used before it gets a value");
                        return self.wrong(&frames, span, text);
                    }
                    stack.push(v);
                }
                Instr::Store(local) => {
                    let v = pop(&mut stack);
                    stack[frame.base + local as usize] = v;
                }
                Instr::Call(callee) => {
                    if frames.len() >= MAX_CALLS {
                        let name = &self.library.functions[callee as usize].name;
                        let text = format!("`{name}` is called inside of {MAX_CALLS} other calls");
                        return self.wrong(&frames, span, text);
                    }
                    self.enter(callee, &mut stack, &mut frames);
                }
                Instr::Return => {
                    let result = pop(&mut stack);
                    let base = frame.base;
                    stack.truncate(base);
                    frames.pop();
                    if frames.is_empty() {
                        return Ok(result);
                    }
                    stack.push(result);
                }
                Instr::NoResult => {
                    let text = format!("`{}` ends without a result", code.name);
                    return self.wrong(&frames, span, text);
                }
                Instr::Throw(text) => {
                    let text = format!("the C# code throws: {}", code.texts[text as usize]);
                    return self.wrong(&frames, span, text);
                }
                _ => {
                    if let Err(fault) = self.step(instr, &mut stack) {
                        return self.wrong(&frames, span, fault);
                    }
                }
            }
        }
    }

    /// The arguments are on the stack.
    fn enter(&self, function: u32, stack: &mut Vec<Word>, frames: &mut Vec<Frame>) {
        let code: &Function = &self.library.functions[function as usize];
        let given = code.parameters.len() + usize::from(code.this.is_some());
        let base = stack.len().saturating_sub(given);
        stack.resize(base + code.locals as usize, UNSET);
        frames.push(Frame { function, at: 0, base });
    }

    #[cold]
    fn wrong<T>(&self, frames: &[Frame], span: Span, mut text: String) -> Done<T> {
        if let Some(frame) = frames.first()
            && frames.len() > 1
        {
            text +=
                &format!(" (called by `{}`)", self.library.functions[frame.function as usize].name);
        }
        Err(Box::new(Trouble::at(text, span.start, span.end)))
    }

    /// An instruction that changes the stack and the heap only.
    fn step(&mut self, instr: Instr, stack: &mut Vec<Word>) -> Result<(), Fault> {
        match instr {
            Instr::Push(v) => stack.push(v),
            Instr::Dup(n) => {
                let from = stack.len().saturating_sub(n as usize);
                stack.extend_from_within(from..);
            }
            Instr::Pop => {
                stack.pop();
            }
            Instr::Binary(op) => {
                let (b, a) = (pop(stack), pop(stack));
                stack.push(binary(op, a, b)?);
            }
            Instr::Negate => {
                let v = pop(stack);
                stack.push(wrapped(-v));
            }
            Instr::Not => {
                let v = pop(stack);
                stack.push(Word::from(v == 0));
            }
            Instr::Complement => {
                let v = pop(stack);
                stack.push(!v);
            }
            Instr::Math(function) => {
                let b = pop(stack);
                let two = matches!(function, Math::Max | Math::Min | Math::Pow);
                let a = if two { pop(stack) } else { 0 };
                stack.push(math(function, a, b)?);
            }
            Instr::NewArray => {
                let n = pop(stack);
                let length = self.room(n)?;
                let array = self.allocate(vec![0; length]);
                stack.push(array);
            }
            Instr::NewArrayOf(n) => {
                self.room(Word::from(n))?;
                let from = stack.len().saturating_sub(n as usize);
                let items = stack.split_off(from);
                let array = self.allocate(items);
                stack.push(array);
            }
            Instr::NewList => {
                let list = self.allocate(Vec::new());
                stack.push(list);
            }
            Instr::NewListFrom => {
                let from = pop(stack);
                let items = self.items(from)?.clone();
                self.room(items.len() as Word)?;
                let list = self.allocate(items);
                stack.push(list);
            }
            Instr::NewObject(class) => {
                let fields = &self.library.classes[class as usize].fields;
                // Every type begins with 0, false or null.
                let items = vec![0; fields.len()];
                self.room(items.len() as Word)?;
                let object = self.allocate(items);
                stack.push(object);
            }
            Instr::Length => {
                let of = pop(stack);
                let length = self.items(of)?.len();
                stack.push(length as Word);
            }
            Instr::Element => {
                let (index, of) = (pop(stack), pop(stack));
                let items = self.items(of)?;
                stack.push(items[inside(index, items.len())?]);
            }
            Instr::SetElement => {
                let (v, index, of) = (pop(stack), pop(stack), pop(stack));
                let items = self.items(of)?;
                let index = inside(index, items.len())?;
                items[index] = v;
                self.changed(of);
                stack.push(v);
            }
            Instr::Field(field) => {
                let of = pop(stack);
                let v = self.items(of)?[field as usize];
                stack.push(v);
            }
            Instr::SetField(field) => {
                let (v, of) = (pop(stack), pop(stack));
                self.items(of)?[field as usize] = v;
                stack.push(v);
            }
            Instr::List(method) => self.list(method, stack)?,
            Instr::Version => {
                let of = pop(stack);
                self.items(of)?;
                stack.push(self.cell(of).map_or(0, |cell| cell.version));
            }
            // Those that have to do with frames are done before.
            _ => {}
        }
        Ok(())
    }

    /// Counts new elements, so that nobody gets more than the steps that are left.
    fn room(&mut self, n: Word) -> Result<usize, Fault> {
        let length = u64::try_from(n).map_err(|_| format!("an array cannot have {n} elements"))?;
        if self.steps + length > MAX_STEPS {
            return Err(format!("{n} elements are more than the {MAX_STEPS} steps allow"));
        }
        self.steps += length;
        Ok(length as usize)
    }

    fn items(&mut self, reference: Word) -> Result<&mut Vec<Word>, Fault> {
        let at = usize::try_from(reference).ok().and_then(|r| r.checked_sub(1));
        let cell = at.and_then(|at| self.heap.get_mut(at));
        cell.map(|cell| &mut cell.items).ok_or_else(|| "this is `null`".to_string())
    }

    fn changed(&mut self, reference: Word) {
        let at = usize::try_from(reference).ok().and_then(|r| r.checked_sub(1));
        if let Some(cell) = at.and_then(|at| self.heap.get_mut(at)) {
            cell.version += 1;
        }
    }

    /// Methods of lists; every one leaves a word, those without result 0.
    fn list(&mut self, method: ListMethod, stack: &mut Vec<Word>) -> Result<(), Fault> {
        let two = matches!(method, ListMethod::Insert);
        let none = matches!(
            method,
            ListMethod::Clear | ListMethod::Reverse | ListMethod::Sort | ListMethod::ToArray
        );
        let last = if none { 0 } else { pop(stack) };
        let index = if two { pop(stack) } else { last };
        let of = pop(stack);
        let more = match method {
            ListMethod::AddRange => self.items(last)?.clone(),
            _ => Vec::new(),
        };
        // Each looks at all elements, at worst.
        let length = self.items(of)?.len();
        self.room((length + more.len()) as Word)?;
        let looks =
            matches!(method, ListMethod::Contains | ListMethod::IndexOf | ListMethod::ToArray);
        let missing = method == ListMethod::Remove && !self.items(of)?.contains(&last);
        if !looks && !missing {
            self.changed(of);
        }
        let items = self.items(of)?;
        let result = match method {
            ListMethod::Add => {
                items.push(last);
                0
            }
            ListMethod::AddRange => {
                items.extend(more);
                0
            }
            ListMethod::Clear => {
                items.clear();
                0
            }
            ListMethod::Contains => Word::from(items.contains(&last)),
            ListMethod::IndexOf => items.iter().position(|v| *v == last).map_or(-1, |i| i as Word),
            ListMethod::Insert => {
                let at = inside(index, items.len() + 1)?;
                items.insert(at, last);
                0
            }
            ListMethod::Remove => match items.iter().position(|v| *v == last) {
                Some(i) => {
                    items.remove(i);
                    1
                }
                None => 0,
            },
            ListMethod::RemoveAt => {
                items.remove(inside(index, length)?);
                0
            }
            ListMethod::Reverse => {
                items.reverse();
                0
            }
            ListMethod::Sort => {
                items.sort_unstable();
                0
            }
            ListMethod::ToArray => {
                let items = items.clone();
                self.allocate(items)
            }
        };
        stack.push(result);
        Ok(())
    }
}

/// The compiler takes care that there is always something.
fn pop(stack: &mut Vec<Word>) -> Word {
    stack.pop().unwrap_or(0)
}

/// The 32 bits that are left.
fn wrapped(n: i64) -> Word {
    Word::from(n as i32)
}

fn inside(index: Word, length: usize) -> Result<usize, Fault> {
    let at = usize::try_from(index).ok().filter(|&i| i < length);
    at.ok_or_else(|| format!("the index {index} is outside of {length} elements"))
}

/// Numbers, truth values and references; their types have been compared.
pub(super) fn binary(op: Binary, a: Word, b: Word) -> Result<Word, Fault> {
    let truth = |b: bool| Ok(Word::from(b));
    match op {
        Binary::Equal => return truth(a == b),
        Binary::Unequal => return truth(a != b),
        Binary::Less => return truth(a < b),
        Binary::AtMost => return truth(a <= b),
        Binary::Greater => return truth(a > b),
        Binary::AtLeast => return truth(a >= b),
        _ => {}
    }
    Ok(wrapped(match op {
        Binary::BitOr | Binary::Or => a | b,
        Binary::BitAnd | Binary::And => a & b,
        Binary::BitXor => a ^ b,
        Binary::ShiftLeft => a << (b & 31),
        Binary::ShiftRight => a >> (b & 31),
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        Binary::Multiply => a * b,
        Binary::Divide | Binary::Modulo if b == 0 => return Err("division by zero".to_string()),
        Binary::Divide | Binary::Modulo if b == -1 && a == Word::from(i32::MIN) => {
            return Err("the quotient is too large for an `int`".to_string());
        }
        Binary::Divide => a / b,
        _ => a % b,
    }))
}

fn math(function: Math, a: Word, b: Word) -> Result<Word, Fault> {
    let real = match function {
        Math::Abs if b == Word::from(i32::MIN) => {
            return Err("the absolute value is too large for an `int`".to_string());
        }
        Math::Abs => return Ok(b.abs()),
        Math::Max => return Ok(a.max(b)),
        Math::Min => return Ok(a.min(b)),
        Math::Sign => return Ok(b.signum()),
        Math::Pow => (a as f64).powf(b as f64),
        Math::Sqrt => (b as f64).sqrt(),
    };
    let whole = real.trunc();
    match whole >= f64::from(i32::MIN) && whole <= f64::from(i32::MAX) {
        true => Ok(whole as Word),
        false => Err(format!("{real} is not an `int`")),
    }
}

/// The types whose values a model can give and take.
pub(super) fn crosses(ty: Type) -> bool {
    matches!(ty, Type::Int | Type::Bool | Type::Ints | Type::Class(_))
}
