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
        let isByLink: Bool
    }

    private let fetches = Lock<Set<Fetch>>([])
    private static let capacity = 10_000
    private static let batch = 500

    /// Notes a download by a link or by a phone.
    func note(_ pass: PassVersion, isByLink: Bool) {
        let fetch = Fetch(
            passType: pass.passType.octets,
            serial: pass.serial.octets,
            version: pass.number,
            isByLink: isByLink
        )
        fetches.withLock { if $0.count < FetchRecorder.capacity { $0.insert(fetch) } }
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
                "version": JSONValue(fetch.version), "link": .bool(fetch.isByLink),
            ]
        }
        return JSONValue.array(values).description
    }
}
