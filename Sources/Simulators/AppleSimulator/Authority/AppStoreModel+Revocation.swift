import Cryptography
import Primitives
import SimulatorCore
import StrictJSON

// What certificates' responder answers.

extension AppStoreModel {
    /// Whether a request is for the responder that certificates name.
    static func isRevocationRequest(_ request: SimulatorRequest) -> Bool {
        request.path.octets == "/ocsp" && request.method == "POST"
    }

    /// Answers for the state of a certificate, by the real clock.
    mutating func answerRevocation(_ request: SimulatorRequest) -> AppStoreStep {
        let fault = faults.take(AppStoreModel.revocationOperation, byNameOnly: true, account: nil)
        state.revocation.requests += 1
        switch fault?.kind {
        case .resetBefore, .resetAfter: return .answer(SimulatorAnswer(0), .nothing)
        case .refusal(let status, _): return .answer(SimulatorAnswer(status))
        case .htmlBody(let status): return .answer(.gatewayPage(status ?? 200))
        default: break
        }
        do throws(CryptographyError) {
            let type = ("content-type", "application/ocsp-response")
            return .answer(SimulatorAnswer(200, [type], body: try revocationAnswer(to: request.body)))
        } catch {
            return .answer(SimulatorAnswer(500))
        }
    }

    /// The name of its requests for faults.
    static let revocationOperation = "ocsp"

    private mutating func revocationAnswer(to request: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let authority = try authority()
        let (mode, states, time) = (state.revocation.mode, state.revocation.states, realTime)
        switch mode {
        case .tryLater: return try OCSPResponder.answer(.tryLater)
        case .unauthorized: return try OCSPResponder.answer(.unauthorized)
        case .garbage: return Array("not DER".utf8)
        case .normal, .stale, .foreignSigner: break
        }
        let hour = Duration.seconds(3_600)
        let validity =
            mode == .stale
            ? OCSPResponder.Validity(from: time + hour * -48, to: time + hour * -24)
            : OCSPResponder.Validity(from: time + .seconds(-10), to: time + hour * 12)
        return try OCSPResponder.answer(
            to: request,
            issuers: authority.issuers,
            signer: mode == .foreignSigner ? try AppStoreAuthority.makeRoot(now: time) : nil,
            validity: validity
        ) { serial in
            switch states[RevocationService.name(serial)] {
            case .revoked: .revoked(at: time + hour * -1)
            case .unknown: .unknown
            case .good, nil: .good
            }
        }
    }

    /// Calls about the state of certificates.
    mutating func controlRevocation(_ body: ControlBody) throws(ControlError) {
        try body.check([
            .init("mode", .oneOf(RevocationService.Mode.allCases.map(\.rawValue))), .init("certificate", .text(64)),
            .init("status", .oneOf(RevocationService.Word.allCases.map(\.rawValue))),
        ])
        if let word = body.value["mode"]?.text { state.revocation.mode = .init(rawValue: word) ?? .normal }
        guard let word = body.value["status"]?.text.flatMap({ RevocationService.Word(rawValue: $0) }) else { return }
        let chain: [[UInt8]]
        do throws(CryptographyError) { chain = try authority().signer.chain } catch { throw .signing(error) }
        let name = body.value["certificate"]?.text ?? "leaf"
        var serial = Hex.decode(name)
        if let index = ["leaf", "intermediate"].firstIndex(of: name) {
            serial = (try? X509Certificate(chain[index]))?.serialNumber
        }
        guard let serial else {
            throw ControlError("certificate is leaf, intermediate, or a serial number in hexadecimal digits.")
        }
        state.revocation.states[RevocationService.name(serial)] = word == .good ? nil : word
    }
}
