import Cryptography
import Primitives
import SimulatorCore

/// What a token of a device says to the service; to everybody else it is noise.
struct DeviceToken: Sendable {
    let device: Int
    let team: String
    let environment: DeviceEnvironment
    let issuedAt: WallTime
    /// Requests that were let through with it.
    private var uses: [Use] = []

    private struct Use {
        let operation: DeviceCheckOperation
        let transaction: OctetText
    }

    init(device: Int, team: String, environment: DeviceEnvironment, issuedAt: WallTime) {
        (self.device, self.team, self.environment) = (device, team, environment)
        self.issuedAt = issuedAt
    }

    /// Lets a request through, where the rule allows one more; one that comes again under its id counts once.
    mutating func use(
        for operation: DeviceCheckOperation,
        transaction: String,
        under rule: DeviceCheckRules.Use
    ) throws(DeviceCheckRefusal) {
        let transaction = transaction.octets
        guard !uses.contains(where: { $0.operation == operation && $0.transaction == transaction }) else { return }
        let isOneMore =
            switch rule {
            case .lenient: true
            case .strict: !uses.contains { $0.operation == operation }
            case .once: uses.isEmpty
            }
        guard isOneMore else { throw .badDeviceToken }
        if rule != .lenient { uses.append(Use(operation: operation, transaction: transaction)) }
    }
}

/// The tokens that devices have given out, by their digests.
struct DeviceTokens: Sendable {
    private var tokens: [String: DeviceToken] = [:]
    private var order = FIFOEviction(capacity: 20_000)

    /// Bytes of a token; those of the vendor have about as many.
    private static let size = 2_112

    var isEmpty: Bool { tokens.isEmpty }

    /// Makes a token that nobody can read.
    mutating func add(_ token: DeviceToken, _ mint: inout IdentifierMint) -> String {
        var bytes: [UInt8] = []
        while bytes.count < Self.size { bytes += Array(mint.token().utf8) }
        // Texts of digits would tell that they are none of the vendor's.
        let noise = stride(from: 0, to: Self.size, by: 32).flatMap { start in
            SHA256.digest(of: Array(bytes[start..<start + 32])).bytes
        }
        let key = Self.key(of: noise)
        tokens[key] = token
        if let oldest = order.add(key) { tokens[oldest] = nil }
        return Base64.encode(noise)
    }

    /// The token behind a text; `nil` for any other.
    subscript(_ text: String) -> DeviceToken? {
        get { Base64.decode(text).flatMap { tokens[Self.key(of: $0)] } }
        set {
            guard let bytes = Base64.decode(text) else { return }
            tokens[Self.key(of: bytes)] = newValue
        }
    }

    private static func key(of bytes: [UInt8]) -> String { Hex.encode(SHA256.digest(of: bytes).bytes) }
}
