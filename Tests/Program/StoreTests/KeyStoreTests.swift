import Cryptography
import EventIO
import MerchantAPI
import MerchantOrders
import Postgres
import PostgresTestKit
import Primitives
import ServiceAPI
import Testing

@Suite("Merchants' keys in the database")
struct KeyStoreTests {
    @Test func `are found by their hash and nothing else, and only the hash is there`() async throws {
        try await withRig { rig in
            let store = PostgresKeyStore(client: rig.client)
            let (key, record) = APIKey.mint(random: rig.random)
            try await store.create(record, name: "shop", scopes: [.sessionsRead, .refundsWrite])
            let grant = try #require(try await store.find(key.id, hash: key.hash))
            #expect(grant == KeyGrant(id: key.id, name: "shop", scopes: [.sessionsRead, .refundsWrite]))
            let other = APIKey.rotate(key.id, random: rig.random).key
            #expect(try await store.find(key.id, hash: other.hash) == nil)
            #expect(try await store.find(APIKey.mint(random: rig.random).key.id, hash: key.hash) == nil)
            let rows = try rig.admin.rows("SELECT k::text FROM api_key k")
            #expect(rows.count == 1)
            #expect(rows[0][0]?.contains(key.text.suffix(40)) == false)
        }
    }

    @Test func `know the last day of their use`() async throws {
        try await withRig { rig in
            let store = PostgresKeyStore(client: rig.client)
            let (key, record) = APIKey.mint(random: rig.random)
            try await store.create(record, name: "shop", scopes: [.sessionsRead])
            #expect(try await store.list().first?.lastUsedOn == nil)
            _ = try await store.find(key.id, hash: key.hash)
            #expect(try await store.list().first?.lastUsedOn?.count == 10)
            let before = try rig.admin.rows("SELECT xmin FROM api_key")
            _ = try await store.find(key.id, hash: key.hash)
            #expect(try rig.admin.rows("SELECT xmin FROM api_key") == before)
        }
    }

