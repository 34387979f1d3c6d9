import Cryptography
import Primitives
import StrictJSON

/// Operations and words of a service that a fault may name.
package struct FaultRules: Sendable {
    /// Valid values of `match.operation`.
    let operations: [String]
    /// The member of `match` that names an account, for example `merchantId`.
    let account: String
    /// The HTTP status of a reason code; `nil` for an unknown one.
    let status: @Sendable (_ reason: String) -> Int?

    /// Rules of a service.
    package init(operations: [String], account: String, status: @escaping @Sendable (_ reason: String) -> Int?) {
        self.operations = operations
        self.account = account
        self.status = status
    }
}

/// Something that shall go wrong on purpose.
package struct Fault: Sendable, Equatable {
    /// The failure that follows the waiting.
    package enum Kind: Sendable, Equatable {
        /// Only the waiting goes wrong.
        case none
        /// An answer instead of the service; nothing takes effect.
        case refusal(status: Int, reason: String?)
        /// The connection ends before the service has seen the request.
        case resetBefore
        /// The connection ends after the effect: it is done and the answer is lost.
        case resetAfter
        /// The answer ends in the middle of its content; the effect is done.
        case truncateBody
        /// A page of some gateway in place of the answer: with a status before the service, without one after the effect.
        case htmlBody(status: Int?)
        /// Half of the content comes at once, the rest much later; the effect is done.
        case slowBody(Duration)
        /// The content is no JSON; the effect is done.
        case badJSON
        /// The content is right, its type is not; the effect is done.
        case wrongContentType

        /// Its word in the log of calls.
        package var name: String {
            switch self {
            case .none: "delay"
            case .refusal: "status"
            case .resetBefore: "resetBefore"
            case .resetAfter: "resetAfter"
            case .truncateBody: "truncateBody"
            case .slowBody: "slowBody"
            case .htmlBody: "htmlBody"
            case .badJSON: "badJson"
            case .wrongContentType: "wrongContentType"
            }
        }
    }

    /// What becomes of a request that waits when its client goes.
    package enum Abandonment: String, Sendable, CaseIterable {
        /// It goes on after its time, as a service does that has not noticed.
        case later
        /// It is lost on its way: the service never sees it.
        case never
        /// It goes on at that moment, for a test that does not want to wait.
        case atOnce
    }

    /// `nil` for every operation that need not be named.
    var operation: String?
    /// `nil` for everybody's requests.
    var account: String?
    /// How many requests it still hits.
    var count = 1
    /// `nil` where it hits every request that fits.
    var probability: Probability?
    /// Before the service has seen the request.
    package var delay: Duration = .zero
    /// Inside the service, between its checks and the effect.
    package var processing: Duration = .zero
    /// What becomes of it when its client goes meanwhile.
    package var abandonment = Abandonment.later
    /// The failure.
    package var kind = Kind.none
    /// The Retry-After field of a refusal.
    package var retryAfter: String?

    /// The fault without its delay, for a request that has waited.
    package var spent: Fault {
        var fault = self
        fault.delay = .zero
        return fault
    }

    /// Spoils the answer of a request that has had its effect.
    ///
    /// - Returns: The part of it that reaches the client.
    package func spoil(_ answer: inout SimulatorAnswer) -> SimulatorDelivery {
        switch kind {
        case .resetAfter: return .nothing
        case .truncateBody: return .half
        case .slowBody(let pause): return .slow(pause)
        case .htmlBody: answer = .gatewayPage(answer.status)
        case .badJSON: answer.body = Array(answer.body.dropLast()) + Array(",}".utf8)
        case .wrongContentType:
            answer.fields.removeAll { $0.name == "content-type" }
            answer.fields.append(.init(name: "content-type", value: "text/html; charset=utf-8"))
        case .none, .refusal, .resetBefore: break
        }
        return .whole
    }
}

extension SimulatorAnswer {
    /// The HTML page of a gateway in front of the service.
    package static func gatewayPage(_ status: Int) -> SimulatorAnswer {
        let page =
            "<html><head><title>\(status)</title></head><body><center><h1>\(status)</h1></center></body></html>\n"
        return SimulatorAnswer(status, [("content-type", "text/html")], body: Array(page.utf8))
    }
}

/// Whether something happens, by a seed: the same seed and the same number of draws give the same answers.
package struct Probability: Sendable, Equatable {
    /// Of a thousand draws so many say yes, on the whole.
    let thousandths: Int
    let seed: String
    private var drawn: UInt64 = 0

    init(thousandths: Int, seed: String) {
        self.thousandths = thousandths
        self.seed = seed
    }

    mutating func draw() -> Bool {
        drawn += 1
        let bytes = SHA256.digest(of: Array("\(drawn) \(seed)".utf8)).bytes
        let word = bytes.prefix(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return word % 1000 < UInt64(thousandths)
    }
}

/// The faults that wait for their request, first come, first served.
package struct FaultQueue: Sendable {
    /// How many may wait.
    package static let capacity = 1000

    /// In the order in which they came.
    package private(set) var waiting: [Fault] = []

    /// Nothing goes wrong.
    package init() {}

    mutating func add(_ faults: [Fault]) {
        waiting.append(contentsOf: faults.prefix(max(0, FaultQueue.capacity - waiting.count)))
    }

    mutating func removeAll() {
        waiting = []
    }

    /// The fault for a request, which counts it down; `nil` where none fits.
    ///
    /// - Parameter byNameOnly: A fault that names no operation leaves it alone.
    package mutating func take(_ operation: String, byNameOnly: Bool, account: String?) -> Fault? {
        let index = waiting.indices.first { index in
            let fault = waiting[index]
            return (fault.operation == operation || (fault.operation == nil && !byNameOnly))
                && (fault.account == nil || fault.account == account)
                && waiting[index].probability?.draw() != false
        }
        guard let index else { return nil }
        let fault = waiting[index]
        waiting[index].count -= 1
        if waiting[index].count <= 0 { waiting.remove(at: index) }
        return fault
    }
}
