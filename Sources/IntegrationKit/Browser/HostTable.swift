package import HTTPClient
import Primitives

/// What clients of a test speak with the servers under test.
package typealias HTTPVersion = ClientConfiguration.Version

/// Where the hosts of a shop are in truth.
///
/// The shop's own addresses have fixed ports that nobody listens on; its listener has a port that the kernel chose. The
/// table leads from one to the other, and the Host field says what a browser would say. So no test needs a fixed port, and no
/// port has to be reserved before the shop starts.
package struct HostTable: Sendable {
    private let truths: [String: [String]]
    private let turn = Turn()
    /// What is spoken with those hosts; with all others it is HTTP/1.1.
    let version: ClientConfiguration.Version

    /// A table.
    ///
    /// - Parameters:
    ///   - truths: Origin as the shop knows it, to the origins where it listens: they take turns.
    ///   - version: What is spoken there.
    package init(_ truths: [String: [String]], over version: ClientConfiguration.Version = .http1) {
        self.truths = truths
        self.version = version
    }

    /// What to speak with the host of a URL.
    ///
    /// - Parameter url: Absolute.
    /// - Returns: The table's version for its own hosts.
    func version(for url: URLParts) -> ClientConfiguration.Version {
        truths[url.origin] == nil ? .http1 : version
    }

    /// Where to send a request for a URL.
    ///
    /// - Parameter url: Absolute.
    /// - Returns: The URL to use; the host to name.
    func truth(of url: URLParts) -> (url: String, host: String) {
        let origins = truths[url.origin] ?? [url.origin]
        return (origins[turn.next() % origins.count] + url.target, url.authority)
    }

    /// Whose turn it is; counts for all copies of a table.
    private final class Turn: Sendable {
        private let count = Lock(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }
}

/// The parts of an absolute URL.
package struct URLParts: Sendable, Equatable {
    /// Scheme, host and port.
    package let origin: String
    /// Path and query, without a fragment.
    package let target: String

    /// The parts of a URL.
    ///
    /// - Parameters:
    ///   - text: Absolute, or a path.
    ///   - base: The origin of a path.
    package init(_ text: String, base: String) {
        let whole = text.hasPrefix("/") ? base + text : text
        let unmarked = whole.prefix { $0 != "#" }
        let start = unmarked.firstRange(of: "://")?.upperBound ?? unmarked.startIndex
        let end = unmarked[start...].firstIndex { $0 == "/" || $0 == "?" } ?? unmarked.endIndex
        origin = String(unmarked[..<end])
        let rest = String(unmarked[end...])
        target = rest.hasPrefix("/") ? rest : "/" + rest
    }

    /// Host and port.
    package var authority: String { String(origin.drop { $0 != "/" }.dropFirst(2)) }

    /// The host alone.
    package var host: String { String(authority.prefix { $0 != ":" }) }

    /// The path alone.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The query without its mark.
    package var query: String { String(target.drop { $0 != "?" }.dropFirst()) }

    /// The whole URL.
    package var text: String { origin + target }
}
