import Cryptography
import Primitives
import SimulatorCore
import StrictJSON

// Keys of the app on phones, as App Attest has them: made, attested by the vendor, used to sign.

extension DeviceCheckModel {
    /// Who attests; its certificates go by the real clock, as servers do.
    mutating func authority() throws(CryptographyError) -> AppAttestAuthority {
        if let made = attestAuthority { return made }
        let made: AppAttestAuthority
        if let roots = configuration.attestRoots {
            made = try AppAttestAuthority(root: roots.attestations, receiptRoot: roots.receipts, now: realTime)
        } else {
            made = try AppAttestAuthority.make(now: realTime)
        }
        attestAuthority = made
        return made
    }

    /// A root in PEM, as verifiers believe it; `nil` for another name.
    mutating func attestRoot(_ name: String) throws(ControlError) -> SimulatorAnswer? {
        let authority: AppAttestAuthority
        do throws(CryptographyError) { authority = try self.authority() } catch { throw .signing(error) }
        let root: IssuedCertificate
        switch name {
        case "root.pem": root = authority.root
        case "receipt-root.pem": root = authority.receiptRoot
        default: return nil
        }
        return SimulatorAnswer(200, [("content-type", "application/x-pem-file")], body: root.certificatePEM)
    }

    // MARK: Keys

    private static let keyLimit = 100

    /// What the app has the phone do with keys; `nil` for another word.
    mutating func attest(
        _ device: SimulatedDevice,
        _ word: String,
        _ body: ControlBody?
    ) throws(ControlError) -> JSONValue? {
        guard let step = AttestCall.Step(rawValue: word) else { return nil }
        guard let app = device.app else { throw ControlError(409, "The app is not installed on this device.") }
        let call = try AttestCall(step, body)
        guard device.isSupported else { return ["supported": false] }
        guard step != .makeKey || app.keys.count < Self.keyLimit else {
            throw ControlError(409, "The app has \(Self.keyLimit) keys.")
        }
        let index = app.keys.firstIndex { $0.name.octets == call.key.octets }
        do throws(CryptographyError) {
            guard step != .makeKey else { return try makeKey(device.number) }
            if let index { return try use(app.keys[index], at: index, device, call) }
        } catch { throw .signing(error) }
        throw ControlError(404, "The app has no such key.")
    }

    private mutating func makeKey(_ device: Int) throws(CryptographyError) -> JSONValue {
        let key = try SimulatedAttestKey.make()
        state.devices[device - 1].app?.keys.append(key)
        return ["supported": true, "keyId": .string(key.name)]
    }

    private mutating func use(
        _ key: SimulatedAttestKey,
        at index: Int,
        _ device: SimulatedDevice,
        _ call: AttestCall
    ) throws(CryptographyError) -> JSONValue {
        guard call.step == .sign else {
            let order = AttestOrder(
                key: key,
                app: attestedApp,
                isDevelopment: device.app?.environment == .development,
                clientDataHash: call.hash,
                extensions: call.extensions
            )
            let flaw = call.flaw.flatMap { AttestationFlaw(rawValue: $0) }
            let object = try authority().attest(order, now: realTime, flaw: flaw)
            let environment = device.app?.environment ?? .production
            state.devices[device.number - 1].noteAttestation(in: environment, at: now)
            if let receipt = AppAttestAuthority.receipt(of: object) {
                state.receipts.add(receipt, IssuedReceipt(order, in: environment, on: device.number, at: now))
            }
            return ["attestation": .string(Base64.encode(object))]
        }
        var key = key
        let object = try key.assert(
            clientDataHash: call.hash,
            app: attestedApp,
            extensions: call.extensions,
            flaw: call.flaw.flatMap { AssertionFlaw(rawValue: $0) }
        )
        state.devices[device.number - 1].app?.keys[index] = key
        return ["assertion": .string(Base64.encode(object)), "counter": JSONValue(Int(key.counter))]
    }

    private var attestedApp: String { configuration.team + "." + configuration.bundleID }
}

extension SimulatedAttestKey {
    /// As the app gives it to its server.
    var name: String { Base64.encode(id.bytes) }
}
