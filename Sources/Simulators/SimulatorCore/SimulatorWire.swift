import EventIO
package import HTTPCore
package import HTTPServer

// Between the server's requests and responses and the model's values.

extension SimulatorRequest {
    /// Names that every simulator may look at.
    private static let common = [
        "authorization", "accept", "accept-language", "content-type", "cookie", "host", "origin", "referer",
        "user-agent",
    ]

    /// The value of a request of the server.
    ///
    /// - Parameters:
    ///   - names: Fields that its service looks at beside the common ones, in either case.
    ///   - testers: Networks whose machines may use the control interface as this one may.
    package init(_ request: HTTPRequest, reading names: [String], testers: [NetworkPrefix] = []) {
        var fields: [(name: String, value: String)] = []
        for text in Set(SimulatorRequest.common + names.map { $0.lowercased() }) {
            guard let name = HTTPFieldName(text) else { continue }
            for value in request.values(name) { fields.append((text, value)) }
        }
        let peer = request.peer.description
        self.init(
            String(describing: request.method.text),
            request.path + (request.query.map { "?" + $0 } ?? ""),
            fields: fields,
            body: request.body,
            mayControl: peer.hasPrefix("127.") || peer == "::1" || testers.contains(where: { $0.contains(peer) }),
            isSecure: request.isSecure
        )
    }
}

extension HTTPResponse {
    /// The response that carries an answer.
    package init(_ answer: SimulatorAnswer) {
        self.init(
            HTTPStatus(answer.status) ?? .internalError,
            fields: answer.fields.compactMap { field in
                HTTPFieldName(field.name).flatMap { HTTPField($0, field.value) }
            },
            body: answer.body.isEmpty ? .empty : .bytes(answer.body)
        )
    }

    /// The head and half of the content that it announces, as HTTP/1.1.
    var firstHalf: [UInt8] {
        var bytes: [UInt8] = []
        appendHead(to: &bytes)
        bytes.append(contentsOf: "\r\n".utf8)
        if case .bytes(let content) = body { bytes.append(contentsOf: content.prefix(content.count / 2)) }
        return bytes
    }

    /// The content that `firstHalf` leaves out.
    var secondHalf: [UInt8] {
        guard case .bytes(let content) = body else { return [] }
        return Array(content.dropFirst(content.count / 2))
    }
}

extension NetworkPrefix {
    /// Whether an address lies in the range, as a request names its peer.
    fileprivate func contains(_ peer: String) -> Bool {
        SocketAddress(host: peer).map { contains($0.addressBytes) } ?? false
    }
}
