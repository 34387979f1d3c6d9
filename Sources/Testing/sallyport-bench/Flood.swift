import EventIO
import Primitives

/// Sends requests at a rate of its own, whether or not the answers keep up, and sorts what comes back by status.
///
/// One connection carries one request at a time. Where all are busy a request waits for one; that wait is not counted as the
/// server's, but what was not sent in the end is reported.
final class Flood {
    /// What to send.
    struct Plan: Sendable {
        /// Requests a second; 0 for as many as the connections carry.
        let rate: Int
        let connections: Int
        let seconds: Int
        let address: SocketAddress
        /// The bytes of each request in turn.
        let requests: [[UInt8]]
    }

    let plan: Plan
    let reactor: Reactor
    private(set) var tally = FloodTally()
    private var idle: [FloodConnection] = []
    private var connections: [FloodConnection] = []
    private var taken = 0
    private var due = 0.0
    private var start = MonotonicTime(nanoseconds: 0)
    private var isOver = false

    init(_ reactor: Reactor, _ plan: Plan) {
        self.reactor = reactor
        self.plan = plan
    }

    /// Runs to the end and returns the tally as JSON.
    func run() async throws -> String {
        for _ in 0..<plan.connections {
            let connection = FloodConnection(self)
            try connection.open()
            connections.append(connection)
        }
        await reactor.sleep(for: .milliseconds(300))
        idle = connections
        start = reactor.now
        let end = start + .seconds(plan.seconds)
        while reactor.now < end {
            sendWhatIsDue()
            await reactor.sleep(for: .milliseconds(1))
        }
        isOver = true
        // What is under way may still be answered.
        let patience = reactor.now + .seconds(15)
        while idle.count < connections.count, reactor.now < patience { await reactor.sleep(for: .milliseconds(5)) }
        tally.unanswered = connections.count - idle.count
        for connection in connections { connection.close() }
        return tally.json(seconds: Double(plan.seconds))
    }

    /// A connection has nothing to do.
    func free(_ connection: FloodConnection) {
        idle.append(connection)
        if plan.rate == 0 { sendWhatIsDue() }
    }

    /// An answer came.
    func answered(_ status: Int, after duration: Duration, retryAfter: Bool) {
        tally.count(status, duration, retryAfter: retryAfter, second: Int((reactor.now - start) / .seconds(1)))
    }

    /// A connection broke.
    func broke() {
        tally.broken += 1
    }

    private func sendWhatIsDue() {
        guard !isOver else { return }
        let goal = plan.rate == 0 ? Int.max : Int((reactor.now - start) / .seconds(1) * Double(plan.rate))
        // What could not be sent for a quarter of a second is not made up for: the load is twice, not a burst behind.
        if plan.rate > 0, goal - taken > plan.rate / 4 {
            tally.unsent += goal - taken - plan.rate / 4
            taken = goal - plan.rate / 4
        }
        while taken < goal, let connection = idle.popLast() {
            connection.send(plan.requests[taken % plan.requests.count])
            taken += 1
        }
    }
}

extension Flood.Plan {
    /// Asks for tickets at the clear listener of this machine.
    init(issuingAt rate: Int, _ connections: Int, _ seconds: Int, port: UInt16) {
        let body = "client=iosApp&hd8=1&hd10=1"
        let head = """
            POST /secureWebviewSession HTTP/1.1\r\nHost: localhost:\(port)\r\n\
            Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n\r\n
            """
        self.rate = rate
        self.connections = connections
        self.seconds = seconds
        address = SocketAddress(v4: 0x7F00_0001, port: port)
        requests = [Array((head + body).utf8)]
    }
}

/// What came back.
struct FloodTally {
    var unsent = 0
    var unanswered = 0
    var broken = 0
    private var statuses: [Int: Int] = [:]
    private var withoutRetryAfter = 0
    private var served: [UInt32] = []
    private var refused: [UInt32] = []
    private var perSecond: [Int: Int] = [:]

    mutating func count(_ status: Int, _ duration: Duration, retryAfter: Bool, second: Int) {
        statuses[status, default: 0] += 1
        let micros = UInt32(clamping: duration.wholeNanoseconds / 1000)
        if status == 503 {
            refused.append(micros)
            if !retryAfter { withoutRetryAfter += 1 }
        } else {
            served.append(micros)
            perSecond[second, default: 0] += 1
        }
    }

    /// One line.
    func json(seconds: Double) -> String {
        let counts = statuses.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
        let rates = (0..<Int(seconds)).map { "\(perSecond[$0] ?? 0)" }.joined(separator: ",")
        return """
            {"statuses":{\(counts)},"unsent":\(unsent),"unanswered":\(unanswered),"broken":\(broken),\
            "without_retry_after":\(withoutRetryAfter),"rate":\(Double(served.count) / seconds),\
            "served":\(FloodTally.percentiles(served)),"refused":\(FloodTally.percentiles(refused)),\
            "per_second":[\(rates)]}
            """
    }

    private static func percentiles(_ values: [UInt32]) -> String {
        let sorted = values.sorted()
        func at(_ share: Double) -> Double {
            sorted.isEmpty ? 0 : Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]) / 1000
        }
        return "{\"p50\":\(at(0.5)),\"p99\":\(at(0.99)),\"max\":\(at(1))}"
    }
}
