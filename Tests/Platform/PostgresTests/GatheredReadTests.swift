import EventIO
import Postgres
import PostgresTestKit
import Primitives
import Telemetry
import Testing

private let question = BatchedRead.Lookup(
    one: Statement(
        name: "one",
        sql: "SELECT t.n, t.id FROM t WHERE t.id = $1 AND t.d = $2 AND $3 / t.n >= 0",
        parameterTypes: [.uuid, .bytea, .int8]
    ),
    many: Statement(
        name: "many",
        sql: """
            SELECT t.n, t.id FROM t WHERE t.id = ANY ($1) AND t.d = $2[array_position($1, t.id)] AND $3 / t.n >= 0
            ORDER BY t.n DESC
            """,
        parameterTypes: [.uuidArray, .byteaArray, .int8]
    ),
    keyColumn: 1
)

private func key(_ number: Int) -> UUIDBytes { UUIDBytes(high: 0, low: UInt64(number)) }

private func digest(_ number: Int) throws -> Digest32 {
    let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32)
    let digest = Digest32(bytes.span)
    return try #require(digest)
}

/// A table of numbers from `first`, each with its key and a digest.
private func makeTable(from first: Int) throws -> TestDatabase {
    let database = try TestDatabase()
    try database.admin().run(
        """
        CREATE TABLE t (id uuid PRIMARY KEY, d bytea, n bigint);
        INSERT INTO t SELECT lpad(to_hex(n), 32, '0')::uuid, decode(repeat(lpad(to_hex(n % 256), 2, '0'), 32), 'hex'), n
        FROM generate_series(\(first), 300) AS n
        """
    )
    return database
}

/// Asks for a row that must be that of a number; the code of the failure, `nil` when it is well.
private func look(_ reader: BatchedRead, _ number: Int, with digest: Digest32) async -> Result<Int64?, PostgresError> {
    do throws(PostgresError) {
        guard let (rows, row) = try await reader.ask(key(number), digest: digest).row() else { return .success(nil) }
        return .success(try rows.int64(row, 0))
    } catch {
        return .failure(error)
    }
}

@Suite struct `A read that many share` {
    @Test func `gives each its own row, and nothing to a wrong digest`() async throws {
        let database = try makeTable(from: 1)
        let metrics = MetricsRegistry()
        let found = try await withClient(database.url, metrics: metrics) { client, reactor in
            let reader = BatchedRead(client, question, numbers: [1])
            var answers: [Int: [Int64?]] = [:]
            var tasks: [Task<Void, Never>] = []
            for number in 1...300 {
                for proof in [try digest(number), try digest(number + 1), try digest(number)] {
                    tasks.append(
                        reactor.startTask {
                            let answer = try? await look(reader, number, with: proof).get()
                            answers[number, default: []].append(answer ?? nil)
                        }
                    )
                }
            }
            for task in tasks { await task.value }
            return answers
        }
        #expect(found.count == 300)
        for (number, answers) in found {
            #expect(answers.compactMap { $0 } == [Int64(number), Int64(number)], "\(number): \(answers)")
            #expect(answers.count == 3)
        }
        let sent = try #require(
            metrics.prometheusText().split(separator: "\n").first {
                $0.hasPrefix("sallyport_postgres_statements_total") && $0.contains("role=\"read\"")
            }
        )
        let count = try #require(sent.split(separator: " ").last.flatMap { Int($0) })
        // 300 come with a wrong digest while somebody is there with the right one, and go alone.
        #expect(count < 400, "\(count) statements for 900 looks")
    }

    @Test func `gives one alone its row, or none`() async throws {
        let database = try makeTable(from: 1)
        let (right, wrong, absent) = try await withClient(database.url) { client, _ in
            let reader = BatchedRead(client, question, numbers: [1])
            return (
                await look(reader, 7, with: try digest(7)), await look(reader, 7, with: try digest(8)),
                await look(reader, 999, with: try digest(7))
            )
        }
        #expect(try right.get() == 7)
        #expect(try wrong.get() == nil)
        #expect(try absent.get() == nil)
    }

    @Test func `fails for everybody in it, and works again after that`() async throws {
        let database = try makeTable(from: 0)
        let (failures, after) = try await withClient(database.url) { client, reactor in
            let reader = BatchedRead(client, question, numbers: [1])
            var failures: [PostgresError.Code?] = []
            var tasks: [Task<Void, Never>] = []
            for number in 0...2 {
                let proof = try digest(number)
                tasks.append(
                    reactor.startTask {
                        guard case .failure(let error) = await look(reader, number, with: proof) else { return }
                        failures.append(error.code)
                    }
                )
            }
            for task in tasks { await task.value }
            return (failures, await look(reader, 2, with: try digest(2)))
        }
        #expect(failures == [PostgresError.Code?](repeating: .rejected(sqlState: "22012"), count: 3))
        #expect(try after.get() == 2)
    }

    @Test func `is refused at once without a connection`() async throws {
        let database = try makeTable(from: 1)
        let answer = try await withClient(database.url) { client, _ in
            let reader = BatchedRead(client, question, numbers: [1])
            client.close()
            return await look(reader, 4, with: try digest(4))
        }
        let error = #expect(throws: PostgresError.self) { try answer.get() }
        #expect(error?.code == .unavailable)
    }

    @Test func `ends with its connection, and has changed nothing`() async throws {
        let database = try makeTable(from: 1)
        let codes = try await withClient(database.url) { client, reactor in
            let reader = BatchedRead(client, question, numbers: [1])
            let proofs = [try digest(3), try digest(4)]
            var codes: [PostgresError.Code] = []
            let tasks = (0..<2).map { index in
                reactor.startTask {
                    guard case .failure(let error) = await look(reader, index + 3, with: proofs[index]) else { return }
                    codes.append(error.code)
                }
            }
            client.close()
            for task in tasks { await task.value }
            return codes
        }
        #expect(codes == [.unavailable, .unavailable])
    }
}
