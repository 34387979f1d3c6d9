import Postgres
import Primitives
import StrictJSON

/// Keeps pushes that are to be sent in PostgreSQL, over the connection for upkeep; none of it waits for a locked row, but `drop`.
///
/// Not `Sendable`: one per loop, with the loop's client.
final class PushStore {
    private let client: PostgresClient

    init(_ client: PostgresClient) { self.client = client }

    /// Until something of a type is due; `nil` where nothing waits.
    func next(_ passType: String) async throws(StoreError) -> Duration? {
        try await client.work(PushStatement.next(passType)).single().map { .milliseconds($0) }
    }

    func claim(
        _ passType: String,
        as claim: UUIDBytes,
        limit: Int,
        lease: Duration
    ) async throws(StoreError) -> [PushJob] {
        try await client.work(PushStatement.claim(passType, claim, limit, lease)).all()
    }

    /// Writes down what became of pushes.
    ///
    /// - Returns: Those that could not be written down now, as their rows were locked.
    func settle(_ settled: [SettledPush]) async throws(StoreError) -> [SettledPush] {
        let text = JSONValue.array(settled.enumerated().map { $1.json($0) }).description
        let busy = try await client.work(PushStatement.settle(text), isLastStep: true).all()
        return busy.compactMap { settled.indices.contains($0) ? settled[$0] : nil }
    }

    /// Takes a phone away, unless it has another token than the one that was pushed to.
    func drop(_ job: PushJob, pause: Duration) async throws(StoreError) -> Bool {
        // The next moment that the database knows: a token that was stored then is another one.
        let after = WallTime(microseconds: job.tokenStored.microseconds + 1)
        let call = PushStatement.drop(job.device, job.passType, job.claim, after, pause.wholeMilliseconds)
        return try await client.work(call, isLastStep: true).single() ?? false
    }

    func backlog(_ passType: String) async throws(StoreError) -> PushBacklog {
        try await client.work(PushStatement.backlog(passType)).first()
    }
}

/// What became of a push.
struct SettledPush: Sendable {
    let job: PushJob
    /// Whether nothing more is to be sent, unless something has changed meanwhile.
    let isEnded: Bool
    /// Whether the answer asked for patience.
    let counts: Bool
    /// Before that nothing goes out.
    let pause: Duration
    let status: Int?
    let reason: String?

    fileprivate func json(_ place: Int) -> JSONValue {
        [
            "n": JSONValue(place), "device": .string(job.device), "type": .string(job.passType),
            "claim": .string(job.claim.description), "pause": JSONValue(pause.wholeMilliseconds),
            "ended": .bool(isEnded), "counts": .bool(counts), "status": status.map { JSONValue($0) } ?? .null,
            "reason": JSONValue(reason),
        ]
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var wholeMilliseconds: Int { Int(wholeNanoseconds / 1_000_000) }
}