    @Test func `are found although the day of their use cannot be written`() async throws {
        try await withRig { rig in
            let store = PostgresKeyStore(client: rig.client)
            let (key, record) = APIKey.mint(random: rig.random)
            try await store.create(record, name: "shop", scopes: [.sessionsRead])
            try rig.sql(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no writes'; END $$;
                CREATE TRIGGER refuse BEFORE UPDATE ON api_key FOR EACH ROW EXECUTE FUNCTION refuse()
                """
            )
            #expect(try await store.find(key.id, hash: key.hash) != nil)
            #expect(try await store.list().first?.lastUsedOn == nil)
            try rig.sql("DROP TRIGGER refuse ON api_key")
            #expect(try await store.find(key.id, hash: key.hash) != nil)
            #expect(try await store.list().first?.lastUsedOn != nil)
        }
    }

    @Test func `get another secret while the old one works on for a while`() async throws {
        try await withRig { rig in
            let store = PostgresKeyStore(client: rig.client)
            let (key, record) = APIKey.mint(random: rig.random)
            try await store.create(record, name: "shop", scopes: [.sessionsRead])
            let (next, nextRecord) = APIKey.rotate(key.id, random: rig.random)
            #expect(try await store.rotate(nextRecord, overlap: .seconds(3_600)))
            #expect(try await store.find(key.id, hash: next.hash) != nil)
            #expect(try await store.find(key.id, hash: key.hash) != nil)
            try rig.sql("UPDATE api_key SET previous_until = now() - interval '1 second'")
            #expect(try await store.find(key.id, hash: key.hash) == nil)
            let (last, lastRecord) = APIKey.rotate(key.id, random: rig.random)
            #expect(try await store.rotate(lastRecord, overlap: .zero))
            #expect(try await store.find(key.id, hash: next.hash) == nil)
            #expect(try await store.find(key.id, hash: last.hash) != nil)
        }
    }

    @Test func `end at once and for good`() async throws {
        try await withRig { rig in
            let store = PostgresKeyStore(client: rig.client)
            let (key, record) = APIKey.mint(random: rig.random)
            try await store.create(record, name: "shop", scopes: [.sessionsRead])
            #expect(try await store.revoke(key.id))
            #expect(try await store.find(key.id, hash: key.hash) == nil)
            #expect(try await !store.revoke(key.id))
            #expect(try await !store.rotate(APIKey.rotate(key.id, random: rig.random).record, overlap: .zero))
            #expect(try await store.list().first?.revoked != nil)
        }
    }
}

extension PostgresKeyStore {
    /// What became of a claim that somebody else had first; `nil` where it is ours now.
    fileprivate func tried(_ claim: IdempotencyClaim, webviewSession: UUIDBytes?) async throws -> ClaimState? {
        switch try await take(claim, webviewSession: webviewSession) {
        case .taken: nil
        case .others(let state): state
        }
    }
}

@Suite("Claims of requests in the database")
struct ClaimStoreTests {
    /// Until when the only claim that there is has been taken.
    private func until(_ rig: Rig) throws -> WallTime {
        let text = try rig.admin.rows(
            "SELECT (extract(epoch FROM lease_until) * 1000000)::bigint::text FROM api_idempotency"
        )
        return WallTime(microseconds: try #require(text.first?[0].flatMap { Int64($0) }))
    }

    private func claim(
        _ rig: Rig,
        _ word: String = "once",
        _ content: UInt8 = 1,
        key: UUIDBytes = UUIDBytes(high: 7, low: 8),
        scope: UUIDBytes = Rig.account.claimScope
    ) throws -> IdempotencyClaim {
        IdempotencyClaim(
            scope: scope,
            key: key,
            word: try #require(IdempotencyWord(word)),
            fingerprint: RequestFingerprint(SHA256.digest(of: [content]))
        )
    }

    /// The fingerprint of a POST whose content has one value in two spellings.
    private func fingerprint(_ body: String, value: String) throws -> RequestFingerprint {
        RequestFingerprint("POST", "/v1/sessions", Array(body.utf8), using: try SHA256()) { bytes in
            bytes.append(contentsOf: value.utf8)
            return true
        }
    }

    @Test func `are taken once, whoever comes at the same time on whichever loop`() async throws {
        let database = try migratedDatabase()
        let words = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<2 {
                group.addTask { try await withRig(on: database) { rig in try await self.race(rig) } }
            }
            var all: [String] = []
            for try await words in group { all += words }
            return all
        }
        #expect(words.count { $0 == "taken" } == 1, "\(words)")
        #expect(words.count { $0 == "running" } == 31, "\(words)")
    }

    /// What sixteen calls for one claim come to that are made at once.
    private func race(_ rig: Rig) async throws -> [String] {
        let store = PostgresKeyStore(client: rig.client)
        let claim = try claim(rig)
        let board = Board()
        let tasks = (0..<16).map { _ in
            rig.reactor.startTask {
                do {
                    let state = try await store.tried(claim, webviewSession: nil)
                    board.words.append(state == nil ? "taken" : state == .running(retryAfter: 2) ? "running" : "odd")
                } catch {
                    board.words.append("\(error)")
                }
            }
        }
        for task in tasks { await task.value }
        return board.words
    }

    private final class Board {
        var words: [String] = []
    }

    @Test func `answer a repeat as the first one was answered, and refuse another request`() async throws {
        try await withRig { rig in
            let store = PostgresKeyStore(client: rig.client)
            let webviewSession = UUIDBytes(high: 1, low: 2)
            let claim = try claim(rig)
            #expect(try await store.tried(claim, webviewSession: webviewSession) == nil)
            let answer = StoredAnswer(status: 201, body: Array("{}".utf8))
            try await store.answer(claim, until: try until(rig), answer)
            try await store.answer(claim, until: try until(rig), StoredAnswer(status: 500, body: []))
            #expect(
                try await store.tried(claim, webviewSession: nil) == .answered(answer, webviewSession: webviewSession)
            )
            #expect(try await store.tried(try self.claim(rig, "once", 2), webviewSession: nil) == .reused)
            #expect(try await store.state(of: try self.claim(rig, "never")) == .absent)
        }
    }

    @Test func `are taken over when their holder is gone or gave them back, but not by another request`() async throws {
        try await withRig { rig in
            let store = PostgresKeyStore(client: rig.client)
            let claim = try claim(rig)
            #expect(try await store.tried(claim, webviewSession: nil) == nil)
            #expect(try await store.tried(claim, webviewSession: nil) == .running(retryAfter: 2))
            try await store.release(claim, until: try until(rig))
            #expect(try await store.tried(try self.claim(rig, "once", 2), webviewSession: nil) == .reused)
            #expect(try await store.tried(claim, webviewSession: nil) == nil)
            try rig.sql("UPDATE api_idempotency SET lease_until = now() - interval '1 second'")
            #expect(try await store.tried(claim, webviewSession: nil) == nil)
        }
    }

    @Test func `are answered and given back by whoever holds them, and not by who held them before`() async throws {
        try await withRig { rig in
            let store = PostgresKeyStore(client: rig.client)
            let claim = try claim(rig)
            guard case .taken(let first) = try await store.take(claim, webviewSession: nil) else {
                throw Surprise("not taken")
            }
            try rig.sql("UPDATE api_idempotency SET lease_until = now() - interval '1 second'")
            guard case .taken(let second) = try await store.take(claim, webviewSession: nil) else {
                throw Surprise("not taken")
            }
            try await store.release(claim, until: first)
            #expect(
                try await store.tried(claim, webviewSession: nil) == .running(retryAfter: 2),
                "it is the second one's"
            )
            try await store.answer(claim, until: first, StoredAnswer(status: 500, body: [1]))
            #expect(try await store.tried(claim, webviewSession: nil) == .running(retryAfter: 2))
            let answer = StoredAnswer(status: 200, body: [2])
            try await store.answer(claim, until: second, answer)
            #expect(try await store.tried(claim, webviewSession: nil) == .answered(answer, webviewSession: nil))
        }
    }

    @Test func `are those of the account, whichever of its keys a repeat shows`() async throws {
        try await withRig { rig in
            let store = PostgresKeyStore(client: rig.client)
            let first = try claim(rig)
            let second = try claim(rig, key: UUIDBytes(high: 9, low: 9))
            #expect(try await store.tried(first, webviewSession: nil) == nil)
            #expect(try await store.tried(second, webviewSession: nil) == .running(retryAfter: 2))
            let answer = StoredAnswer(status: 201, body: Array("{}".utf8))
            try await store.answer(first, until: try until(rig), answer)
            #expect(try await store.tried(second, webviewSession: nil) == .answered(answer, webviewSession: nil))
            let elsewhere = IdempotencyClaim(
                scope: OrderAccount.none.claimScope,
                key: first.key,
                word: try #require(IdempotencyWord("once")),
                fingerprint: first.fingerprint
            )
            #expect(try await store.tried(elsewhere, webviewSession: nil) == nil, "another account")
        }
    }

    @Test func `are of the same request whose value is the same, and of no other`() async throws {
        try await withRig { rig in
            let store = PostgresKeyStore(client: rig.client)
            func claim(_ body: String, value: String) throws -> IdempotencyClaim {
                IdempotencyClaim(
                    scope: Rig.account.claimScope,
                    key: UUIDBytes(high: 7, low: 8),
                    word: try #require(IdempotencyWord("order:1")),
                    fingerprint: try fingerprint(body, value: value)
                )
            }
            let first = try claim(#"{"b":1,"a":2}"#, value: #"{"a":2,"b":1}"#)
            let spelt = try claim(#"{ "a": 2, "b": 1 }"#, value: #"{"a":2,"b":1}"#)
            let other = try claim(#"{"b":1,"a":3}"#, value: #"{"a":3,"b":1}"#)
            #expect(try await store.tried(first, webviewSession: nil) == nil)
            #expect(try await store.tried(spelt, webviewSession: nil) == .running(retryAfter: 2))
            #expect(try await store.tried(other, webviewSession: nil) == .reused)
            // One whose holder is gone is taken over in whichever spelling.
            try rig.sql("UPDATE api_idempotency SET lease_until = now() - interval '1 second'")
            #expect(try await store.tried(other, webviewSession: nil) == .reused)
            #expect(try await store.tried(spelt, webviewSession: nil) == nil)
        }
    }

    @Test func `are all removed with the person whose app made them, and no others`() async throws {
        try await withRig { rig in
            let (store, person) = (PostgresKeyStore(client: rig.client), UUIDBytes(high: 9, low: 9))
            for word in ["a", "b"] {
                _ = try await store.tried(try claim(rig, word, scope: person), webviewSession: nil)
                _ = try await store.tried(try claim(rig, word), webviewSession: nil)
            }
            try rig.sql(
                """
                INSERT INTO api_idempotency (key_id, idem, fingerprint, created_at, lease_until)
                SELECT '\(person)', 'more ' || n, '', now(), now() FROM generate_series(1, 1500) AS n
                """
            )
            try await store.erase(person)
            let left = try rig.admin.rows("SELECT key_id::text, count(*)::text FROM api_idempotency GROUP BY 1")
            #expect(left == [[Rig.account.claimScope.description, "2"]])
        }
    }

    @Test func `are removed with the orders of their month`() async throws {
        try await withRig { rig in
            let store = PostgresKeyStore(client: rig.client)
            for word in ["a", "b", "c"] { _ = try await store.tried(try claim(rig, word), webviewSession: nil) }
            let month = "date_trunc('month', now() - interval '400 days', 'UTC')"
            try rig.sql("UPDATE api_idempotency SET created_at = \(month)")
            #expect(try await store.prune(keep: .seconds(400 * 86_400)) == 0)
            try rig.sql("UPDATE api_idempotency SET created_at = created_at - interval '1 second' WHERE idem <> 'b'")
            #expect(try await store.prune(keep: .seconds(400 * 86_400)) == 2)
            #expect(try await store.state(of: try claim(rig, "b")) == .running(retryAfter: 2))
        }
    }
}
