import Cryptography
import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON

/// A request on its way, put aside for a while.
struct DeviceCheckPause: Sendable {
    let request: SimulatorRequest
    let route: DeviceCheckRoute
    /// `nil` where the request waits for others alone.
    let fault: Fault?
    /// What it asks for, once it has been checked.
    var checked: CheckedRequest?
    /// Its number among those that wait for each other.
    var ticket: Int?
    var entry: DeviceCheckEntry
}

extension DeviceCheckPause {
    /// What is wrong with the new receipt on purpose.
    var receiptFlaw: ReceiptFlaw? {
        guard route.operation == .attestationData, case .refusal(200, let word?)? = fault?.kind else { return nil }
        return ReceiptFlaw(rawValue: word)
    }
}

/// What happens next with a request to the service.
typealias DeviceCheckStep = SimulatorStep<DeviceCheckPause>

extension DeviceCheckModel {
    /// How long a request waits before it looks for the others.
    private static let poll = Duration.milliseconds(5)

    /// Answers a request that is not for the control interface.
    mutating func receive(_ request: SimulatorRequest) -> DeviceCheckStep {
        let entry = DeviceCheckEntry(request, DeviceCheckRoute(request.path), at: now)
        guard let route = DeviceCheckRoute(request.path) else { return log(entry, SimulatorAnswer(404)) }
        let fault = faults.take(route.operation.rawValue, byNameOnly: false, account: route.environment.rawValue)
        let pause = DeviceCheckPause(request: request, route: route, fault: fault, entry: entry)
        guard let fault, fault.delay > .zero else { return begin(pause) }
        return .pause(fault.delay, pause)
    }

    /// Goes on with a request that has waited.
    mutating func resume(_ pause: DeviceCheckPause, at real: WallTime) -> DeviceCheckStep {
        moveTo(real)
        guard let checked = pause.checked else { return begin(pause) }
        guard let ticket = pause.ticket, let index = holds.firstIndex(where: { $0.has(ticket) }) else {
            return hold(pause, checked)
        }
        guard holds[index].release(ticket, at: realTime) else { return .pause(Self.poll, pause) }
        if holds[index].isOpen, holds[index].count == 0 { holds.remove(at: index) }
        return end(pause, checked)
    }

    // MARK: Stages

    private mutating func begin(_ pause: DeviceCheckPause) -> DeviceCheckStep {
        var pause = pause
        pause.entry.fault = pause.fault?.kind.name
        switch pause.fault?.kind {
        case .resetBefore: return log(pause.entry, SimulatorAnswer(0), .nothing)
        case .refusal(let status, let reason) where pause.receiptFlaw == nil:
            let answer = misanswer(status, reason, pause)
            return log(pause.entry, answer)
        case .htmlBody(.some(let status)): return log(pause.entry, .gatewayPage(status))
        default: break
        }
        do throws(DeviceCheckRefusal) {
            let checked = try check(pause.request, pause.route, &pause.entry)
            pause.checked = checked
            let processing = pause.fault?.processing ?? .zero
            return processing > .zero ? .pause(processing, pause) : hold(pause, checked)
        } catch {
            return end(pause, state.rules.answer(error))
        }
    }

    /// Waits for others, where a tester wants that.
    private mutating func hold(_ pause: DeviceCheckPause, _ checked: CheckedRequest) -> DeviceCheckStep {
        holds.removeAll { $0.deadline <= realTime && $0.count == 0 }
        let index = holds.firstIndex {
            !$0.isOpen && $0.device == checked.device && $0.operation == pause.route.operation
        }
        guard pause.ticket == nil, let index else { return end(pause, checked) }
        var pause = pause
        let ticket = heldRequests
        heldRequests += 1
        pause.ticket = ticket
        holds[index].add(ticket)
        return .pause(Self.poll, pause)
    }

    private mutating func end(_ pause: DeviceCheckPause, _ checked: CheckedRequest) -> DeviceCheckStep {
        guard case .exchange(let receipt, let bytes) = checked.order else { return end(pause, carryOut(checked)) }
        return end(pause, exchange(receipt, for: bytes, pause.receiptFlaw))
    }

    private mutating func end(_ pause: DeviceCheckPause, _ answer: SimulatorAnswer) -> DeviceCheckStep {
        var answer = answer
        let delivery = pause.fault?.spoil(&answer) ?? .whole
        return log(pause.entry, answer, delivery)
    }

    /// Writes an answer down, with the ids by which the vendor finds it.
    private mutating func log(
        _ entry: DeviceCheckEntry,
        _ answer: SimulatorAnswer,
        _ delivery: SimulatorDelivery = .whole
    ) -> DeviceCheckStep {
        var (entry, answer) = (entry, answer)
        entry.note(answer)
        calls.add(entry)
        let ids = [
            ("x-apple-request-uuid", mint.uuid()), ("x-apple-jingle-correlation-key", mint.token()),
            ("x-b3-traceid", String(mint.token().prefix(16))), ("x-responding-instance", "devicecheck:simulator"),
        ]
        answer.fields += ids.map { SimulatorAnswer.Field(name: $0.0, value: $0.1) }
        return .answer(answer, delivery)
    }

    // MARK: Effects

    private mutating func carryOut(_ checked: CheckedRequest) -> SimulatorAnswer {
        let key = TwoBitsKey(device: checked.device, team: checked.team.octets, environment: checked.environment)
        switch checked.order {
        case .validate, .exchange: return SimulatorAnswer(200)
        case .query:
            guard let bits = state.bits[key] else { return state.rules.neverSet }
            return SimulatorAnswer(200, [("content-type", "application/json")], body: bits.json.bytes)
        case .update(let bit0, let bit1):
            let old = state.rules.absentBit == .keep ? state.bits[key] : nil
            state.bits[key] = TwoBits(
                bit0: bit0 ?? old?.bit0 ?? false,
                bit1: bit1 ?? old?.bit1 ?? false,
                month: Self.month(of: now)
            )
            return SimulatorAnswer(200)
        }
    }

    /// The month of a time, UTC, as `2026-11`.
    static func month(of time: WallTime) -> String { String(CalendarDate(time).extendedText.prefix(7)) }

    /// The answer to a request for a newer receipt.
    mutating func exchange(
        _ receipt: IssuedReceipt,
        for bytes: [UInt8],
        _ flaw: ReceiptFlaw?
    ) -> SimulatorAnswer {
        let metric = state.devices[receipt.device - 1].risk(in: receipt.environment, at: now) ?? 0
        let pause = Duration.seconds(state.rules.receiptPause)
        var order = ReceiptOrder(
            app: receipt.app,
            isDevelopment: receipt.environment == .development,
            clientDataHash: receipt.clientDataHash,
            riskMetric: metric
        )
        order.pause = pause
        do throws(CryptographyError) {
            let leaf = AppAttestAuthority.leaf(ofReceipt: bytes) ?? []
            let made = try authority().receipt(of: leaf, order, now: realTime, flaw: flaw)
            state.receipts.add(made, receipt.next(at: now, pause: pause))
            let text = Array(Base64.encode(made).utf8)
            return SimulatorAnswer(200, [("content-type", "base64")], body: text)
        } catch {
            return state.rules.answer(.serverError)
        }
    }
}
