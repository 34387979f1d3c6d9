package import Cryptography
package import Postgres
package import Primitives
import StrictJSON

/// Seals values anew that are not under the newest key, in small batches, each a transaction of its own.
///
/// A value is written only in the place of the bytes that were read. So it can be cut off and run again, beside programs that serve
/// and beside another of itself. One per loop, not `Sendable`.
package final class Resealing {
    /// What became of a column.
    package struct Report: Sendable, Equatable {
        /// Values that were read, without the empty ones.
        package var values = 0
        /// Values that were sealed anew.
        package var resealed = 0
        /// Values that are still under an older key since somebody worked on their rows.
        package var busy = 0
        /// Values that could not be opened, by the reason.
        package var unopened: [String: Int] = [:]

        /// Whether every value is under the newest key.
        package var isComplete: Bool { busy == 0 && unopened.isEmpty }
    }

    private let keyring: Keyring
    private let client: PostgresClient
    private let random: any RandomSource
    private let batch: Int

    /// How often a column is walked while rows are busy.
    private static let walks = 3

    /// Work on a client of the same loop.
    ///
    /// - Parameter batch: How many rows a transaction reads, and writes at most; two or more.
    package init(_ keyring: Keyring, _ client: PostgresClient, random: any RandomSource, batch: Int = 200) {
        self.keyring = keyring
        self.client = client
        self.random = random
        self.batch = max(batch, 2)
    }

    /// Walks a column until nothing in it is under an older key, or nothing more can be done.
    ///
    /// - Parameter progress: Called behind each batch; what it throws ends the work there.
    /// - Throws: `StoreError`, or `CryptographyError` where OpenSSL refuses.
    package func run(_ column: SealedColumn, progress: (Report) throws -> Void = { _ in }) async throws -> Report {
        let seal = try KeyringSeal(keyring, purpose: column.purpose)
        var resealed = 0
        var report = Report()
        for _ in 0..<Resealing.walks {
            report = Report(resealed: resealed)
            try await walk(column, seal, &report, progress)
            resealed = report.resealed
            if report.busy == 0 { break }
        }
        return report
    }

    private func walk(
        _ column: SealedColumn,
        _ seal: KeyringSeal,
        _ report: inout Report,
        _ progress: (Report) throws -> Void
    ) async throws {
        var place = column.start
        var isFirst = true
        while true {
            let rows = try await client.work(column.readStatement(place, batch)).all()
            // A batch begins with the row that ended the one before.
            let isRepeated = !isFirst && rows.first?.key == Array(place.utf8)
            let fresh = isRepeated ? rows.dropFirst() : rows[...]
            let changes = try fresh.compactMap { row in try change(row, of: column, seal, &report) }
            if !changes.isEmpty {
                let written = try await client.work(column.writeStatement(JSONValue.array(changes).description)).first()
                report.resealed += written
                report.busy += changes.count - written
            }
            try progress(report)
            guard rows.count == batch, let last = rows.last else { return }
            place = String(decoding: last.key, as: UTF8.self)
            isFirst = false
        }
    }

    /// What is to be written; `nil` for what is under the newest key, or cannot be opened.
    private func change(
        _ row: SealedColumn.Row,
        of column: SealedColumn,
        _ seal: KeyringSeal,
        _ report: inout Report
    ) throws(CryptographyError) -> JSONValue? {
        guard !row.sealed.isEmpty else { return nil }
        report.values += 1
        guard KeyringSeal.number(of: row.sealed) != keyring.newest else { return nil }
        guard let identity = row.identity else {
            report.unopened["a column of its identity is empty", default: 0] += 1
            return nil
        }
        let opened: Secret<[UInt8]>
        do throws(CryptographyError) {
            opened = Secret(try seal.open(row.sealed, of: identity))
        } catch {
            report.unopened[error.detail, default: 0] += 1
            return nil
        }
        return column.change(row, to: try seal.seal(opened.reveal(), of: identity, random: random))
    }
}
