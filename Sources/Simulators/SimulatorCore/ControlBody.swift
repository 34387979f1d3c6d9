package import StrictJSON

/// A refusal of the control interface.
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

    /// A refusal with status 400.
    package init(_ message: String) {
        self.init(400, message)
    }
}

/// The JSON body of a control call.
package struct ControlBody: Sendable {
    /// The parsed body; `check` refuses unknown members.
    package let value: JSONValue

    /// Greatest length in bytes.
    package static let limit = 262_144

    /// Parses the body, whatever its content type says.
    package init(_ request: SimulatorRequest) throws(ControlError) {
        guard request.body.count <= ControlBody.limit else { throw ControlError(413, "The body is too large.") }
        do {
            value = try JSONParser.parse(request.body)
        } catch {
            throw ControlError("The body is not valid JSON: \(error).")
        }
    }

    /// Checks the body against the members of an object.
    package func check(_ members: [Shape.Member]) throws(ControlError) {
        try ControlBody.check(value, members)
    }

    /// Checks a part of a body against the members of an object.
    package static func check(_ value: JSONValue, _ members: [Shape.Member]) throws(ControlError) {
        if let mismatch = ShapeMismatch.first(in: value, members) { throw ControlError(mismatch.description) }
    }
}
