import HTTPCore

// Between the server's requests and responses and the model's values.

extension SimulatorRequest {
    /// The names that the model looks at by itself; those that a request has signed come on top.
    private static let known = [
        "authorization", "accept", "accept-language", "content-type", "cookie", "host", "origin", "referer",
        "user-agent",
        "x-amz-pay-date", "x-amz-pay-host", "x-amz-pay-region", "x-amz-pay-idempotency-key",
        "x-amz-pay-simulation-code", "x-sim-throttle",
    ]

    /// The value of a request of the server.
    init(_ request: HTTPRequest) {
        let authorization = request.first(.authorization) ?? ""
        let signed = authorization.firstRange(of: "SignedHeaders=").map { mark in
            authorization[mark.upperBound...].prefix { $0 != "," && $0 != " " }.split(separator: ";")
        }
        var fields: [(name: String, value: String)] = []
        for text in Set(SimulatorRequest.known + (signed ?? []).map { $0.lowercased() }) {
            guard let name = HTTPFieldName(text) else { continue }
            for value in request.values(name) { fields.append((text, value)) }
        }
        let peer = request.peer.description
        self.init(
            String(describing: request.method.text),
            request.path + (request.query.map { "?" + $0 } ?? ""),
            fields: fields,
            body: request.body,
            isLocalPeer: peer.hasPrefix("127.") || peer == "::1",
            isSecure: request.isSecure
        )
    }
}

extension HTTPResponse {
    /// The response that carries an answer.
    init(_ answer: SimulatorAnswer) {
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
