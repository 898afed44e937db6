use linchpin_check::*;
use std::sync::Arc;
fn main() {
    let mut args = std::env::args().skip(1);
    let text = std::fs::read_to_string(args.next().unwrap()).unwrap();
    let name = args.next();
    let program = Arc::new(linchpin_syntax::lin::load(&text, &[]).unwrap().program);
    for c in &program.checks {
        if name.as_ref().is_some_and(|n| *n != c.name) {
            continue;
        }
        let mut o = Options::default();
        if let Ok(n) = std::env::var("SUBSET") {
            o.reductions = Reductions::subset(n.parse().unwrap());
        }
        let r = check(&program, c, &o).unwrap();
        println!("{} {:?} {:?}", c.name, r.statistics, r.reductions);
        if let Verdict::Violated { violation, schedule } = &r.verdict {
            println!("{schedule:?}\n{violation:#?}");
            let v = match violation {
                Violation::Branching(b) => b,
                _ => continue,
            };
            let j = linchpin_evidence::judge(
                &program,
                c,
                linchpin_evidence::Claim::Branching(v),
                schedule,
            );
            println!("{:?}", j.map(|_| ()));
        }
    }
}
