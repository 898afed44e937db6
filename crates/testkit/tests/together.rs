//! Several processes that search together find what one finds: the same end, the same figures, the same nodes with the same
//! numbers, parents and edges, whatever they call things, and whoever goes on with what was kept.

use std::io;
use std::sync::Arc;

use linchpin_engine::{
    Arena, Budget, Cover, Ending, Explored, Figures, Found, Keeper, Limit, Order, Peers, Plan,
    Space, explore, hash, search,
};
use linchpin_lts::{Loading, NewNumbers, Renumber, Saving};
use linchpin_testkit::keeping::Memory;
use linchpin_testkit::together::{Seat, together};

/// Pairs of numbers below some number. States, tags and labels are sequences in arenas, whose numbers depend on which process
/// it is. The last pair is a violation, if that is wanted.
struct Grid {
    size: u32,
    wrong: bool,
    states: Arena,
    tags: Arena,
    labels: Arena,
}

impl Grid {
    fn new(size: u32, wrong: bool, process: u32) -> Grid {
        let grid =
            Grid { size, wrong, states: Arena::new(), tags: Arena::new(), labels: Arena::new() };
        for arena in [&grid.states, &grid.tags, &grid.labels] {
            for i in 0..process * 50 {
                arena.intern(&[7 * i % 91, i % 3]);
            }
        }
        grid
    }

    fn read(arena: &Arena, number: u32) -> Vec<u32> {
        let mut words = Vec::new();
        arena.read(number, &mut words);
        words
    }

    fn sum(&self, tag: u32) -> u32 {
        Grid::read(&self.tags, tag).iter().sum()
    }

    fn node(&self, [x, y]: [u32; 2], sum: u32, step: u32, found: &mut dyn FnMut(Found<'_, u32>)) {
        let state = self.states.intern(&[x, y, 1]);
        let h = hash(&(u64::from(x) << 32 | u64::from(y)).to_le_bytes());
        found(Found::Node {
            state: &[state],
            tag: self.tags.intern(&[sum % 5, 2]),
            label: self.labels.intern(&[step, 3]),
            cost: 1 + u64::from(step % 3),
            hash: Some(h),
        });
    }
}

impl Cover for Grid {
    fn covers(&self, small: u32, large: u32) -> bool {
        let (small, large) = (self.sum(small), self.sum(large));
        small <= large && small % 2 == large % 2
    }
}

struct Renumbered([NewNumbers; 3]);

impl Renumber for Renumbered {
    fn state(&self, state: &mut [u32]) -> io::Result<()> {
        self.0[0].renumber(state)
    }
    fn tag(&self, tag: u32) -> io::Result<u32> {
        self.0[1].get(tag)
    }
    fn label(&self, label: u32) -> io::Result<u32> {
        self.0[2].get(label)
    }
}

impl Space for Grid {
    type Worker = ();
    type Violation = u32;

    fn worker(&self) {}

