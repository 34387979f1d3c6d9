import Cryptography
import HTTPCore
import Primitives
import SimulatorCore
package import StrictJSON

/// A request of a browser or a client's server, as a tester sees it; what is secret is there as the begin of its digest.
package struct LoginEntry: CallLogEntry {
    /// Counts from one.
    package var number = 0
    private let time: WallTime
    /// The provider and the place, for example `yahoo token`.
    let provider: String
    let operation: String
    private let method: String
    private let hasAuthorization: Bool
    private var form: [JSONMember] = []
    /// Of the answer.
    var status = 0

    init(_ request: SimulatorRequest, _ face: ProviderFace, _ place: ProviderFace.Place, at time: WallTime) {
        self.time = time
        (provider, operation, method) = (face.name, "\(place)", String(request.method.prefix(16)))
        hasAuthorization = request.first("authorization") != nil
    }

    private static let open = ["grant_type", "client_id", "redirect_uri", "id_token_key_type"]

    /// Takes in what a client's server has sent.
    mutating func note(_ fields: HTTPParameters) {
        form = fields.all.prefix(20).map { name, value in
            let isOpen = LoginEntry.open.contains { $0.octets == name.octets }
            let digest = Hex.encode(Array(SHA256.digest(of: Array(value.utf8)).bytes.prefix(8)))
            return JSONMember(String(name.prefix(40)), .string(isOpen ? String(value.prefix(200)) : digest))
        }
    }

    package var json: JSONValue {
        [
            "number": JSONValue(number), "time": .string(CalendarDate(time).extendedText),
            "provider": .string(provider), "operation": .string(operation), "method": .string(method),
            "authorization": .bool(hasAuthorization), "form": .object(form), "status": JSONValue(status),
        ]
    }
}
