import Primitives
import SimulatorCore

/// A request to the push service, as a value.
struct PushRequest: Sendable {
    /// The number of its connection.
    let connection: Int
    /// The number of its stream.
    let stream: Int
    /// What the client has shown on the connection.
    let peer: PushPeer
    /// In the order in which they came, pseudo-fields among them.
    let fields: [SimulatorAnswer.Field]
    /// The content, or its begin where it is far too long.
    let body: [UInt8]
    /// Length of the whole content.
    let bodyBytes: Int

    init(_ stream: PushStream, connection: Int, peer: PushPeer) {
        self.init(
            fields: stream.fields,
            body: stream.body,
            bodyBytes: stream.bodyBytes,
            stream: Int(stream.id),
            connection: connection,
            peer: peer
        )
    }

    init(
        fields: [SimulatorAnswer.Field],
        body: [UInt8],
        bodyBytes: Int? = nil,
        stream: Int = 1,
        connection: Int = 1,
        peer: PushPeer
    ) {
        self.fields = fields
        self.body = body
        self.bodyBytes = bodyBytes ?? body.count
        self.stream = stream
        self.connection = connection
        self.peer = peer
    }

    /// The value of the first field of a name, or `nil` where there is none.
    func first(_ name: String) -> String? {
        fields.first { $0.name.octets == name.octets }?.value
    }

    /// Whether a field other than `cookie` comes twice.
    var hasDuplicates: Bool {
        var seen: Set<OctetText> = []
        return fields.contains { $0.name.octets != "cookie" && !seen.insert($0.name.octets).inserted }
    }

    /// What the path says.
    enum Target: Sendable, Equatable {
        /// Not the one of notifications.
        case unknown
        /// Without a token.
        case missingToken
        /// The token as it stands there.
        case device(String)
    }

    var target: Target {
        let path = (first(":path") ?? "").octets
        guard path.starts(with: "/3/device") else { return .unknown }
        switch path.parts(between: UInt8(ascii: "/")).dropFirst(3).map({ $0 }) {
        case []: return path == "/3/device" ? .missingToken : .unknown
        case [""]: return .missingToken
        case let rest where rest.count == 1 && path.starts(with: "/3/device/"): return .device(rest[0])
        default: return .unknown
        }
    }

    /// The token of the path; `nil` where it has none.
    var token: String? {
        if case .device(let token) = target { token } else { nil }
    }
}