    fn initial(&self, (): &mut (), found: &mut dyn FnMut(Found<'_, u32>)) {
        for x in [0, 3] {
            self.node([x, 0], 4, 0, found);
        }
    }

    fn expand(&self, (): &mut (), state: &[u32], tag: u32, found: &mut dyn FnMut(Found<'_, u32>)) {
        let words = Grid::read(&self.states, state[0]);
        let (x, y) = (words[0], words[1]);
        if (x, y) == (self.size, self.size) && self.wrong {
            return found(Found::Violation(self.sum(tag)));
        }
        if (x + y) % 7 == 3 {
            found(Found::Nowhere { label: self.labels.intern(&[99, 3]) });
        }
        for (step, to) in [[x + 1, y], [x, y + 1], [y, x], [x / 2, y]].into_iter().enumerate() {
            if to[0] <= self.size && to[1] <= self.size {
                self.node(to, to[0] + to[1] + self.sum(tag), step as u32, found);
            }
        }
    }

    fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        [&self.states, &self.tags, &self.labels].iter().try_for_each(|arena| arena.save(out))
    }

    fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        let mut read = |arena: &Arena| Arena::load(from, |_, words| Ok(arena.intern(&words)));
        let all = [read(&self.states)?, read(&self.tags)?, read(&self.labels)?];
        Ok(Box::new(Renumbered(all)))
    }
}

/// All that can be seen of a search, by content.
#[derive(PartialEq, Eq)]
struct Seen {
    ending: String,
    figures: Figures,
    /// Nodes with their numbers, parents, states, tags and edges; none if the search is divided.
    nodes: Vec<String>,
}

#[derive(Clone, Copy)]
struct How {
    plan: Plan,
    divided: bool,
    wrong: bool,
    size: u32,
    max_states: Option<u64>,
}

fn run(how: How, seat: Option<&Seat>, keeper: Option<&dyn Keeper>) -> Seen {
    let How { plan, size, wrong, max_states, .. } = how;
    let process = seat.map_or(0, |seat| seat.number() as u32 + 1);
    let grid = Grid::new(size, wrong, process);
    let peers = seat.map(|seat| seat as &dyn Peers);
    let workers = 1 + process as usize % 2;
    let budget = Budget { workers, max_states, keeper, peers, ..Budget::UNLIMITED };
    let (ending, figures, explored) = match how.divided {
        true => {
            let (ending, figures) = search(&grid, plan, &budget);
            (ending, figures, None)
        }
        false => {
            let mut looks = 0;
            let (ending, figures, explored) = explore(&grid, plan, &budget, &mut |_| {
                looks += 1;
                false
            });
            assert!(looks > 0 || !matches!(ending, Ending::Exhausted));
            (ending, figures, Some(explored))
        }
    };
    let ending = match ending {
        Ending::Violation { path, violation } => {
            let nodes: Vec<_> = path
                .iter()
                .map(|(state, tag)| (Grid::read(&grid.states, state[0]), grid.sum(*tag)))
                .collect();
            format!("violation {violation} {nodes:?}")
        }
        other => format!("{other:?}"),
    };
    let row = |explored: &Explored, node| {
        let (state, tag) = explored.node(node);
        let state = Grid::read(&grid.states, state[0]);
        let named = |label| Grid::read(&grid.labels, label);
        let edges: Vec<_> = explored.edges(node).map(|e| (named(e.label), e.target)).collect();
        format!("{node} {state:?} {} {:?} {edges:?}", grid.sum(tag), explored.parent(node))
    };
    let nodes = explored.map_or(Vec::new(), |e| e.nodes().map(|node| row(&e, node)).collect());
    Seen { ending, figures, nodes }
}

fn ways() -> Vec<How> {
    let mut ways = Vec::new();
    for order in [Order::Breadth, Order::Cheapest, Order::Depth] {
        for (edges, divided) in [(false, false), (true, false), (false, true)] {
            for wrong in [false, true] {
                for (size, max_states) in [(0, None), (5, None), (25, None), (25, Some(300))] {
                    let plan = Plan { order, edges, shuffle: 0 };
                    ways.push(How { plan, divided, wrong, size, max_states });
                }
            }
        }
    }
    ways
}

#[test]
fn any_number_of_processes_finds_what_one_finds() {
    for how in ways() {
        let one = run(how, None, None);
        for count in [1, 2, 3, 4, 16] {
            for (number, seen) in
                together(count, |seat| run(how, Some(&seat), None)).into_iter().enumerate()
            {
                let what = (how.plan, how.divided, how.wrong, how.size, how.max_states, count);
                assert!(seen.ending == one.ending, "{what:?}: {} {}", seen.ending, one.ending);
                assert!(
                    seen.figures == one.figures,
                    "{what:?}: {:?} {:?}",
                    seen.figures,
                    one.figures
                );
                assert!(seen.nodes == one.nodes, "{what:?}, process {number}");
            }
        }
    }
}

#[test]
fn what_the_first_process_keeps_any_number_goes_on_with() {
    let mut kept = 0;
    for (seed, how) in ways().into_iter().filter(|how| how.size == 25).enumerate() {
        let one = run(How { max_states: None, ..how }, None, None);
        for (before, after) in [(2, 3), (1, 4), (4, 1), (3, 2)] {
            let memory = match how.max_states {
                None => Memory::new(seed as u64),
                Some(_) => Memory::at_limits(),
            };
            let keeper = |memory: &Arc<Memory>, seat: &Seat| {
                Some(memory.clone()).filter(|_| seat.number() == 0)
            };
            let keep = |how: How, memory: &Arc<Memory>, count| {
                together(count, |seat| {
                    let keeper = keeper(memory, &seat);
                    run(how, Some(&seat), keeper.as_deref().map(|keeper| keeper as &dyn Keeper))
                })
            };
            keep(how, &memory, before);
            kept += memory.searches();
            let whole = How { max_states: None, ..how };
            for seen in keep(whole, &memory.resumed(), after) {
                let what = (how.plan, how.divided, before, after);
                assert!(seen.ending == one.ending, "{what:?}: {} {}", seen.ending, one.ending);
                assert!(seen.figures == one.figures, "{what:?}");
                assert!(seen.nodes == one.nodes, "{what:?}");
            }
        }
    }
    assert!(kept > 100, "{kept}");
}

#[test]
fn who_is_lost_ends_the_search_of_all() {
    let plan = Plan::default();
    let how = How { plan, divided: true, wrong: false, size: 60, max_states: None };
    let endings = together(3, |seat| match seat.number() {
        2 => {
            // It takes part for a while.
            let watch = |_: &linchpin_engine::Progress| {
                if seat.traffic().0 > 20 {
                    seat.leave();
                }
                None
            };
            let grid = Grid::new(60, false, 3);
            let budget = Budget { watch: &watch, peers: Some(&*seat), ..Budget::UNLIMITED };
            format!("{:?}", search(&grid, plan, &budget).0)
        }
        _ => run(how, Some(&seat), None).ending,
    });
    assert_eq!(endings, vec![format!("{:?}", Ending::<u32>::Stopped(Limit::Lost)); 3]);
}

#[test]
fn whoever_is_told_to_stop_stops_all() {
    let plan = Plan::default();
    for divided in [false, true] {
        let endings = together(3, |seat| {
            let watch = |progress: &linchpin_engine::Progress| {
                let enough = seat.number() == 1 && progress.statistics.nodes > 900;
                enough.then_some(Limit::Time)
            };
            let grid = Grid::new(60, false, seat.number() as u32);
            let budget = Budget { watch: &watch, peers: Some(&*seat), ..Budget::UNLIMITED };
            let (ending, figures) = match divided {
                true => search(&grid, plan, &budget),
                false => {
                    let (ending, figures, _) = explore(&grid, plan, &budget, &mut |_| false);
                    (ending, figures)
                }
            };
            (format!("{ending:?}"), figures)
        });
        let stopped = format!("{:?}", Ending::<u32>::Stopped(Limit::Time));
        assert!(endings.iter().all(|(ending, _)| *ending == stopped), "{endings:?}");
        assert!(endings.iter().all(|(_, figures)| *figures == endings[0].1), "{endings:?}");
    }
}
