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
    private let places = Places()
    /// What is spoken with those hosts; with all others it is HTTP/1.1.
    let version: HTTPVersion

    /// A table that leads an origin as the shop knows it to the origins where it listens, which take turns.
    package init(_ truths: [String: [String]] = [:], over version: HTTPVersion = .http1) {
        self.version = version
        places.truths.withLock { $0 = truths }
    }

    /// Has some origins listen in one more place.
    func add(_ place: String, for origins: [String]) {
        places.truths.withLock { truths in for origin in origins { truths[origin, default: []].append(place) } }
    }

    /// What to speak with the host of a URL.
    func version(for url: URLParts) -> HTTPVersion {
        places.truths.withLock { $0[url.origin] == nil ? .http1 : version }
    }

    /// Where to send a request for a URL: the URL to use, and the host to name.
    func truth(of url: URLParts) -> (url: String, host: String) {
        let origins = places.truths.withLock { $0[url.origin] } ?? [url.origin]
        return (origins[places.next() % origins.count] + url.target, url.authority)
    }

    /// The origins, and whose turn it is: the same for all copies of a table.
    private final class Places: Sendable {
        let truths = Lock<[String: [String]]>([:])
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

    /// The parts of a URL, or of a path at the origin `base`.
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
