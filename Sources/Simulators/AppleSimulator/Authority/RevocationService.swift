import Primitives
import StrictJSON

/// What is said of the certificates' state, and what is wrong with that on purpose.
struct RevocationService: Sendable {
    /// How an answer is made.
    enum Mode: String, Sendable, CaseIterable {
        case normal
        /// An answer that says to come again.
        case tryLater
        case unauthorized
        /// Its time was over a day ago.
        case stale
        /// Signed by somebody who may not.
        case foreignSigner
        /// No DER.
        case garbage
    }

    /// A state by which a certificate is not good.
    enum Word: String, Sendable, CaseIterable {
        case good
        case revoked
        case unknown
    }

    var mode = Mode.normal
    /// By serial number, hexadecimal without zeros in front; those that are not good.
    var states: [String: Word] = [:]
    /// Requests that were answered.
    var requests = 0

    var json: JSONValue {
        [
            "mode": .string(mode.rawValue), "requests": JSONValue(requests),
            "states": .object(states.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value.rawValue)) }),
        ]
    }

    /// A serial number as `states` has it.
    static func name(_ serial: [UInt8]) -> String { Hex.encode(Array(serial.drop { $0 == 0 })) }
}
