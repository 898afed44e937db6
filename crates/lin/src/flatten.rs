//! Types as slots: of which kind they are (how many: `Type::slots`).

use linchpin_lts::SlotKind;

use crate::program::{Program, Type};

/// Appends the kinds of the slots of a value of this type. The encoding: one slot each for
/// booleans, numbers, enum values, opaque values, references, threads and locks; an option is a tag
/// and its payload; tuples, structs and arrays are their parts in order.
///
/// Collections have no slots: they occur in specifications only. But a set of threads, a bit for each, is one slot.
pub(crate) fn slot_kinds(ty: &Type, program: &Program, out: &mut Vec<SlotKind>) {
    match ty {
        Type::Set(element) if **element == Type::Thread => out.push(SlotKind::Threads),
        Type::Unit | Type::Seq(_) | Type::Set(_) | Type::Bag(_) | Type::Map(..) => {}
        Type::Bool | Type::Int { .. } | Type::Enum(_) => out.push(SlotKind::Scalar),
        Type::Data(id) => out.push(SlotKind::Data(id.0)),
        Type::Ref(_) => out.push(SlotKind::Ref),
        Type::Thread | Type::Lock => out.push(SlotKind::Thread),
        Type::Option(inner) => {
            out.push(SlotKind::Scalar);
            slot_kinds(inner, program, out);
        }
        Type::Tuple(parts) => parts.iter().for_each(|t| slot_kinds(t, program, out)),
        Type::Struct(id) => {
            program.structs[id.index()].fields.iter().for_each(|f| slot_kinds(&f.ty, program, out))
        }
        Type::Array(element, n) | Type::Endless(element, n) => {
            let from = out.len();
            slot_kinds(element, program, out);
            let one = out[from..].to_vec();
            for _ in 1..*n {
                out.extend_from_slice(&one);
            }
            if *n == 0 {
                out.truncate(from);
            }
        }
        Type::PerThread(element) => slot_kinds(element, program, out),
    }
}

/// The types of the parts of a tuple, struct or array.
pub(crate) fn part_types(ty: &Type, program: &Program) -> Vec<Type> {
    match ty {
        Type::Tuple(parts) => parts.clone(),
        Type::Struct(id) => {
            program.structs[id.index()].fields.iter().map(|f| f.ty.clone()).collect()
        }
        Type::Array(element, n) | Type::Endless(element, n) => {
            vec![(**element).clone(); *n as usize]
        }
        _ => Vec::new(),
    }
}
