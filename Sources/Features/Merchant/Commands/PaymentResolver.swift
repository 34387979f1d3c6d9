import AmazonPay
import Checkout
import EventIO
import HTTPCore
import MerchantAPI
import MerchantOrders
import Postgres
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import Web

/// Carries out what an operator decides about operations that were given up.
struct PaymentResolver {
    let orders: PostgresOrderStore
    let client: PostgresClient
    /// `nil` where nothing is read there.
    let provider: CheckoutClient?
    let trail: OperatorTrail
    let random: any RandomSource
    /// Gets the progress of long work.
    let note: (String) -> Void

    private static let limit = 10_000
    private static let refusal = "that operation was not given up"

    /// Carries a decision out.
    ///
    /// - Throws: What the stores say.
    func carryOut(_ task: PaymentsTask) async throws -> StuckResolver.Outcome {
        let all = try await orders.givenUp(limit: PaymentResolver.limit)
        switch task {
        case .show(let id):
            guard let record = try await orders.record(id) else {
                return StuckResolver.Outcome(complaint: "there is no such operation")
            }
            return StuckResolver.Outcome(lines: [PaymentResolver.value(record).description])
        case .list: return StuckResolver.Outcome(lines: all.map { PaymentResolver.value($0).description })
        case .resumeAll: return try await resumeAll(all)
        case .resume(let id):
            return try await decide("--resume", id, all) { _ in try await reopen(id, lease: .zero) != nil }
        case .end(let id):
            return try await decide("--end", id, all) { _ in
                guard let held = try await reopen(id, lease: .seconds(60)) else { return false }
                let problem = Failure(
                    .providerRefused,
                    message: "An operator has ended the operation.",
                    context: RefusedOperation(id: id)
                )
                let answer = PaymentOperation.answer(problem)
                return try await orders.settle(held, as: .refused("operator", nil, answer))
            }
        case .done(let id, let object):
            return try await conclude(id, object, all)
        }
    }

    private func decide(
        _ option: String,
        _ id: UUIDBytes,
        _ all: [StuckOperation],
        _ body: (StuckOperation) async throws -> Bool
    ) async throws -> StuckResolver.Outcome {
        guard let found = all.first(where: { $0.operation.id == id }) else {
            return StuckResolver.Outcome(complaint: PaymentResolver.refusal)
        }
        var decision = OperatorTrail.Decision(command: "payments \(option)", target: id.description)
        decision.before = PaymentResolver.value(found)
        let isDone = try await trail.record(decision, client, { try await body(found) }, after: { ["done": .bool($0)] })
        guard isDone else { return StuckResolver.Outcome(complaint: PaymentResolver.refusal) }
        let line = JSONValue.object([
            JSONMember("operation", .string(id.description)),
            JSONMember("session", .string(found.operation.order.description)), JSONMember("done", .string(option)),
        ])
        return StuckResolver.Outcome(lines: [line.description])
    }

    private func reopen(_ id: UUIDBytes, lease: Duration) async throws -> PaymentOperation? {
        let attempt = UUIDBytes(version7At: SystemClock().now(), random: random)
        return try await orders.reopen(id, freshAttempt: attempt, lease: lease)
    }

    private func resumeAll(_ all: [StuckOperation]) async throws -> StuckResolver.Outcome {
        var resumed = 0
        for (index, stuck) in all.enumerated() {
            let outcome = try await decide("--resume --all", stuck.operation.id, all) { found in
                try await reopen(found.operation.id, lease: .zero) != nil
            }
            if outcome.complaint == nil { resumed += 1 }
            if (index + 1) % 100 == 0 { note("\(index + 1) of \(all.count)") }
        }
        let line: JSONValue = ["resumed": JSONValue(resumed), "of": JSONValue(all.count)]
        return StuckResolver.Outcome(lines: [line.description])
    }

    // MARK: Done

    private func conclude(
        _ id: UUIDBytes,
        _ name: String,
        _ all: [StuckOperation]
    ) async throws -> StuckResolver.Outcome {
        guard let stuck = all.first(where: { $0.operation.id == id }) else {
            return StuckResolver.Outcome(complaint: PaymentResolver.refusal)
        }
        let object: ObservedObject
        do throws(AmazonPayError) {
            guard let seen = try await read(name) else {
                return StuckResolver.Outcome(complaint: "\(name) is no id of the provider's")
            }
            object = seen
        } catch {
            return StuckResolver.Outcome(complaint: "the provider did not return the object: \(error.description)")
        }
        if let problem = PaymentEvidence.problem(stuck, done: object) {
            return StuckResolver.Outcome(complaint: problem)
        }
        return try await decide("--done", id, all) { _ in
            guard let held = try await reopen(id, lease: .seconds(60)) else { return false }
            let state = object.version.state
            let isPending =
                state == .refundInitiated || state == .captureInitiated || state == .authorizationInitiated
            let answer = PaymentAnswer.make(held, object, isPending: isPending)
            return try await orders.settle(held, as: isPending ? .pending(object, answer) : .done(object, answer))
        }
    }

    private func read(_ name: String) async throws(AmazonPayError) -> ObservedObject? {
        guard let provider else { return nil }
        if let id = RefundID(name) { return ObservedObject(try await provider.refund(id)) }
        if let id = ChargeID(name) { return ObservedObject(try await provider.charge(id)) }
        if let id = ChargePermissionID(name) { return ObservedObject(try await provider.permission(id)) }
        return nil
    }

    private static func value(_ record: OperationRecord) -> JSONValue {
        .object([
            JSONMember("operation", .string(record.operation.id.description)),
            JSONMember("session", .string(record.operation.order.description)),
            JSONMember("kind", .string(record.operation.kind.rawValue)),
            JSONMember("target", .string(record.operation.target)),
            JSONMember("amount", JSONValue(optionalMoney: record.operation.amount)),
            JSONMember("key", .string(record.operation.key)),
            JSONMember("state", .string(record.state)), JSONMember("reason", JSONValue(record.reason)),
            JSONMember("object", JSONValue(record.object)),
            JSONMember("providerRequest", JSONValue(record.providerRequest)),
            JSONMember("began", .string(CalendarDate(record.began).extendedText)),
            JSONMember("ended", JSONValue(record.ended.map { CalendarDate($0).extendedText })),
        ])
    }

    private static func value(_ stuck: StuckOperation) -> JSONValue {
        .object([
            JSONMember("operation", .string(stuck.operation.id.description)),
            JSONMember("session", .string(stuck.operation.order.description)),
            JSONMember("kind", .string(stuck.operation.kind.rawValue)),
            JSONMember("target", .string(stuck.operation.target)),
            JSONMember("amount", JSONValue(optionalMoney: stuck.operation.amount)),
            JSONMember("key", .string(stuck.operation.key)),
            JSONMember("began", .string(CalendarDate(stuck.began).extendedText)),
            JSONMember("givenUp", .string(CalendarDate(stuck.givenUp).extendedText)),
            JSONMember("reason", JSONValue(stuck.reason)),
        ])
    }
}
