package import Cryptography
package import Primitives
import SessionBroker

/// Marks rows of the audit trail under a key that is not in the database, so that rows which somebody else has added can be told from them.
///
/// A mark is about session, operation, peer and request, which are known before the statement. A copy of one is about them too: it shows
/// because a request takes an operation once, and because the database's clock says which row was first. Not `Sendable`.
package final class TrailMarker {
    private let key: [UInt8]
    private let tags: HMACSHA256
    private let digests: SHA256

    /// Words of the program are shorter, and so are addresses and requests together.
    private static let room = 192
    private static let purpose = "trail/1\n"

    /// A marker of one loop.
    ///
    /// - Parameter key: 32 bytes or more.
    /// - Throws: `CryptographyError` where OpenSSL does not offer the algorithm.
    package init(_ key: Secret<[UInt8]>) throws(CryptographyError) {
        self.key = key.reveal()
        tags = try HMACSHA256()
        digests = try SHA256()
    }

    /// What the marks of one statement are made of, whichever sessions it is about.
    func seed(_ operation: String, _ caller: Caller) -> Digest32 {
        let key = key
        let count = TrailMarker.purpose.utf8.count + operation.utf8.count + caller.peerCount + caller.requestCount + 2
        guard count <= TrailMarker.room else {
            let message = Array("\(TrailMarker.purpose)\(operation)\n\(caller.peer)\n\(caller.request)".utf8)
            return tags.tag(of: message.span, key: key.span)
        }
        let message = InlineArray<192, UInt8>(initializingWith: { room in
            room.append(copying: TrailMarker.purpose.utf8Span.span)
            room.append(copying: operation.utf8Span.span)
            room.append(UInt8(ascii: "\n"))
            caller.appendPeer(to: &room)
            room.append(UInt8(ascii: "\n"))
            caller.appendRequest(to: &room)
            while !room.isFull { room.append(0) }
        })
        return tags.tag(of: message.span.extracting(first: count), key: key.span)
    }

    /// The mark of a row: the first eight bytes of the digest of seed and session.
    func mark(_ seed: Digest32, _ session: WebviewSessionID) -> UInt64 {
        let message = InlineArray<48, UInt8>(initializingWith: { room in
            seed.append(to: &room)
            session.append(to: &room)
        })
        return digests.digest(of: message.span).prefix
    }

    /// The same rows, with those known that the program has not written: without a mark of its own, or with one that an earlier row has.
    func judged(_ rows: [AuditEvent]) -> [AuditEvent] {
        var seen: [UInt64: WallTime] = [:]
        for row in rows {
            if let mark = row.mark { seen[mark] = min(seen[mark] ?? row.at, row.at) }
        }
        return rows.map { row in
            let expected = mark(
                seed(row.operation, Caller(internal: row.peer, request: row.request)),
                row.webviewSession
            )
            var judged = row
            judged.isAdded = row.mark != expected || seen[expected] != row.at
            return judged
        }
    }
}
