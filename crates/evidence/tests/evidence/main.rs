//! The judge and the explanations, on small models whose executions can be counted by hand.

mod explained;
mod judged;
mod models;
mod moments;
