import Cryptography
import DeviceAttestation
import EventIO
import HTTPCore
import Operations
import Postgres
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import Telemetry
import Web

// How an app comes to a key that is known here, bound to its account.

extension DeviceCheckPart {
    /// The two routes that lead to a key; no guard stands before them.
    static let attestRoutes = [
        ServiceRoute<DeviceCheckPart>(.makeAttestChallenge) { call throws(Failure) in
            try await call.part.makeChallenge(call)
        },
        ServiceRoute(.attestKey) { call throws(Failure) in try await call.part.attest(call) },
    ]

    /// Gives an app something fresh to sign; a hash of it is kept.
    private func makeChallenge(_ call: ServiceCall<DeviceCheckPart>) async throws(Failure) -> ServiceAnswer {
        let text = Base64URL.encode(loop.reactor.random.bytes(32))
        let account = try call.account
        let statement = AttestStatement.challenge(account, digest(text), process.settings.attest.challengeLife)
        let end = try await Failure.mapErrors { try await loop.database.write(statement, key: account).first() }
        return ServiceAnswer(
            .ok,
            ["object": "attestChallenge", "challenge": .string(text), "expiresAt": JSONValue(time: end)]
        )
    }

    private func attest(_ call: ServiceCall<DeviceCheckPart>) async throws(Failure) -> ServiceAnswer {
        guard let verifier = process.attest else { throw Failure(.notFound) }
        let (account, shown) = (try call.account, try ShownAttestation(call.body()))
        let challenge = digest(shown.challenge)
        let now = call.now
        // Three signatures and two certificates are verified: some milliseconds, during which the loop answers others.
        let verdict = try await process.workers.run(.bulk) { () -> Result<AppAttestation, AttestRefusal> in
            Result { () throws(AttestRefusal) in
                try verifier.verify(shown.object, keyID: shown.keyID, clientDataHash: challenge.bytes, at: now)
            }
        }
        let attested: AppAttestation
        switch verdict {
        case .success(let found): attested = found
        case .failure(let refusal): throw refuse(refusal, of: account)
        }
        let statement = AttestStatement.bind(
            account,
            challenge,
            shown.keyID,
            attested.key.point,
            attested.receipt,
            attested.app.text,
            attested.environment.rawValue,
            attested.category.map { Int32($0.rawValue) }
        )
        let outcome = try await Failure.mapErrors { try await loop.database.write(statement, key: account).first() }
        attestMetrics?.countAttestation(outcome.rawValue)
        switch outcome {
        case .bound: break
        case .challenge: throw Failure(.attestChallengeGone, field: "challenge")
        case .taken: throw Failure(.attestKeyTaken, field: "keyId")
        case .closed: throw Failure(.notFound)
        }
        return ServiceAnswer(
            .ok,
            [
                "object": "attestedKey", "accountId": .string(account.description),
                "keyId": .string(Base64.encode(shown.keyID.bytes)), "app": .string(attested.app.text),
                "environment": .string(attested.environment.rawValue),
            ]
        )
    }

    /// Counts a refused attestation and writes it down, for an operator who looks at why apps are refused after a release.
    private func refuse(_ refusal: AttestRefusal, of account: UUIDBytes) -> Failure {
        attestMetrics?.countAttestation(refusal.rawValue)
        if let unwritten = attestLines.take(at: loop.reactor.now) {
            var fields = [LogField("step", refusal.rawValue), LogField("account", account.description)]
            if unwritten > 0 { fields.append(LogField("unwritten", unwritten)) }
            loop.logger.info("app_attest.refused", fields)
        }
        return Failure(.attestationRefused, at: refusal)
    }

    /// What is kept of a challenge, and what an attestation signs.
    func digest(_ challenge: String) -> Digest32 { SHA256.digest(of: Array(challenge.utf8)) }
}

/// What an app shows of a new key.
struct ShownAttestation: Sendable {
    let keyID: Digest32
    let object: [UInt8]
    let challenge: String

    /// The members of a request.
    init(_ reader: JSONReader) throws(Failure) {
        var body = reader
        let (key, object, challenge) = try Failure.reading { () throws(JSONRefusal) in
            let said = (try body.text("keyId"), try body.text("attestation"), try body.text("challenge"))
            try body.end()
            return said
        }
        guard let id = Digest32(base64: key) else { throw Failure(.invalidRequest, field: "keyId") }
        guard let bytes = Base64.decode(object), !bytes.isEmpty else {
            throw Failure(.invalidRequest, field: "attestation")
        }
        (keyID, self.object, self.challenge) = (id, bytes, challenge)
    }
}

extension Digest32 {
    /// A digest in Base64 with padding, as systems name keys.
    init?(base64 text: String) {
        guard text.utf8.count == 44, let bytes = Base64.decode(text) else { return nil }
        self.init(bytes.span)
    }
}
