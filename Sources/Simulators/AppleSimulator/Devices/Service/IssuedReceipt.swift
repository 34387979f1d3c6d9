import Cryptography
import Primitives
import SimulatorCore

/// A receipt that was given out: what is known of the key that it is about.
struct IssuedReceipt: Sendable {
    let device: Int
    let environment: DeviceEnvironment
    /// `TEAM.BUNDLE`.
    let app: String
    let clientDataHash: [UInt8]
    /// Before this time there is no newer one; by the simulated clock, as the other.
    let notBefore: WallTime
    let expiresAt: WallTime

    /// That of an attestation, which can be exchanged at once.
    init(_ order: AttestOrder, in environment: DeviceEnvironment, on device: Int, at now: WallTime) {
        self.init(
            device: device,
            environment: environment,
            app: order.app,
            clientDataHash: order.clientDataHash,
            notBefore: now,
            expiresAt: now + ReceiptOrder.life
        )
    }

    private init(
        device: Int,
        environment: DeviceEnvironment,
        app: String,
        clientDataHash: [UInt8],
        notBefore: WallTime,
        expiresAt: WallTime
    ) {
        (self.device, self.environment, self.app) = (device, environment, app)
        (self.clientDataHash, self.notBefore, self.expiresAt) = (clientDataHash, notBefore, expiresAt)
    }

    /// The one that is given for it.
    func next(at now: WallTime, pause: Duration) -> IssuedReceipt {
        IssuedReceipt(
            device: device,
            environment: environment,
            app: app,
            clientDataHash: clientDataHash,
            notBefore: now + pause,
            expiresAt: now + ReceiptOrder.life
        )
    }
}

/// The receipts of a run, by their digests.
struct IssuedReceipts: Sendable {
    private var receipts: [String: IssuedReceipt] = [:]
    private var order = FIFOEviction(capacity: 20_000)

    /// Keeps one in mind.
    mutating func add(_ bytes: [UInt8], _ receipt: IssuedReceipt) {
        let key = Self.key(of: bytes)
        receipts[key] = receipt
        if let oldest = order.add(key) { receipts[oldest] = nil }
    }

    /// What is known of a receipt; `nil` for one that was not given out here.
    subscript(_ bytes: [UInt8]) -> IssuedReceipt? { receipts[Self.key(of: bytes)] }

    private static func key(of bytes: [UInt8]) -> String { Hex.encode(SHA256.digest(of: bytes).bytes) }
}
