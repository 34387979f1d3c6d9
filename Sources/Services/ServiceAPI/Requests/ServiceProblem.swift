import HTTPCore
package import Primitives
package import StrictJSON
package import Web

/// The context of a refusal below `/v1` that its problem shows.
package protocol ProblemContext: Sendable {
    /// Members that the problem has behind those of every problem.
    var members: [JSONMember] { get }

    /// Which occurrence it is, where that is not the request.
    var instance: String? { get }
}

extension ProblemContext {
    package var instance: String? { nil }
}

// What every handler below `/v1` throws is a failure; a problem is what its answer says of it.
extension Failure {
    /// The content of the answer: a problem of RFC 9457 with members of our own, in one line that ends.
    ///
    /// - Parameter id: Of the request; it is the instance of the problem unless the context has another.
    /// - Returns: `{"type","title","status","detail","instance","code","field"?,…}`.
    package func problem(inRequest id: String) -> [UInt8] {
        var output: [UInt8] = []
        // Enough for all but the longest, so that it is not moved while it grows.
        output.reserveCapacity(480)
        output.append(contentsOf: #"{"type":""#.utf8)
        output.append(contentsOf: ProblemType.place.utf8)
        output.append(contentsOf: code.name.utf8)
        output.append(contentsOf: #"","title":""#.utf8)
        ProblemType.appendTitle(of: code, to: &output)
        output.append(contentsOf: #"","status":"#.utf8)
        output.append(contentsOf: String(code.status.code).utf8)
        output.append(contentsOf: #","detail":"#.utf8)
        JSONValue.append(message, to: &output)
        output.append(contentsOf: #","instance":""#.utf8)
        let context = context as? any ProblemContext
        if let instance = context?.instance {
            output.append(contentsOf: instance.utf8)
        } else {
            output.append(contentsOf: "request:".utf8)
            output.append(contentsOf: id.utf8)
        }
        output.append(contentsOf: #"","code":""#.utf8)
        output.append(contentsOf: code.name.utf8)
        output.append(UInt8(ascii: "\""))
        if let field { Failure.append(JSONMember("field", .string(field)), to: &output) }
        for member in context?.members ?? [] { Failure.append(member, to: &output) }
        // The end of the line is for terminals: people try the interface with curl, and read refusals more often than anything else.
        output.append(contentsOf: "}\n".utf8)
        return output
    }

    private static func append(_ member: JSONMember, to output: inout [UInt8]) {
        output.append(UInt8(ascii: ","))
        JSONValue.append(member.name, to: &output)
        output.append(UInt8(ascii: ":"))
        member.value.append(to: &output)
    }

    /// In the codes of `/v1`, where the server and the store have others.
    var forServiceAPI: Failure {
        switch code {
        case .payloadTooLarge: Failure(.contentTooLarge, detail, session: session, retryAfter: retryAfter)
        // The key makes a repeat safe.
        case .unavailable where (context as? StoreError)?.code == .outcomeUnknown:
            Failure(.outcomeUnknown, detail, session: session, retryAfter: retryAfter)
        default: self
        }
    }

    /// A request whose content the server does not take: 413, 408, 400 or 503.
    init(contentRefusedWith status: HTTPStatus, limit: Int) {
        switch status {
        case .payloadTooLarge: self.init(.contentTooLarge, message: "The content is larger than \(limit) bytes.")
        case .requestTimeout: self.init(.requestTimeout)
        case .serviceUnavailable: self.init(.unavailable)
        default: self.init(.invalidRequest, message: "The content does not match the header fields of the request.")
        }
    }

    // MARK: Of other refusals

    /// A body that is not the message that was expected.
    package init(_ refusal: JSONRefusal) {
        switch refusal.reason {
        case .missing: self.init(field: refusal.path, "is missing")
        case .notA(let type): self.init(field: refusal.path, "is not \(type)")
        case .unknown: self.init(field: refusal.path, "is not known")
        }
    }

    /// A field of the content that breaks a rule.
    ///
    /// Called a field and by its name: a member is also a person.
    ///
    /// - Parameters:
    ///   - field: For example `lines[0].quantity`; empty for the content itself.
    ///   - rule: Behind the name, without a full stop: `is missing`.
    package init(field: String, _ rule: String) {
        // As long as in the answer's own member, where it may be of the sender's making, too.
        let name = String(decoding: field.utf8.prefix(200), as: UTF8.self)
        let subject = name.isEmpty ? "The content" : "The field \"\(name)\""
        self.init(.invalidRequest, message: "\(subject) \(rule).", field: field)
    }

    /// A body that is no JSON.
    package init(_ error: JSONError) {
        switch error {
        case .malformed(let place), .badText(let place):
            self.init(.invalidRequest, message: "The content is no JSON, from byte \(place) on.")
        case .tooDeep: self.init(.invalidRequest, message: "The content is nested too deeply.")
        case .tooMany: self.init(.invalidRequest, message: "The content has too many values.")
        case .repeated(let path): self.init(field: path, "comes twice")
        }
    }

    /// An `Idempotency-Key` that is none.
    package init(_ refusal: IdempotencyWord.Refusal) {
        let reason =
            switch refusal {
            case .empty: "The key is empty."
            case .tooLong(let count):
                "The key has \(count) characters; \(IdempotencyWord.maximumLength) are the most that it may have."
            case .character(let number):
                "Octet \(number) of the key is no visible ASCII character: no blank, no control character, no letter beyond ASCII."
            case .quotation:
                "A key in quotation marks ends with the second of them, and has each other one, and each backslash, behind a backslash."
            }
        self.init(.idempotencyKeyInvalid, message: reason, field: "Idempotency-Key")
    }

    /// What is kept of a text.
    ///
    /// - Parameters:
    ///   - length: How many Unicode scalars it may have.
    /// - Returns: The text without what nobody sees.
    /// - Throws: `invalid_request` with the rule that it breaks.
    package static func cleaned(
        _ text: String,
        _ field: @autoclosure () -> String,
        _ length: ClosedRange<Int>
    ) throws(Failure) -> String {
        do throws(TextRefusal) {
            return try PrintableText.cleaned(text, length: length)
        } catch {
            throw Failure(error, of: field())
        }
    }

    /// What is kept of a text that may be absent.
    ///
    /// - Parameters:
    ///   - limit: How many Unicode scalars it may have.
    /// - Returns: `nil` also where nothing is kept.
    /// - Throws: `invalid_request` with the rule that it breaks.
    package static func cleaned(
        optional text: String?,
        _ field: @autoclosure () -> String,
        _ limit: Int
    ) throws(Failure) -> String? {
        guard let text else { return nil }
        let kept = try cleaned(text, field(), 0...limit)
        return kept.isEmpty ? nil : kept
    }

    /// A text that is not taken.
    package init(_ refusal: TextRefusal, of field: String) {
        self.init(.invalidRequest, message: Failure.sentence(refusal.sentence), field: field)
    }

    /// Words as a sentence.
    package static func sentence(_ words: String) -> String { words.prefix(1).uppercased() + words.dropFirst() + "." }

    /// Runs a body that reads members, and turns its refusals into problems.
    ///
    /// - Throws: `invalid_request` with the field.
    package static func reading<Value>(_ body: () throws(JSONRefusal) -> Value) throws(Failure) -> Value {
        do throws(JSONRefusal) {
            return try body()
        } catch {
            throw Failure(error)
        }
    }
}

/// The types of problems: each code is one, which the description of the interface explains by an example.
enum ProblemType {
    /// Where the description has the examples.
    static let examples = "#/components/examples/"
    /// The same from any other place; the code follows.
    static let place = "/v1/openapi.json" + examples

    /// Appends what a code says in words, the same at each occurrence: `Not found`.
    static func appendTitle(of code: FailureCode, to output: inout [UInt8]) {
        let start = output.count
        for octet in code.name.utf8 { output.append(octet == UInt8(ascii: "_") ? UInt8(ascii: " ") : octet) }
        output[start] ^= 0x20
    }
}
