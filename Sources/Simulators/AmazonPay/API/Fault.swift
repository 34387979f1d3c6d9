import Cryptography
import Primitives

/// Something that shall go wrong on purpose.
struct Fault: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
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

        var name: String {
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

    /// `nil` for every operation of the API; hosted pages have to be named.
    var operation: String?
    /// `nil` for every merchant.
    var merchantID: String?
    /// How many requests it still hits.
    var count = 1
    /// `nil` where it hits every request that fits.
    var chance: Chance?
    /// Before the service has seen the request.
    var delay: Duration = .zero
    /// Inside the service, between its checks and the effect.
    var processing: Duration = .zero
    var kind = Kind.none
    /// The Retry-After field of a refusal.
    var retryAfter: String?
}

/// Whether something happens, by a seed: the same seed and the same number of draws give the same answers.
struct Chance: Sendable, Equatable {
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
struct FaultQueue: Sendable {
    /// How many may wait.
    static let capacity = 1000

    private(set) var waiting: [Fault] = []

    mutating func add(_ faults: [Fault]) {
        waiting.append(contentsOf: faults.prefix(max(0, FaultQueue.capacity - waiting.count)))
    }

    mutating func removeAll() {
        waiting = []
    }

    /// The fault for a request, which counts it down; `nil` where none fits.
    ///
    /// A hosted page is hit only by a fault that names it.
    mutating func take(_ operation: String, isHosted: Bool, merchantID: String?) -> Fault? {
        let index = waiting.indices.first { index in
            let fault = waiting[index]
            return (fault.operation == operation || (fault.operation == nil && !isHosted))
                && (fault.merchantID == nil || fault.merchantID == merchantID)
                && waiting[index].chance?.draw() != false
        }
        guard let index else { return nil }
        let fault = waiting[index]
        waiting[index].count -= 1
        if waiting[index].count <= 0 { waiting.remove(at: index) }
        return fault
    }
}
