import Primitives
import StrictJSON

/// Which versions were fetched, until the next job writes them down: a download costs no statement that writes.
///
/// One for all loops of a process. What does not fit is not written down; it is for people to look at.
final class FetchRecorder: Sendable {
    private struct Fetch: Hashable {
        let passType: OctetText
        let serial: OctetText
        let version: Int
        let visitor: Visitor
    }

    /// Who asked for a version.
    enum Visitor: String {
        /// Whoever has the download link.
        case link
        /// A phone that gets it.
        case phone
        /// A phone that has it already.
        case known
    }

    private let fetches = Lock<Set<Fetch>>([])
    private static let capacity = 10_000
    private static let batch = 500

    /// Notes who has asked for a version.
    func note(_ pass: PassVersion, by visitor: Visitor) {
        let fetch = Fetch(
            passType: pass.passType.octets,
            serial: pass.serial.octets,
            version: pass.number,
            visitor: visitor
        )
        // Who gets nothing new leaves room for those who do.
        let room = visitor == .known ? FetchRecorder.capacity / 2 : FetchRecorder.capacity
        fetches.withLock { if $0.count < room { $0.insert(fetch) } }
    }

    /// Some of what was noted since, as a JSON array; `nil` for none.
    func take() -> String? {
        let some = fetches.withLock { fetches in
            let some = Array(fetches.prefix(FetchRecorder.batch))
            fetches.subtract(some)
            return some
        }
        guard !some.isEmpty else { return nil }
        let values = some.map { fetch -> JSONValue in
            [
                "type": .string(fetch.passType.string), "serial": .string(fetch.serial.string),
                "version": JSONValue(fetch.version), "kind": .string(fetch.visitor.rawValue),
            ]
        }
        return JSONValue.array(values).description
    }
}
