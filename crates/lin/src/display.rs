//! Values and calls as a reader of a report wants to see them.
//!
//! A value alone does not say what it is (the second variant of which enum?), so everything here
//! goes by type.

use crate::program::{Proc, Program, Type};
use crate::value::Value;

/// A value of the given type as text: `3`, `true`, `Red`, `null`, `empty`, `(a, 1)`,
/// `Versioned(n1, 2)`, `Value(3)`, `[a, b]`, `{1: x}`. Opaque data values are letters, records on the heap are
/// `n1`, `n2`, threads `T1`, `T2`.
pub fn display_value(value: &Value, ty: &Type, program: &Program) -> String {
    let one = |value: &Value, ty: &Type| display_value(value, ty, program);
    let several = |values: &mut dyn Iterator<Item = &Value>, ty: &Type| {
        values.map(|v| one(v, ty)).collect::<Vec<_>>().join(", ")
    };
    match (value, ty) {
        (Value::Unit, _) => "()".to_string(),
        (Value::Bool(b), _) => b.to_string(),
        (Value::Int(n), _) => n.to_string(),
        (Value::Enum(i), Type::Enum(id)) => program
            .enums
            .get(id.index())
            .and_then(|e| e.variants.get(*i as usize))
            .map_or_else(|| format!("#{i}"), Clone::clone),
        (Value::Enum(i), _) => format!("#{i}"),
        (Value::Data(n), _) => data_name(*n),
        (Value::Ref(0), _) => "null".to_string(),
        (Value::Ref(n), _) => format!("n{n}"),
        (Value::Thread(0), Type::Lock) => "free".to_string(),
        (Value::Thread(0), _) => "none".to_string(),
        (Value::Thread(t), _) => format!("T{t}"),
        (Value::Option(None), _) => "empty".to_string(),
        (Value::Option(Some(inner)), Type::Option(ty)) => one(inner, ty),
        (Value::Option(Some(inner)), _) => one(inner, ty),
        (Value::Tuple(parts), Type::Tuple(types)) => {
            let parts: Vec<_> = parts.iter().zip(types).map(|(v, t)| one(v, t)).collect();
            format!("({})", parts.join(", "))
        }
        (Value::Tuple(parts), Type::Struct(id)) => match program.structs.get(id.index()) {
            Some(s) => {
                let all = (s.name.as_str(), 0..parts.len());
                let (name, shown) = program.variant(ty, parts).unwrap_or(all);
                let parts: Vec<_> = parts[shown.clone()]
                    .iter()
                    .zip(s.fields.iter().skip(shown.start))
                    .map(|(v, f)| one(v, &f.ty))
                    .collect();
                match parts.is_empty() && s.sum.is_some() {
                    true => name.to_string(),
                    false => format!("{name}({})", parts.join(", ")),
                }
            }
            None => format!("({})", several(&mut parts.iter(), &Type::Unit)),
        },
        (Value::Tuple(parts), Type::Array(ty, _) | Type::Endless(ty, _) | Type::PerThread(ty))
        | (Value::Seq(parts), Type::Seq(ty)) => format!("[{}]", several(&mut parts.iter(), ty)),
        (Value::Tuple(parts), _) => format!("({})", several(&mut parts.iter(), &Type::Unit)),
        (Value::Seq(parts), _) => format!("[{}]", several(&mut parts.iter(), &Type::Unit)),
        (Value::Set(elements), _) => format!("{{{}}}", several(&mut elements.iter(), element(ty))),
        (Value::Bag(elements), _) => {
            let mut copies = elements.iter().flat_map(|(v, n)| std::iter::repeat_n(v, *n as usize));
            format!("{{{}}}", several(&mut copies, element(ty)))
        }
        (Value::Map(entries), _) => {
            let (key, value) = match ty {
                Type::Map(key, value) => (&**key, &**value),
                _ => (&Type::Unit, &Type::Unit),
            };
            let entries: Vec<_> = entries
                .iter()
                .map(|(k, v)| format!("{}: {}", one(k, key), one(v, value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

/// A call of an operation: `push(a)`.
pub fn display_call(op: &Proc, args: &[Value], program: &Program) -> String {
    let args: Vec<_> = args
        .iter()
        .zip(&op.locals)
        .map(|(v, param)| display_value(v, &param.ty, program))
        .collect();
    format!("{}({})", op.name, args.join(", "))
}

/// The name of an opaque data value: `a` to `z`, then `a1` to `z1` and so on; `-` is the value of
/// a place that nobody has written.
fn data_name(n: u32) -> String {
    let Some(n) = n.checked_sub(1) else {
        return "-".to_string();
    };
    let letter = char::from(b'a' + (n % 26) as u8);
    match n / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

/// The element type of a collection.
fn element(ty: &Type) -> &Type {
    match ty {
        Type::Set(element) | Type::Bag(element) => element,
        _ => &Type::Unit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{DataId, Enum, EnumId, Field, RecordId, Struct, StructId, Sum, Var};
    use linchpin_text::Span;

    fn program() -> Program {
        Program {
            enums: vec![
                Enum { name: "Color".into(), variants: vec!["Red".into(), "Green".into()] },
                Enum { name: "Word".into(), variants: vec!["Gone".into(), "Value".into()] },
            ],
            structs: vec![
                Struct {
                    name: "Versioned".into(),
                    fields: vec![
                        Field { name: "ptr".into(), ty: Type::Ref(RecordId(0)) },
                        Field { name: "count".into(), ty: Type::INT },
                    ],
                    sum: None,
                },
                Struct {
                    name: "Word".into(),
                    fields: vec![
                        Field { name: "variant".into(), ty: Type::Enum(EnumId(1)) },
                        Field { name: "Value.0".into(), ty: Type::INT },
                    ],
                    sum: Some(Sum { tag: EnumId(1), carried: vec![1..1, 1..2] }),
                },
            ],
            ..Program::default()
        }
    }

    #[track_caller]
    fn shown(value: Value, ty: Type, text: &str) {
        assert_eq!(display_value(&value, &ty, &program()), text);
    }

    #[test]
    fn simple_values_read_like_the_language() {
        shown(Value::Int(-3), Type::INT, "-3");
        shown(Value::Bool(true), Type::Bool, "true");
        shown(Value::Enum(1), Type::Enum(EnumId(0)), "Green");
        shown(Value::Ref(0), Type::Ref(RecordId(0)), "null");
        shown(Value::Ref(2), Type::Ref(RecordId(0)), "n2");
        shown(Value::Thread(1), Type::Thread, "T1");
        shown(Value::Thread(0), Type::Lock, "free");
        shown(Value::Unit, Type::Unit, "()");
    }

    #[test]
    fn opaque_values_are_letters() {
        for (n, name) in [(0, "-"), (1, "a"), (26, "z"), (27, "a1"), (54, "b2")] {
            shown(Value::Data(n), Type::Data(DataId(0)), name);
        }
    }

    #[test]
    fn composite_values_show_their_parts_by_type() {
        let data = || Type::Data(DataId(0));
        let seq = Value::Seq(vec![Value::Data(1), Value::Data(3)]);
        shown(seq, Type::Seq(Box::new(data())), "[a, c]");
        shown(Value::Option(None), Type::Option(Box::new(data())), "empty");
        let some = Value::Option(Some(Box::new(Value::Data(2))));
        shown(some, Type::Option(Box::new(data())), "b");
        let pair = Value::Tuple(vec![Value::Data(1), Value::Enum(0)]);
        shown(pair, Type::Tuple(vec![data(), Type::Enum(EnumId(0))]), "(a, Red)");
        let versioned = Value::Tuple(vec![Value::Ref(1), Value::Int(2)]);
        shown(versioned, Type::Struct(StructId(0)), "Versioned(n1, 2)");
        let bag = Value::Bag([(Value::Int(1), 2), (Value::Int(5), 1)].into());
        shown(bag, Type::Bag(Box::new(Type::INT)), "{1, 1, 5}");
        let map = Value::Map([(Value::Int(1), Value::Enum(1))].into());
        let ty = Type::Map(Box::new(Type::INT), Box::new(Type::Enum(EnumId(0))));
        shown(map, ty, "{1: Green}");
    }

    #[test]
    fn a_value_of_an_enum_shows_what_it_carries_and_nothing_else() {
        let word = |variant, carried: &[i32]| {
            let carried = carried.iter().map(|n| Value::Int(*n));
            Value::of_variant(StructId(1), variant, carried, &program())
        };
        shown(word(1, &[3]), Type::Struct(StructId(1)), "Value(3)");
        shown(word(0, &[]), Type::Struct(StructId(1)), "Gone");
        let some = Value::Option(Some(Box::new(word(1, &[0]))));
        shown(some, Type::Option(Box::new(Type::Struct(StructId(1)))), "Value(0)");
    }

    #[test]
    fn a_call_shows_its_arguments_by_the_types_of_the_parameters() {
        let param = |ty| Var { name: "p".into(), ty, init: Value::Unit, span: Span::default() };
        let op = Proc {
            name: "put".into(),
            params: 2,
            locals: vec![
                param(Type::Data(DataId(0))),
                param(Type::Enum(EnumId(0))),
                param(Type::INT),
            ],
            result: Type::Unit,
            body: vec![],
            meet: None,
            span: Span::default(),
        };
        let text = display_call(&op, &[Value::Data(2), Value::Enum(1)], &program());
        assert_eq!(text, "put(b, Green)");
    }
}
