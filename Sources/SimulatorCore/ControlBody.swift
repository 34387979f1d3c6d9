package import StrictJSON

/// Why the control interface refuses.
package struct ControlError: Error, Sendable, Equatable {
    /// The HTTP status.
    package let status: Int
    /// A sentence for the tester.
    package let message: String

    /// A refusal with a status of its own.
    package init(_ status: Int, _ message: String) {
        self.status = status
        self.message = message
    }

    /// What was asked for makes no sense: 400.
    package init(_ message: String) {
        self.init(400, message)
    }
}

/// The JSON that a tester sent.
package struct ControlBody: Sendable {
    /// As it was sent; its members may be unknown until `check`.
    package let value: JSONValue

    /// Bytes that it may have.
    package static let limit = 262_144

    /// Reads a content of any type.
    package init(_ request: SimulatorRequest) throws(ControlError) {
        guard request.body.count <= ControlBody.limit else { throw ControlError(413, "The body is too large.") }
        do {
            value = try JSONParser.parse(request.body)
        } catch {
            throw ControlError("The body is not valid JSON: \(error).")
        }
    }

    /// Holds it to the members of an object.
    package func check(_ members: [Shape.Member]) throws(ControlError) {
        try ControlBody.check(value, members)
    }

    /// Holds a part of it to the members of an object.
    package static func check(_ value: JSONValue, _ members: [Shape.Member]) throws(ControlError) {
        if let fault = BodyFault.first(in: value, members) { throw ControlError(fault.description) }
    }
}
