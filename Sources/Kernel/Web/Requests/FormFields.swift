package import HTTPCore

// What handlers read of a request: a name that comes twice or has another form is refused with `invalid_request`.

extension HTTPRequest {
    /// A parameter of the query, or `nil` where it is absent or empty; others are not looked at.
    package func parameter(_ name: String) throws(Failure) -> String? {
        do {
            let text = try queryParameters().value(name)
            return text.flatMap { $0.isEmpty ? nil : $0 }
        } catch {
            throw Failure(.invalidRequest, "query: \(error)")
        }
    }

    /// The parameters of the body.
    ///
    /// - Parameter known: Every name the route knows; any other is refused.
    package func form(_ known: [String]) throws(Failure) -> FormFields {
        let parameters: HTTPParameters
        do {
            parameters = try formParameters()
        } catch .notAForm {
            throw Failure(.invalidRequest, "the body is no form")
        } catch {
            throw Failure(.invalidRequest, "body: \(error)")
        }
        if let unknown = parameters.firstName(otherThan: known) {
            throw Failure(.invalidRequest, "unknown parameter of \(unknown.utf8.count) bytes")
        }
        guard !parameters.hasRepeatedName else {
            throw Failure(.invalidRequest, "body: \(HTTPParameterError.repeated)")
        }
        return FormFields(parameters: parameters)
    }

    /// A cookie, or `nil` where the jar has none.
    ///
    /// A repeated name and another form are both what a sibling domain leaves behind that tries to plant a session.
    package func cookie<Value>(_ name: String, _ parse: (Span<UInt8>) -> Value?) throws(Failure) -> Value? {
        var value: Value?
        do {
            guard try HTTPCookies(self).read(name, { value = parse($0) }) else { return nil }
        } catch {
            throw Failure(.invalidRequest, "cookie \(name): \(error)")
        }
        guard let value else { throw Failure(.invalidRequest, "cookie \(name) has another form") }
        return value
    }
}

/// The parameters of a body, each at most once.
package struct FormFields {
    /// No name occurs twice.
    fileprivate let parameters: HTTPParameters

    /// The value of a parameter, or `nil` where it is absent or empty.
    package subscript(name: String) -> String? {
        guard let value = try? parameters.value(name), !value.isEmpty else { return nil }
        return value
    }

    /// Whether a parameter is there, and says nothing.
    package func isEmpty(_ name: String) -> Bool {
        parameters.isEmpty(name)
    }

    /// The value of a parameter that must be there.
    package func required(_ name: String) throws(Failure) -> String {
        guard let value = self[name] else { throw Failure(.invalidRequest, "\(name) is missing") }
        return value
    }
}
