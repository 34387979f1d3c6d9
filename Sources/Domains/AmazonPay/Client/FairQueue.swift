/// For whom a call is made: those who wait for the account's limits are served in turn by it.
package struct CallAsker: Sendable, Hashable {
    private enum Kind: Sendable, Hashable {
        case client
        case merchant
        case program
    }

    private let kind: Kind
    /// The address, or what a merchant's server asks for.
    fileprivate let address: UInt64
    fileprivate let network: UInt64

    /// The program itself: as many of its calls may wait as there are.
    package static let program = CallAsker(.program, address: 0, network: 0)

    /// A client without a key.
    ///
    /// - Parameters:
    ///   - network: A number for its network; those of one network together get the turns of one.
    package static func client(address: UInt64, network: UInt64) -> CallAsker {
        CallAsker(.client, address: address, network: network)
    }

    /// A merchant's server, which asks for many buyers.
    ///
    /// - Parameter session: A number for the session that it asks about.
    package static func merchant(session: UInt64) -> CallAsker {
        CallAsker(.merchant, address: session, network: 0)
    }

    private init(_ kind: Kind, address: UInt64, network: UInt64) {
        self.kind = kind
        self.address = address
        self.network = network
    }

    /// How many calls of the address may wait.
    fileprivate var mostOfAddress: Int { kind == .program ? .max : 4 }

    /// How many calls of the network may wait.
    fileprivate var mostOfNetwork: Int { kind == .client ? 12 : .max }

    /// Whether both are of one network.
    fileprivate func isNeighbour(of other: CallAsker) -> Bool { kind == other.kind && network == other.network }
}

/// A place in the queue of those who wait for a call.
struct CallTicket: Sendable, Hashable {
    let asker: CallAsker
    fileprivate let serial: UInt64
}

/// Those who wait for one kind of call, in the order in which they are served: network after network, in each address after
/// address, in each the oldest.
///
/// So the first call of somebody is behind one call of each network that waits, however many another one has. A call that
/// joins stands behind the first calls of all others: nobody's first call is pushed back. Who waits asks again when the turn
/// has come; who does not do so in time is passed.
struct FairQueue: Sendable {
    private struct Waiter {
        let serial: UInt64
        /// When it asks again.
        var due: Duration

        func isInTime(at now: Duration) -> Bool { now <= due + FairQueue.grace }
    }

    private struct Line {
        let asker: CallAsker
        var waiters: [Waiter]

        func count(before serial: UInt64 = .max, at now: Duration) -> Int {
            waiters.count { $0.isInTime(at: now) && $0.serial < serial }
        }
    }

    private struct Network {
        let asker: CallAsker
        /// The first is served next.
        var lines: [Line]

        func count(at now: Duration) -> Int { lines.reduce(0) { $0 + $1.count(at: now) } }
    }

    /// The first is served next.
    private var networks: [Network] = []
    private var lastSerial: UInt64 = 0

    /// How late somebody may be who waits: a loop that does not turn holds up no other.
    private static let grace = Duration.seconds(1)

    /// How many wait and will ask again in time.
    func count(at now: Duration) -> Int {
        networks.reduce(0) { $0 + $1.count(at: now) }
    }

    /// How many calls are served before one.
    ///
    /// - Parameters:
    ///   - ticket: Its place; `nil` for one that would join now.
    func ahead(of asker: CallAsker, _ ticket: CallTicket?, at now: Duration) -> Int {
        let place = networks.firstIndex { $0.asker.isNeighbour(of: asker) } ?? networks.count
        var rank = 0
        if place < networks.count {
            let lines = networks[place].lines
            let line = lines.firstIndex { $0.asker == asker } ?? lines.count
            let older = line < lines.count ? lines[line].count(before: ticket?.serial ?? .max, at: now) : 0
            rank = FairQueue.turns(before: line, rank: older, lines.map { $0.count(at: now) })
        }
        return FairQueue.turns(before: place, rank: rank, networks.map { $0.count(at: now) })
    }

    /// Lets a call join; `nil` where as many of its address or network wait as may.
    mutating func join(_ asker: CallAsker, due: Duration) -> CallTicket? {
        let place = networks.firstIndex { $0.asker.isNeighbour(of: asker) } ?? networks.count
        if place == networks.count { networks.append(Network(asker: asker, lines: [])) }
        guard networks[place].lines.reduce(0, { $0 + $1.waiters.count }) < asker.mostOfNetwork else { return nil }
        let line = networks[place].lines.firstIndex { $0.asker == asker } ?? networks[place].lines.count
        if line == networks[place].lines.count { networks[place].lines.append(Line(asker: asker, waiters: [])) }
        guard networks[place].lines[line].waiters.count < asker.mostOfAddress else { return nil }
        lastSerial += 1
        networks[place].lines[line].waiters.append(Waiter(serial: lastSerial, due: due))
        return CallTicket(asker: asker, serial: lastSerial)
    }

    /// Notes that a call asks again later.
    mutating func postpone(_ ticket: CallTicket, until due: Duration) {
        guard let (place, line, index) = find(ticket) else { return }
        networks[place].lines[line].waiters[index].due = due
    }

    /// Takes a call out; its address and its network go behind the others where it was served.
    mutating func leave(_ ticket: CallTicket, isServed: Bool) {
        guard let (place, line, index) = find(ticket) else { return }
        networks[place].lines[line].waiters.remove(at: index)
        if networks[place].lines[line].waiters.isEmpty {
            networks[place].lines.remove(at: line)
        } else if isServed {
            networks[place].lines.append(networks[place].lines.remove(at: line))
        }
        if networks[place].lines.isEmpty {
            networks.remove(at: place)
        } else if isServed {
            networks.append(networks.remove(at: place))
        }
    }

    private func find(_ ticket: CallTicket) -> (network: Int, line: Int, index: Int)? {
        guard let place = networks.firstIndex(where: { $0.asker.isNeighbour(of: ticket.asker) }),
            let line = networks[place].lines.firstIndex(where: { $0.asker == ticket.asker }),
            let index = networks[place].lines[line].waiters.firstIndex(where: { $0.serial == ticket.serial })
        else { return nil }
        return (place, line, index)
    }

    /// How many turns there are before one, where each of several has one after the other.
    ///
    /// - Parameters:
    ///   - index: Whose turn; behind the last for one who joins.
    ///   - rank: How many of its own come before.
    private static func turns(before index: Int, rank: Int, _ counts: [Int]) -> Int {
        var turns = rank
        for (other, count) in counts.enumerated() where other != index {
            turns += min(count, other < index ? rank + 1 : rank)
        }
        return turns
    }
}
