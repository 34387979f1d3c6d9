import MerchantOrders
import Primitives
import TestKit

/// What a provider holds of one order, as far as money goes, and what a reading of it says.
///
/// Times are whole seconds, as the provider's: several things happen in one of them. A refund does not move the time of its charge.
final class PretendProvider {
    /// A charge as it is.
    struct Charge {
        let id: String
        let amount: Int64
        var state: ObjectState
        var captured: Int64 = 0
        var changed: Int64
    }

    /// A refund as it is.
    struct Refund {
        let id: String
        let charge: String
        let amount: Int64
        var state: ObjectState
        var changed: Int64
    }

    private(set) var charges: [Charge]
    private(set) var refunds: [Refund] = []
    private let permission: String
    private let rig: Rig
    private var seconds: Int64 = 1
    /// Whether what a charge says was given back holds refunds that are under way.
    private let countsInitiated: Bool

    init(_ rig: Rig, permission: String, countsInitiated: Bool) {
        self.rig = rig
        self.permission = permission
        self.countsInitiated = countsInitiated
        charges = [Charge(id: permission + "-C1", amount: 27_996, state: .authorized, changed: 0)]
    }

    /// Lets time pass.
    func pass(seconds: Int) {
        self.seconds += Int64(seconds)
    }

    /// What was taken and given back of a charge when everything under way comes to a good end.
    func sums(of charge: Charge) -> Sums {
        Sums(captured: charge.captured, refunded: returned(charge.id, counting: [.refundInitiated, .refunded]))
    }

    private func returned(_ charge: String, counting states: [ObjectState]) -> Int64 {
        refunds.filter { $0.charge == charge && states.contains($0.state) }.reduce(0) { $0 + $1.amount }
    }

    // MARK: What happens

    /// Takes a sum, or begins to; `nil` where there is nothing to take.
    func capture(_ id: String, _ amount: Int64, isPending: Bool) -> ObservedObject? {
        change(id, from: [.authorized]) { charge in
            charge.state = isPending ? .captureInitiated : .captured
            charge.captured = isPending ? 0 : amount
        }
    }

    /// Lets a charge go.
    func cancel(_ id: String) -> ObservedObject? {
        change(id, from: [.authorized, .authorizationInitiated]) { $0.state = .canceled }
    }

    /// Authorises another sum; one at a time.
    func charge(_ amount: Int64, _ state: ObjectState) -> ObservedObject? {
        guard charges.allSatisfy({ $0.state.isFinal(for: .charge) }) else { return nil }
        let made = Charge(id: "\(permission)-C\(charges.count + 1)", amount: amount, state: state, changed: seconds)
        charges.append(made)
        return reading(made.id)
    }

    /// Gives a sum back.
    func refund(_ charge: String, _ amount: Int64, _ state: ObjectState) -> ObservedObject? {
        guard charges.contains(where: { $0.id == charge && $0.state == .captured }) else { return nil }
        let id = "\(permission)-R\(refunds.count + 1)"
        refunds.append(Refund(id: id, charge: charge, amount: amount, state: state, changed: seconds))
        return reading(id)
    }

    /// A bank decides about one of the things that are under way.
    func decide(_ random: SeededRandom) {
        let isGood = random.below(3) > 0
        if let index = refunds.indices.filter({ refunds[$0].state == .refundInitiated }).randomElement(random) {
            refunds[index].state = isGood ? .refunded : .declined
            refunds[index].changed = seconds
        }
        for charge in charges {
            _ = change(charge.id, from: [.authorizationInitiated]) { $0.state = isGood ? .authorized : .declined }
            _ = change(charge.id, from: [.captureInitiated]) { charge in
                charge.state = isGood ? .captured : .declined
                charge.captured = isGood ? charge.amount : 0
            }
        }
    }

    private func change(_ id: String, from states: [ObjectState], _ body: (inout Charge) -> Void) -> ObservedObject? {
        guard let index = charges.firstIndex(where: { $0.id == id }), states.contains(charges[index].state) else {
            return nil
        }
        body(&charges[index])
        charges[index].changed = seconds
        return reading(id)
    }

    // MARK: What is read

    /// The ids of everything there is.
    var objects: [String] { refunds.map(\.id) + charges.map(\.id) }

    /// An object as it is at the moment.
    func reading(_ id: String) -> ObservedObject? {
        if let refund = refunds.first(where: { $0.id == id }) {
            var seen = rig.refund(id, refund.state, refund.amount, at: refund.changed)
            seen.parent = refund.charge
            return seen
        }
        guard let charge = charges.first(where: { $0.id == id }) else { return nil }
        let captured = charge.state == .captured ? charge.captured : nil
        var seen = rig.charge(id, charge.state, at: charge.changed, captured: captured, amount: charge.amount)
        seen.refunded = yen(returned(id, counting: countsInitiated ? [.refundInitiated, .refunded] : [.refunded]))
        return seen
    }
}

/// What was taken and given back.
struct Sums: Equatable {
    var captured: Int64 = 0
    var refunded: Int64 = 0
}

extension Array {
    /// One of the elements; `nil` where there is none.
    func randomElement(_ random: SeededRandom) -> Element? {
        isEmpty ? nil : self[random.below(count)]
    }
}
