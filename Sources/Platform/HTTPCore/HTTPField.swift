/// One field of a response: a name and a value that cannot end its line.
package struct HTTPField: Sendable, Hashable {
    /// The name.
    package let name: HTTPFieldName
    /// Printable ASCII and blanks, no blank at either end; may be empty.
    package let value: String

    /// The field with the given value, or `nil` where the value could not be sent as it is.
    ///
    /// - Parameters:
    ///   - value: CR, LF, NUL, every other control character, bytes outside ASCII and a blank at either end are refused.
    package init?(_ name: HTTPFieldName, _ value: String) {
        guard value.utf8Span.span.isFieldContent else { return nil }
        self.name = name
        self.value = value
    }

    /// The field with a value that is written in the source.
    ///
    /// - Parameters:
    ///   - constant: Must be one the failable form accepts; no peer has a say in it.
    package init(_ name: HTTPFieldName, constant: StaticString) {
        let value = String(describing: constant)
        precondition(value.utf8Span.span.isFieldContent, "a constant field value is printable ASCII")
        self.name = name
        self.value = value
    }

    /// The field with a value whose parts were checked one by one.
    init(checked name: HTTPFieldName, _ value: String) {
        self.name = name
        self.value = value
    }
}
