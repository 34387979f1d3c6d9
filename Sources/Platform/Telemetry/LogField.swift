/// One named value on a log line.
///
/// A name carries its unit (`duration_ms`, `body_bytes`). Never put a token, a cookie, a name or an address into one.
package struct LogField: Sendable, Equatable {
    /// What a field may hold.
    package enum Value: Sendable, Equatable {
        /// Text; control characters are escaped and tokens are cut down to their tags.
        case text(String)
        /// A whole number.
        case integer(Int)
        /// A number; one that JSON cannot hold is written as `null`.
        case number(Double)
        /// True or false.
        case flag(Bool)
    }

    /// Lower case, words joined by underscores.
    package let name: StaticString
    /// What it holds.
    package let value: Value

    /// A field with the given value.
    ///
    /// - Parameters:
    ///   - name: Lower case, words joined by underscores.
    ///   - value: What it holds; text, numbers and flags may be written as literals.
    package init(_ name: StaticString, _ value: Value) {
        self.name = name
        self.value = value
    }

    /// A field of text.
    ///
    /// - Parameters:
    ///   - name: Lower case, words joined by underscores.
    package init(_ name: StaticString, _ text: String) {
        self.init(name, .text(text))
    }

    /// A field with a whole number.
    ///
    /// - Parameters:
    ///   - name: Lower case, words joined by underscores, with the unit.
    package init(_ name: StaticString, _ integer: Int) {
        self.init(name, .integer(integer))
    }

    /// A field with a number.
    ///
    /// - Parameters:
    ///   - name: Lower case, words joined by underscores, with the unit.
    package init(_ name: StaticString, _ number: Double) {
        self.init(name, .number(number))
    }

    /// A field that is true or false.
    package init(_ name: StaticString, _ flag: Bool) {
        self.init(name, .flag(flag))
    }

    package static func == (left: LogField, right: LogField) -> Bool {
        left.name.description == right.name.description && left.value == right.value
    }
}
