package import Primitives

/// The parameters of one call, in PostgreSQL's binary format, in one flat buffer.
///
/// Append one value for each parameter of the statement, in order. A value that the server is certain to refuse (another type
/// than declared, a NUL character inside text) is refused before it is sent, because a refusal by the server would make all
/// statements of the same group run a second time.
package struct Parameters: Sendable {
    /// One value: where it starts, and its length, or -1 for NULL.
    struct Field: Sendable {
        let type: PostgresType?
        let offset: Int
        let length: Int
    }

    private(set) var bytes: [UInt8] = []
    private(set) var fields: [Field] = []
    private(set) var hasNUL = false

    /// No parameters yet.
    package init() {}

    /// Makes room so that appending does not allocate again.
    ///
    /// - Parameters:
    ///   - count: How many values will follow.
    ///   - byteCount: How many bytes they will take together.
    package mutating func reserve(count: Int, byteCount: Int) {
        fields.reserveCapacity(count)
        bytes.reserveCapacity(byteCount)
    }

    /// The number of values so far.
    package var count: Int { fields.count }

    /// Appends a `bigint`.
    ///
    /// - Parameter int64: `nil` is NULL.
    package mutating func append(int64: Int64?) {
        guard let value = int64 else { return appendNull() }
        let offset = bytes.count
        appendBigEndian(UInt64(bitPattern: value))
        close(.int8, from: offset)
    }

    /// Appends an `integer`.
    ///
    /// - Parameter int32: `nil` is NULL.
    package mutating func append(int32: Int32?) {
        guard let value = int32 else { return appendNull() }
        let offset = bytes.count
        let bits = UInt32(bitPattern: value)
        bytes.append(addingCapacity: 4) { room in room.append(bigEndian32: bits) }
        close(.int4, from: offset)
    }

    /// Appends a `boolean`.
    ///
    /// - Parameter bool: `nil` is NULL.
    package mutating func append(bool: Bool?) {
        guard let value = bool else { return appendNull() }
        bytes.append(value ? 1 : 0)
        close(.bool, from: bytes.count - 1)
    }

    /// Appends a `text`.
    ///
    /// - Parameter text: May be empty; a NUL character makes the call fail as rejected, 22021. `nil` is NULL.
    package mutating func append(text: String?) {
        guard let value = text else { return appendNull() }
        let offset = bytes.count
        bytes.append(contentsOf: value.utf8)
        noteNUL(from: offset)
        close(.text, from: offset)
    }

    /// Appends a `text` that is there as bytes.
    ///
    /// - Parameter utf8: UTF-8, or the server refuses it (22021); may be empty. A NUL makes the call fail as rejected, 22021.
    package mutating func append(utf8: [UInt8]) {
        let offset = bytes.count
        bytes.append(contentsOf: utf8)
        noteNUL(from: offset)
        close(.text, from: offset)
    }

    /// Appends a `bytea`.
    ///
    /// - Parameter value: May be empty; `nil` is NULL.
    package mutating func append(bytes value: [UInt8]?) {
        guard let value else { return appendNull() }
        let offset = bytes.count
        bytes.append(contentsOf: value)
        close(.bytea, from: offset)
    }

    /// Appends a `bytea` of 32 bytes.
    ///
    /// - Parameter digest: `nil` is NULL.
    package mutating func append(digest: Digest32?) {
        guard let value = digest else { return appendNull() }
        let offset = bytes.count
        value.append(to: &bytes)
        close(.bytea, from: offset)
    }

    /// Appends a `uuid`.
    ///
    /// - Parameter uuid: `nil` is NULL.
    package mutating func append(uuid: UUIDBytes?) {
        guard let value = uuid else { return appendNull() }
        let offset = bytes.count
        value.append(to: &bytes)
        close(.uuid, from: offset)
    }

    /// Appends a `timestamptz`.
    ///
    /// - Parameter timestamp: Between 4713 BC and AD 294276, the server refuses others (22008); `nil` is NULL.
    package mutating func append(timestamp: WallTime?) {
        guard let value = timestamp else { return appendNull() }
        let offset = bytes.count
        let (difference, overflow) = value.microseconds.subtractingReportingOverflow(PostgresEpoch.microseconds)
        // The least value means -infinity to the server; the one above it is refused as out of range, which is the truth.
        appendBigEndian(UInt64(bitPattern: overflow ? Int64.min + 1 : difference))
        close(.timestamptz, from: offset)
    }

    /// Appends a `jsonb`.
    ///
    /// - Parameter json: One JSON text; the server refuses what is none (22P02). `nil` is NULL.
    package mutating func append(json: String?) {
        guard let value = json else { return appendNull() }
        let offset = bytes.count
        bytes.append(ParameterFormat.jsonbVersion)
        bytes.append(contentsOf: value.utf8)
        noteNUL(from: offset + 1)
        close(.jsonb, from: offset)
    }

    /// Appends a `uuid[]`.
    ///
    /// - Parameter uuids: May be empty.
    package mutating func append(uuids: [UUIDBytes]) {
        let offset = bytes.count
        appendArray(uuids, type: .uuid, width: 16) { uuid, room in uuid.append(to: &room) }
        close(.uuidArray, from: offset)
    }

    /// Appends a `bytea[]` of 32 bytes each.
    ///
    /// - Parameter digests: May be empty.
    package mutating func append(digests: [Digest32]) {
        let offset = bytes.count
        appendArray(digests, type: .bytea, width: Digest32.byteCount) { digest, room in digest.append(to: &room) }
        close(.byteaArray, from: offset)
    }

    /// Appends NULL, whatever the type of the parameter is.
    package mutating func appendNull() {
        fields.append(Field(type: nil, offset: bytes.count, length: -1))
    }

    /// What is wrong with these parameters for a statement, or `nil` when they fit.
    ///
    /// - Parameter statement: Whose declared types count.
    /// - Returns: A rejection with the code that the server would have used.
    func mismatch(with statement: Statement) -> PostgresError? {
        let types = statement.parameterTypes
        guard fields.count == types.count else {
            return PostgresError(
                .rejected(sqlState: "08P01"),
                "\(statement.name) takes \(types.count) parameters and was given \(fields.count)"
            )
        }
        for index in fields.indices {
            guard let type = fields[index].type, type != types[index] else { continue }
            let detail = "\(statement.name) takes \(types[index]) as $\(index + 1), not \(type)"
            return PostgresError(.rejected(sqlState: "42804"), detail)
        }
        guard !hasNUL else {
            return PostgresError(.rejected(sqlState: "22021"), "\(statement.name) was given text with a NUL character")
        }
        return nil
    }

    private mutating func close(_ type: PostgresType, from offset: Int) {
        if fields.isEmpty { fields.reserveCapacity(8) }
        fields.append(Field(type: type, offset: offset, length: bytes.count - offset))
    }

    /// One dimension that counts from one, no NULL; each element behind its length.
    private mutating func appendArray<Element>(
        _ elements: [Element],
        type: PostgresType,
        width: Int,
        _ write: (Element, inout OutputSpan<UInt8>) -> Void
    ) {
        bytes.append(addingCapacity: 20 + elements.count * (4 + width)) { room in
            room.append(bigEndian: 1 << 32)
            room.append(bigEndian: UInt64(type.rawValue) << 32 | UInt64(elements.count))
            room.append(bigEndian32: 1)
            for element in elements {
                room.append(bigEndian32: UInt32(width))
                write(element, &room)
            }
        }
    }

    private mutating func appendBigEndian(_ word: UInt64) {
        bytes.append(addingCapacity: 8) { room in room.append(bigEndian: word) }
    }

    private mutating func noteNUL(from offset: Int) {
        if Parameters.holdsNUL(bytes.span.extracting(offset...)) { hasNUL = true }
    }

    private static func holdsNUL(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where text[index] == 0 { return true }
        return false
    }
}

/// Constants of the binary format.
enum ParameterFormat {
    /// The only version of the binary form of `jsonb`; its first byte.
    static let jsonbVersion: UInt8 = 1
}
