//! Types as the language writes them.

use linchpin_lin::program::{Proc, Program, Type};

/// `[Versioned; 3]`
pub(crate) fn show(ty: &Type, program: &Program) -> String {
    let one = |ty: &Type| show(ty, program);
    match ty {
        Type::Unit => "()".to_string(),
        Type::Bool => "bool".to_string(),
        ty if *ty == Type::INT => "int".to_string(),
        Type::Int { lo, hi } => format!("{lo}..={hi}"),
        Type::Enum(id) => program.enums[id.index()].name.clone(),
        Type::Data(id) => program.data[id.index()].name.clone(),
        Type::Ref(id) => program.records[id.index()].name.clone(),
        Type::Thread => "thread".to_string(),
        Type::Lock => "lock".to_string(),
        Type::Option(ty) => format!("{}?", one(ty)),
        Type::Tuple(parts) => {
            format!("({})", parts.iter().map(one).collect::<Vec<_>>().join(", "))
        }
        Type::Struct(id) => program.structs[id.index()].name.clone(),
        Type::Array(ty, n) => format!("[{}; {n}]", one(ty)),
        Type::Endless(ty, _) => format!("[{}; ..]", one(ty)),
        Type::PerThread(ty) => format!("[{}; threads]", one(ty)),
        Type::Seq(ty) => format!("seq<{}>", one(ty)),
        Type::Set(ty) => format!("set<{}>", one(ty)),
        Type::Bag(ty) => format!("bag<{}>", one(ty)),
        Type::Map(key, value) => format!("map<{}, {}>", one(key), one(value)),
    }
}

/// `deq() -> Value?`
pub(crate) fn signature(program: &Program, proc: &Proc) -> String {
    let params = proc.locals[..proc.params as usize]
        .iter()
        .map(|p| format!("{}: {}", p.name, show(&p.ty, program)));
    let params = params.collect::<Vec<_>>().join(", ");
    let result = match &proc.result {
        Type::Unit => String::new(),
        ty => format!(" -> {}", show(ty, program)),
    };
    format!("op {}({params}){result}", proc.name)
}
