import EventIO
import HTTPCore
import Primitives

/// Sends octets as they are, and takes everything that comes until the other side closes.
///
/// No client in between can change a capital, fold a blank or clean a path up.
final class RawCall: ReadinessHandler {
    private let reactor: Reactor
    private let descriptor: Descriptor
    private var registration: Registration?
    private var unsent: [UInt8]
    private var received: [UInt8] = []
    private var failure: IOError?
    private var hasEnded = false
    private var waiting: Suspension<Void>?

    /// Asks once.
    ///
    /// - Parameters:
    ///   - octets: A whole request that asks for the connection to be closed.
    ///   - address: Where to.
    ///   - reactor: Of the loop of the caller.
    /// - Returns: The whole answer.
    /// - Throws: How the connection failed.
    static func send(_ octets: [UInt8], to address: SocketAddress, _ reactor: Reactor) async throws -> [UInt8] {
        let call = try RawCall(octets, to: address, reactor)
        defer { call.close() }
        while !call.hasEnded { await suspend { call.waiting = $0 } }
        if let failure = call.failure { throw failure }
        return call.received
    }

    private init(_ octets: [UInt8], to address: SocketAddress, _ reactor: Reactor) throws {
        self.reactor = reactor
        unsent = octets
        descriptor = try Socket.connect(to: address)
        registration = try reactor.add(
            descriptor.raw,
            interest: [.readable, .writable],
            trigger: .edge,
            handler: self
        )
    }

    func ready(_ readiness: Readiness) {
        do throws(IOError) {
            while !unsent.isEmpty, case .done(let count) = try Socket.send(descriptor, unsent.span) {
                unsent.removeFirst(count)
            }
            while case .done(let count) = try Socket.receive(descriptor, appendingTo: &received, limit: 65_536) {
                guard count > 0 else {
                    hasEnded = true
                    break
                }
            }
        } catch {
            failure = error
            hasEnded = true
        }
        let suspension = waiting
        waiting = nil
        suspension?.resume()
    }

    private func close() {
        if let registration { reactor.remove(registration) }
        registration = nil
    }
}

/// The status and the content of an answer in octets.
struct RawAnswer {
    let status: Int
    let head: String
    let body: [UInt8]

    init(_ octets: [UInt8]) {
        let end: [UInt8] = [13, 10, 13, 10]
        let index = octets.firstRange(of: end)?.upperBound ?? octets.endIndex
        head = String(decoding: octets[..<index], as: UTF8.self)
        status = Int(head.dropFirst(9).prefix(3)) ?? 0
        body = Array(octets[index...])
    }
}
