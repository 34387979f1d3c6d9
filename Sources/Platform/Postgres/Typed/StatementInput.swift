package import Primitives

/// What a call gives to a statement: one parameter, or several that follow each other.
package protocol StatementInput: Sendable {
    /// The types of its parameters, in order.
    static var parameterTypes: [PostgresType] { get }
    /// How many parameters it is.
    static var parameterCount: Int { get }

    /// Appends one value for each of its parameters.
    func append(to parameters: inout Parameters)
}

/// A value that is one parameter.
package protocol ParameterValue: StatementInput {
    /// The type of the parameter.
    static var parameterType: PostgresType { get }
}

extension ParameterValue {
    package static var parameterTypes: [PostgresType] { [parameterType] }
    package static var parameterCount: Int { 1 }
}

/// NULL, or a value; several NULLs where the value is several parameters.
extension Optional: StatementInput where Wrapped: StatementInput {
    package static var parameterTypes: [PostgresType] { Wrapped.parameterTypes }
    package static var parameterCount: Int { Wrapped.parameterCount }

    package func append(to parameters: inout Parameters) {
        if let self { return self.append(to: &parameters) }
        for _ in 0..<Wrapped.parameterCount { parameters.appendNull() }
    }
}

extension Int64: ParameterValue {
    package static var parameterType: PostgresType { .int8 }
    package func append(to parameters: inout Parameters) { parameters.append(int64: self) }
}

extension Int: ParameterValue {
    package static var parameterType: PostgresType { .int8 }
    package func append(to parameters: inout Parameters) { parameters.append(int64: Int64(self)) }
}

extension Int32: ParameterValue {
    package static var parameterType: PostgresType { .int4 }
    package func append(to parameters: inout Parameters) { parameters.append(int32: self) }
}

/// Whole seconds, as a `bigint`.
extension Duration: ParameterValue {
    package static var parameterType: PostgresType { .int8 }
    package func append(to parameters: inout Parameters) { parameters.append(seconds: self) }
}

extension Bool: ParameterValue {
    package static var parameterType: PostgresType { .bool }
    package func append(to parameters: inout Parameters) { parameters.append(bool: self) }
}

extension String: ParameterValue {
    package static var parameterType: PostgresType { .text }
    package func append(to parameters: inout Parameters) { parameters.append(text: self) }
}

extension Digest32: ParameterValue {
    package static var parameterType: PostgresType { .bytea }
    package func append(to parameters: inout Parameters) { parameters.append(digest: self) }
}

extension UUIDBytes: ParameterValue {
    package static var parameterType: PostgresType { .uuid }
    package func append(to parameters: inout Parameters) { parameters.append(uuid: self) }
}

extension WallTime: ParameterValue {
    package static var parameterType: PostgresType { .timestamptz }
    package func append(to parameters: inout Parameters) { parameters.append(timestamp: self) }
}

/// A `text` that is there as UTF-8.
package struct UTF8Text: ParameterValue {
    package static var parameterType: PostgresType { .text }

    private let bytes: [UInt8]

    /// Text of these bytes; the server refuses what is not UTF-8.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package func append(to parameters: inout Parameters) { parameters.append(utf8: bytes) }
}

/// A `text` with all words of a closed list, for `= ANY ($n::text[])`: what a later version has written is passed over.
package struct KnownWords<Word: RawRepresentable<String> & CaseIterable>: ParameterValue {
    package static var parameterType: PostgresType { .text }

    /// The words of a list.
    package init(_ list: Word.Type) {}

    package func append(to parameters: inout Parameters) { parameters.append(knownWords: Word.self) }
}

/// What an array of is one parameter.
package protocol ParameterElement: Sendable {
    /// The type of an array of these.
    static var arrayType: PostgresType { get }

    /// Appends an array of these as one value.
    static func append(_ elements: [Self], to parameters: inout Parameters)
}

extension Array: StatementInput where Element: ParameterElement {}

extension Array: ParameterValue where Element: ParameterElement {
    package static var parameterType: PostgresType { Element.arrayType }
    package func append(to parameters: inout Parameters) { Element.append(self, to: &parameters) }
}

/// Bytes together are a `bytea`.
extension UInt8: ParameterElement {
    package static var arrayType: PostgresType { .bytea }
    package static func append(_ elements: [UInt8], to parameters: inout Parameters) {
        parameters.append(bytes: elements)
    }
}

extension UUIDBytes: ParameterElement {
    package static var arrayType: PostgresType { .uuidArray }
    package static func append(_ elements: [UUIDBytes], to parameters: inout Parameters) {
        parameters.append(uuids: elements)
    }
}

extension Digest32: ParameterElement {
    package static var arrayType: PostgresType { .byteaArray }
    package static func append(_ elements: [Digest32], to parameters: inout Parameters) {
        parameters.append(digests: elements)
    }
}
