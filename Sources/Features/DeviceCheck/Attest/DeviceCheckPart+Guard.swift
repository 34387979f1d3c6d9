import Cryptography
import DeviceAttestation
import EventIO
import Postgres
package import Primitives
import ServerCore
package import ServiceAPI
package import Web

// Requests of apps that have to be signed by a key of their account, on the routes of app_attest.required.

extension DeviceCheckPart: AppGuard {
    package var refusals: [FailureCode] { FailureCode.ofAssertions }

    /// Whether the settings name a route.
    package func guards(_ route: String) -> Bool {
        process.settings.attest.required.contains { $0.octets == route.octets }
    }

    package func admit(_ request: AppRequest, of account: UUIDBytes?) async throws(Failure) {
        let isStranger = account == nil
        if isStranger, let wait = process.strangers.wait(request.client, at: loop.reactor.now) {
            throw Failure(.rateLimited, retryAfter: wait)
        }
        let verdict = try await judge(request, of: account)
        attestMetrics?.countAssertion(verdict.word)
        guard let refusal = verdict.refusal else { return }
        // An account's requests are counted already.
        if isStranger { process.strangers.count(request.client, at: loop.reactor.now) }
        throw refusal
    }

    /// Takes two statements and one verification: the first finds the key, the second uses challenge and counter up.
    private func judge(_ request: AppRequest, of account: UUIDBytes?) async throws(Failure) -> AssertionVerdict {
        guard let text = request.proof else { return .missing }
        guard let shown = ShownAssertion(text) else { return .refused(.form) }
        let find = AttestStatement.key(shown.keyID, process.settings.attest.environment.rawValue, account)
        guard let stored = try await Failure.mapErrors({ try await loop.database.read(find).single() }),
            let key = AttestedKey(point: stored.point),
            let app = process.settings.attest.apps.first(where: { $0.text.octets == stored.app.octets })
        else { return .unknownKey }
        let asserted = AssertedRequest(
            method: request.method,
            target: request.target,
            body: request.body,
            challenge: shown.challenge
        )
        let assertion: AppAssertion
        do throws(AttestRefusal) {
            assertion = try AppAssertion.verify(
                shown.object,
                clientDataHash: asserted.clientDataHash,
                key: key,
                app: app
            )
        } catch {
            return .refused(error)
        }
        let use = AttestStatement.use(stored.account, digest(shown.challenge), shown.keyID, Int64(assertion.counter))
        return .used(try await Failure.mapErrors { try await loop.database.write(use, key: stored.account).first() })
    }
}

/// What an app shows of a request: `KEY CHALLENGE ASSERTION`, each separated by a blank.
struct ShownAssertion {
    let keyID: Digest32
    let challenge: String
    let object: [UInt8]

    /// What stands in the field; `nil` for another form.
    init?(_ text: String) {
        guard text.utf8.count <= ShownAssertion.longest else { return nil }
        let parts = text.octets.parts(between: UInt8(ascii: " "))
        guard parts.count == 3, let id = Digest32(base64: parts[0]), (1...100).contains(parts[1].utf8.count),
            let bytes = Base64.decode(parts[2])
        else { return nil }
        (keyID, challenge, object) = (id, parts[1], bytes)
    }

    /// Of a field; what is longer holds no assertion of any system.
    private static let longest = 150 + AppAssertion.greatestSize / 3 * 4
}

/// What became of a request that needs an assertion.
enum AssertionVerdict {
    case missing
    case unknownKey
    case refused(AttestRefusal)
    case used(AttestUse)

    /// For the metrics.
    var word: String {
        switch self {
        case .missing: "missing"
        case .unknownKey: "unknown_key"
        case .refused(let step): step.rawValue
        case .used(let use): use.rawValue
        }
    }

    /// `nil` for one that is let in.
    var refusal: Failure? {
        switch self {
        case .missing: Failure(.assertionRequired)
        case .unknownKey: Failure(.attestKeyUnknown)
        case .refused(let step): Failure(.assertionRefused, at: step)
        case .used(.challenge): Failure(.attestChallengeGone)
        case .used(.counter): Failure(.assertionOvertaken)
        case .used(.passed): nil
        }
    }
}
