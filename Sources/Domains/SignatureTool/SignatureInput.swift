import AmazonPay
import StrictJSON

/// The input of the tool: a recorded request or a button payload.
package enum SignatureInput {
    /// A request: HTTP, or JSON with `method`, `url`, `headers`, `body`.
    ///
    /// - Returns: The request, and what was done to read it.
    /// - Throws: What cannot be read.
    package static func request(_ octets: [UInt8]) throws(RecordedRequest.Problem) -> RecordedRequest {
        guard octets.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return try RecordedRequest(http: octets) }
        let members = try object(octets)
        guard let url = members["url"]?.text else { throw problem("the JSON object has no text `url`") }
        guard case .object(let headers)? = members["headers"] else {
            throw problem("the JSON object has no object `headers`")
        }
        var fields: [(String, String)] = []
        for header in headers {
            guard let text = header.value.text else { throw problem("the header \(header.name) is no text") }
            fields.append((header.name, text))
        }
        if !fields.contains(where: { $0.0.lowercased() == "authorization" }),
            let authorization = members["authorization"]?.text
        {
            fields.append(("authorization", authorization))
        }
        return RecordedRequest(
            method: members["method"]?.text ?? "GET",
            target: url,
            fields: fields,
            body: try body(members["body"])
        )
    }

    /// A button payload: JSON with `payloadJSON`, `signature`, `algorithm`, on its own or inside the script's configuration.
    ///
    /// - Returns: The payload with its signature.
    /// - Throws: What cannot be read.
    package static func button(_ octets: [UInt8]) throws(RecordedRequest.Problem) -> ButtonExplanation.Payload {
        var members = try object(octets)
        for name in ["createCheckoutSessionConfig", "signInConfig"] {
            if let inner = members[name] { members = inner }
        }
        guard let payload = members["payloadJSON"]?.text, let signature = members["signature"]?.text else {
            throw problem("the JSON object has no texts `payloadJSON` and `signature`")
        }
        var algorithm: SigningAlgorithm?
        if let label = members["algorithm"]?.text {
            algorithm = SigningAlgorithm(rawValue: label)
            guard algorithm != nil else { throw problem("the service knows no algorithm \(label)") }
        }
        return ButtonExplanation.Payload(octets: Array(payload.utf8), signature: signature, algorithm: algorithm)
    }

    /// The body as it was sent; the octets of any other JSON value are not known.
    private static func body(_ value: JSONValue?) throws(RecordedRequest.Problem) -> [UInt8] {
        switch value {
        case nil: return []
        case .string(let text)?: return Array(text.utf8)
        default: throw problem("`body` is no text: give the octets that were sent as one JSON string")
        }
    }

    private static func object(_ octets: [UInt8]) throws(RecordedRequest.Problem) -> JSONValue {
        guard let value = try? JSONParser.parse(octets), case .object = value else {
            throw problem("not a JSON object")
        }
        return value
    }

    private static func problem(_ text: String) -> RecordedRequest.Problem { .init(text: text) }
}
