//! Where the processes are: an address for each, in the order of their numbers.

use std::net::{SocketAddr, ToSocketAddrs};

use linchpin_engine::MOST_PEERS;

/// The addresses of all processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts(Vec<String>);

impl Hosts {
    /// One address to a line; what follows `#` is a comment.
    pub fn from_lines(text: &str) -> Result<Hosts, String> {
        let lines = text.lines().enumerate().map(|(number, line)| {
            let line = line.split('#').next().unwrap_or_default().trim();
            (format!("line {}", number + 1), line.to_string())
        });
        Hosts::new(lines.filter(|(_, address)| !address.is_empty()))
    }

    /// Addresses separated by commas.
    pub fn from_list(text: &str) -> Result<Hosts, String> {
        let words = text.split(',').enumerate();
        Hosts::new(words.map(|(i, word)| (format!("address {}", i + 1), word.trim().to_string())))
    }

    fn new(addresses: impl Iterator<Item = (String, String)>) -> Result<Hosts, String> {
        let mut hosts: Vec<String> = Vec::new();
        for (place, address) in addresses {
            let port = address.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
            if port.is_none_or(|port| port == 0) {
                return Err(format!("{place}: expected HOST:PORT, found `{address}`"));
            }
            if hosts.contains(&address) {
                return Err(format!("{place}: `{address}` is there twice"));
            }
            hosts.push(address);
        }
        match hosts.len() {
            0 => Err("there is no address".to_string()),
            count if count > MOST_PEERS => {
                Err(format!("{count} processes; no more than {MOST_PEERS} can search together"))
            }
            _ => Ok(Hosts(hosts)),
        }
    }

    /// How many processes there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The address of a process.
    pub fn address(&self, process: usize) -> &str {
        &self.0[process]
    }

    /// The same for the operating system.
    pub(crate) fn resolved(&self, process: usize) -> Result<Vec<SocketAddr>, String> {
        let address = self.address(process);
        let all = address.to_socket_addrs().map(Iterator::collect);
        match all {
            Ok(addresses) => Ok(addresses),
            Err(error) => Err(format!("`{address}` is no address: {error}")),
        }
    }

    /// Are all processes on this machine, where nobody else hears them?
    pub fn are_local(&self) -> bool {
        let local = |process| {
            let addresses = self.resolved(process).unwrap_or_default();
            !addresses.is_empty() && addresses.iter().all(|address| address.ip().is_loopback())
        };
        (0..self.count()).all(local)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_mistakes_named() {
        let hosts = Hosts::from_lines("# all\n127.0.0.1:4100\n\n[::1]:4101 # two\n").unwrap();
        assert_eq!(hosts, Hosts::from_list("127.0.0.1:4100, [::1]:4101").unwrap());
        assert_eq!((hosts.count(), hosts.address(1), hosts.are_local()), (2, "[::1]:4101", true));
        assert!(!Hosts::from_list("127.0.0.1:4100,192.0.2.1:4100").unwrap().are_local());
        let wrong = |text| Hosts::from_lines(text).unwrap_err();
        assert_eq!(wrong("a:1\n\nb"), "line 3: expected HOST:PORT, found `b`");
        assert_eq!(wrong("a:0"), "line 1: expected HOST:PORT, found `a:0`");
        assert_eq!(wrong("a:70000"), "line 1: expected HOST:PORT, found `a:70000`");
        assert_eq!(wrong("a:1\na:1"), "line 2: `a:1` is there twice");
        assert_eq!(wrong("# nothing"), "there is no address");
        let many: String = (1..=17).map(|port| format!("a:{port}\n")).collect();
        assert!(wrong(&many).contains("17 processes"), "{}", wrong(&many));
    }
}
