import Cryptography
import Primitives
import SimulatorCore

// Receipts of App Attest, which a server exchanges for newer ones that say how many keys a device has had attested.

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

extension DeviceCheckPause {
    /// What is wrong with the new receipt on purpose.
    var receiptFlaw: ReceiptFlaw? {
        guard route.operation == .attestationData, case .refusal(200, let word?)? = fault?.kind else { return nil }
        return ReceiptFlaw(rawValue: word)
    }
}

extension DeviceCheckModel {
    /// Checks a request for a newer receipt, whose content is a receipt in Base64.
    mutating func checkReceipt(
        _ request: SimulatorRequest,
        _ route: DeviceCheckRoute,
        _ entry: inout DeviceCheckEntry
    ) throws(DeviceCheckRefusal) -> CheckedRequest {
        guard request.method.octets == "POST" else { throw .methodNotAllowed }
        // Documented without the word in front of the token; whether the vendor takes it with the word, too, nobody has said.
        let token = BearerToken(request.first("authorization"), mayBeBare: true)
        let team = try BearerToken.team(token, keys: state.keys, now: realTime)
        entry.team = team
        guard let bytes = Base64.decode(String(decoding: request.body, as: UTF8.self)),
            AppAttestAuthority.leaf(ofReceipt: bytes) != nil
        else { throw .badReceipt }
        entry.note(receipt: bytes)
        guard let receipt = state.receipts[bytes], receipt.environment == route.environment,
            receipt.app.octets.starts(with: (team + ".").octets), now < receipt.expiresAt,
            state.devices[receipt.device - 1].risk(in: route.environment, at: now) != nil
        else { throw .noData }
        entry.device = receipt.device
        guard receipt.notBefore <= now else { throw .tooEarly }
        return CheckedRequest(
            device: receipt.device,
            team: team,
            environment: route.environment,
            order: .exchange(receipt, bytes)
        )
    }

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
