import EventIO
package import Primitives

/// Reads rows by their key for many callers at a time: calls before the statement is sent share it.
///
/// A row alone costs PostgreSQL about 15 us, most of it to start and to end the statement; as one of sixteen it costs 5.
/// Lives on one loop.
package final class BatchedRead {
    /// A lookup by key in its two forms; both return the key in a column of their own.
    package struct Lookup: Sendable {
        let one: Statement
        let many: Statement
        let keyColumn: Int

        /// A lookup.
        ///
        /// - Parameters:
        ///   - one: For one row: `$1` is its key, a `uuid`; `$2` a `bytea` of 32 bytes where digests are compared; the whole
        ///     numbers follow.
        ///   - many: For several rows: the same with arrays, in which no key comes twice.
        ///   - keyColumn: Where the key stands in what either returns.
        package init(one: Statement, many: Statement, keyColumn: Int) {
            self.one = one
            self.many = many
            self.keyColumn = keyColumn
        }
    }

    /// The place of a caller in a statement that is, or will be, sent.
    package struct PendingRow {
        fileprivate let batch: ReadBatch
        fileprivate let key: UUIDBytes

        /// Waits for the statement.
        ///
        /// - Returns: The row of the key, or `nil` where there is none.
        /// - Throws: `unavailable` and `overloaded` (a retry is safe), `rejected` (a retry will fail too), `decoding`.
        package func row() async throws(PostgresError) -> (rows: ResultSet, row: Int)? {
            let rows = try await batch.rows()
            guard let row = try batch.row(of: key, in: rows) else { return nil }
            return (rows, row)
        }
    }

    private let client: PostgresClient
    private let lookup: Lookup
    private let numbers: [Int64]
    private var open: ReadBatch?

    /// A reader without anything asked.
    ///
    /// - Parameters:
    ///   - client: Of the same loop.
    ///   - numbers: The last parameters, the same for everybody.
    package init(_ client: PostgresClient, _ lookup: Lookup, numbers: [Int64] = []) {
        self.client = client
        self.lookup = lookup
        self.numbers = numbers
    }

    /// Asks for a row.
    ///
    /// - Parameters:
    ///   - digest: What the row is compared with, where the lookup does that.
    /// - Throws: `unavailable` when the calling task is cancelled already.
    package func ask(_ key: UUIDBytes, digest: Digest32? = nil) throws(PostgresError) -> PendingRow {
        guard !Task.isCancelled else { throw PostgresError(.unavailable, "cancelled before it was sent") }
        if let open, open.join(key, digest) { return PendingRow(batch: open, key: key) }
        let batch = ReadBatch(lookup, numbers: numbers, reader: self)
        _ = batch.join(key, digest)
        // A call with another digest for a key goes alone: nobody can keep the others from sharing.
        if open?.hasRoom != true { open = batch }
        client.read(batch)
        return PendingRow(batch: batch, key: key)
    }

    /// Nobody may join any more.
    fileprivate func closed(_ batch: ReadBatch) {
        if open === batch { open = nil }
    }
}

/// One statement of a gathered read and those who wait for it.
private final class ReadBatch: Gathering {
    private let lookup: BatchedRead.Lookup
    private let numbers: [Int64]
    private var keys: [UUIDBytes] = []
    private var digests: [Digest32] = []
    private var isClosed = false
    private var outcome: Result<ResultSet, PostgresError>?
    private var waiting: [Suspension<Void>] = []
    private weak let reader: BatchedRead?

    /// The server looks each key up in the array, so its length is bounded.
    private static let limit = 32

    init(_ lookup: BatchedRead.Lookup, numbers: [Int64], reader: BatchedRead) {
        self.reader = reader
        self.lookup = lookup
        self.numbers = numbers
    }

    /// Whether the statement is neither sent nor full.
    var hasRoom: Bool { !isClosed && keys.count < ReadBatch.limit }

    /// Takes a key in, unless the statement is sent or full, or has the key with another digest.
    func join(_ key: UUIDBytes, _ digest: Digest32?) -> Bool {
        guard hasRoom else { return false }
        if let place = keys.firstIndex(of: key) { return digest == nil || digests[place] == digest }
        keys.append(key)
        if let digest { digests.append(digest) }
        return true
    }

    func close() -> (statement: Statement, parameters: Parameters) {
        stopGrowing()
        var parameters = Parameters()
        parameters.reserve(count: 2 + numbers.count, byteCount: 64 + keys.count * 56)
        if keys.count == 1 {
            parameters.append(uuid: keys[0])
            if let digest = digests.first { parameters.append(digest: digest) }
        } else {
            parameters.append(uuids: keys)
            if !digests.isEmpty { parameters.append(digests: digests) }
        }
        for number in numbers { parameters.append(int64: number) }
        return (keys.count == 1 ? lookup.one : lookup.many, parameters)
    }

    func ended(_ outcome: Result<ResultSet, PostgresError>) {
        stopGrowing()
        self.outcome = outcome
        for caller in waiting { caller.resume() }
        waiting = []
    }

    private func stopGrowing() {
        isClosed = true
        reader?.closed(self)
    }

    /// Waits for the rows.
    func rows() async throws(PostgresError) -> ResultSet {
        if outcome == nil {
            await suspend { caller in
                if outcome == nil { waiting.append(caller) } else { caller.resume() }
            }
        }
        switch outcome {
        case .success(let rows)?: return rows
        // What changes nothing may always be repeated.
        case .failure(let error)? where error.code == .outcomeUnknown: throw PostgresError(.unavailable, error.detail)
        case .failure(let error)?: throw error
        case nil: throw PostgresError(.unavailable, "resumed without an outcome")
        }
    }

    /// The row of a key; rows may come in any order.
    func row(of key: UUIDBytes, in rows: ResultSet) throws(PostgresError) -> Int? {
        for row in 0..<rows.rowCount where try rows.uuid(row, lookup.keyColumn) == key { return row }
        return nil
    }
}
