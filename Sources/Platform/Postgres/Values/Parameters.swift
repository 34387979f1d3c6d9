package import Primitives

/// The parameters of one call, in PostgreSQL's binary format, in one flat buffer.
///
/// Append one value for each parameter of the statement, in order. A value that the server is certain to refuse (another type
/// than declared, a NUL character inside text) is refused before it is sent, because a refusal by the server would make all
/// statements of the same group run a second time.
package struct Parameters: Sendable {
    /// What stands before each value takes so many bytes: the identifier of its type, and its length or -1 for NULL.
    private static let headerByteCount = 8

    /// Each value behind its header; one buffer, since each holder of a copy counts each buffer.
    private var bytes: [UInt8] = []
    /// The number of values so far.
    package private(set) var count = 0
    private var hasNUL = false

    /// No parameters yet.
    package init() {}

    /// The given values, in order.
    package init(_ append: (inout Parameters) -> Void) {
        self.init()
        append(&self)
    }

    /// Makes room so that appending does not allocate again.
    ///
    /// - Parameters:
    ///   - byteCount: How many bytes they will take together.
    package mutating func reserve(count: Int, byteCount: Int) {
        bytes.reserveCapacity(count * Parameters.headerByteCount + byteCount)
    }

    /// Appends a `bigint`.
    ///
    /// - Parameter int64: `nil` is NULL.
    package mutating func append(int64: Int64?) {
        guard let value = int64 else { return appendNull() }
        append(.int8, 8) { room in room.append(bigEndian: UInt64(bitPattern: value)) }
    }

    /// Appends whole seconds as a `bigint`.
    ///
    /// - Parameter seconds: `nil` is NULL.
    package mutating func append(seconds: Duration?) {
        append(int64: seconds?.components.seconds)
    }

    /// Appends an `integer`.
    ///
    /// - Parameter int32: `nil` is NULL.
    package mutating func append(int32: Int32?) {
        guard let value = int32 else { return appendNull() }
        append(.int4, 4) { room in room.append(bigEndian32: UInt32(bitPattern: value)) }
    }

    /// Appends a `boolean`.
    ///
    /// - Parameter bool: `nil` is NULL.
    package mutating func append(bool: Bool?) {
        guard let value = bool else { return appendNull() }
        append(.bool, 1) { room in room.append(value ? 1 : 0) }
    }

    /// Appends a `text`.
    ///
    /// - Parameter text: May be empty; a NUL character makes the call fail as rejected, 22021. `nil` is NULL.
    package mutating func append(text: String?) {
        guard let value = text else { return appendNull() }
        append(text: value.utf8Span.span)
    }

    /// Appends a `text` that is there as bytes.
    ///
    /// - Parameter utf8: UTF-8, or the server refuses it (22021); may be empty. A NUL makes the call fail as rejected, 22021.
    package mutating func append(utf8: [UInt8]) {
        append(text: utf8.span)
    }

    /// Appends a `text` that a body writes.
    ///
    /// - Parameters:
    ///   - count: The exact number of bytes of it.
    ///   - body: Writes ASCII; a NUL makes the call fail as rejected, 22021.
    package mutating func append(ascii count: Int, _ body: (inout OutputSpan<UInt8>) -> Void) {
        append(.text, count, body)
        noteNUL(inLast: count)
    }

    /// Appends a `bytea`.
    ///
    /// - Parameter value: May be empty; `nil` is NULL.
    package mutating func append(bytes value: [UInt8]?) {
        guard let value else { return appendNull() }
        append(.bytea, value.count) { room in room.append(copying: value.span) }
    }

    /// Appends a `bytea` of 32 bytes.
    ///
    /// - Parameter digest: `nil` is NULL.
    package mutating func append(digest: Digest32?) {
        guard let value = digest else { return appendNull() }
        append(.bytea, Digest32.byteCount) { room in value.append(to: &room) }
    }

    /// Appends a `uuid`.
    ///
    /// - Parameter uuid: `nil` is NULL.
    package mutating func append(uuid: UUIDBytes?) {
        guard let value = uuid else { return appendNull() }
        append(.uuid, 16) { room in value.append(to: &room) }
    }

    /// Appends a `timestamptz`.
    ///
    /// - Parameter timestamp: Between 4713 BC and AD 294276, the server refuses others (22008); `nil` is NULL.
    package mutating func append(timestamp: WallTime?) {
        guard let value = timestamp else { return appendNull() }
        let (difference, overflow) = value.microseconds.subtractingReportingOverflow(PostgresEpoch.microseconds)
        // The least value means -infinity to the server; the one above it is refused as out of range, which is the truth.
        let word = UInt64(bitPattern: overflow ? Int64.min + 1 : difference)
        append(.timestamptz, 8) { room in room.append(bigEndian: word) }
    }

    /// Appends a `jsonb`.
    ///
    /// - Parameter json: One JSON text; the server refuses what is none (22P02). `nil` is NULL.
    package mutating func append(json: String?) {
        guard let value = json else { return appendNull() }
        append(.jsonb, 1 + value.utf8.count) { room in
            room.append(ParameterFormat.jsonbVersion)
            room.append(copying: value.utf8Span.span)
        }
        noteNUL(inLast: value.utf8.count)
    }

    /// Appends a `uuid[]`.
    ///
    /// - Parameter uuids: May be empty.
    package mutating func append(uuids: [UUIDBytes]) {
        append(.uuidArray, of: .uuid, uuids, width: 16) { uuid, room in uuid.append(to: &room) }
    }

    /// Appends a `bytea[]` of 32 bytes each.
    ///
    /// - Parameter digests: May be empty.
    package mutating func append(digests: [Digest32]) {
        append(.byteaArray, of: .bytea, digests, width: Digest32.byteCount) { digest, room in digest.append(to: &room) }
    }

    /// Appends NULL, whatever the type of the parameter is.
    package mutating func appendNull() {
        bytes.append(addingCapacity: Parameters.headerByteCount) { room in room.append(bigEndian: 0xFFFF_FFFF) }
        count += 1
    }

    /// What is wrong with these parameters for a statement, or `nil` when they fit.
    ///
    /// - Returns: A rejection with the code that the server would have used.
    func mismatch(with statement: Statement) -> PostgresError? {
        let types = statement.objectIdentifiers
        guard count == types.count else {
            return PostgresError(
                .rejected(sqlState: "08P01"),
                "\(statement.name) takes \(types.count) parameters and was given \(count)"
            )
        }
        var mismatch: (index: Int, type: UInt32)?
        unsafe visit { index, type, _ in
            if type != 0, type != types[index], mismatch == nil { mismatch = (index, type) }
        }
        if let mismatch {
            let given = PostgresType(rawValue: mismatch.type).map { "\($0)" } ?? "another"
            let wanted = statement.parameterTypes[mismatch.index]
            let detail = "\(statement.name) takes \(wanted) as $\(mismatch.index + 1), not \(given)"
            return PostgresError(.rejected(sqlState: "42804"), detail)
        }
        guard !hasNUL else {
            return PostgresError(.rejected(sqlState: "22021"), "\(statement.name) was given text with a NUL character")
        }
        return nil
    }

    /// Looks at each value in order.
    ///
    /// - Parameter body: Gets the index, the identifier of the type (zero for NULL), and the value, or `nil` for NULL; the memory is
    ///   lent until `visit` returns.
    package func visit(_ body: (_ index: Int, _ type: UInt32, _ value: UnsafeRawBufferPointer?) -> Void) {
        unsafe bytes.withUnsafeBytes { memory in unsafe Parameters.visit(count, in: memory, body) }
    }

    /// The same with memory that the caller holds.
    @unsafe static func visit(
        _ count: Int,
        in memory: UnsafeRawBufferPointer,
        _ body: (_ index: Int, _ type: UInt32, _ value: UnsafeRawBufferPointer?) -> Void
    ) {
        var place = 0
        for index in 0..<count {
            let header = unsafe UInt64(bigEndian: memory.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place += headerByteCount
            let type = UInt32(truncatingIfNeeded: header >> 32)
            let length = Int(Int32(truncatingIfNeeded: header))
            guard length >= 0 else {
                body(index, type, nil)
                continue
            }
            unsafe body(index, type, UnsafeRawBufferPointer(rebasing: memory[place..<(place + length)]))
            place += length
        }
    }

    /// Lends the memory of all values for `visit`.
    @unsafe func withMemory<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        unsafe bytes.withUnsafeBytes { memory in unsafe body(memory) }
    }

    private mutating func append(text: Span<UInt8>) {
        append(.text, text.count) { room in room.append(copying: text) }
        noteNUL(inLast: text.count)
    }

    /// Appends a value of exactly so many bytes.
    private mutating func append(_ type: PostgresType, _ length: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
        // More than fits into its length would be misread; PostgreSQL takes a quarter of that.
        precondition(length <= Int(Int32.max), "a value has less than two gigabytes")
        if bytes.isEmpty { bytes.reserveCapacity(128) }
        let end = bytes.count + Parameters.headerByteCount + length
        bytes.append(addingCapacity: Parameters.headerByteCount + length) { room in
            room.append(bigEndian: UInt64(type.rawValue) << 32 | UInt64(length))
            write(&room)
        }
        precondition(bytes.count == end, "a value has as many bytes as was said")
        count += 1
    }

    /// One dimension that counts from one, no NULL; each element behind its length.
    private mutating func append<Element>(
        _ type: PostgresType,
        of elementType: PostgresType,
        _ elements: [Element],
        width: Int,
        _ write: (Element, inout OutputSpan<UInt8>) -> Void
    ) {
        append(type, 20 + elements.count * (4 + width)) { room in
            room.append(bigEndian: 1 << 32)
            room.append(bigEndian: UInt64(elementType.rawValue) << 32 | UInt64(elements.count))
            room.append(bigEndian32: 1)
            for element in elements {
                room.append(bigEndian32: UInt32(width))
                write(element, &room)
            }
        }
    }

    private mutating func noteNUL(inLast count: Int) {
        let least = unsafe bytes.span.extracting(last: count).withUnsafeBufferPointer { text in
            // Without a way out of the loop it takes sixteen bytes at a time.
            unsafe text.reduce(UInt8.max) { min($0, $1) }
        }
        if least == 0 { hasNUL = true }
    }
}

/// Constants of the binary format.
enum ParameterFormat {
    /// The only version of the binary form of `jsonb`; its first byte.
    static let jsonbVersion: UInt8 = 1
}
