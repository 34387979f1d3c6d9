import AmazonPay
import Cryptography
import Primitives
import SimulatorCore

/// Who a request comes from, and whether that is proven.
struct SignatureGate: Sendable {
    struct RegisteredKey: Sendable {
        let merchant: Merchant
        let key: Merchant.PublicKey
        let publicKey: RSAPublicKey
    }

    private let keys: [String: RegisteredKey]
    private let first: RegisteredKey?
    private let verifier: RequestVerifier

    /// A gate for the keys of a configuration; one that cannot be read is unknown.
    init(_ configuration: SimulatorConfiguration) {
        var keys: [String: RegisteredKey] = [:]
        var ids: [String] = []
        for merchant in configuration.merchants {
            for key in merchant.publicKeys where key.isEnabled {
                guard let publicKey = try? RSAPublicKey(pem: Array(key.pem.utf8)) else { continue }
                keys[key.id] = RegisteredKey(merchant: merchant, key: key, publicKey: publicKey)
                ids.append(key.id)
            }
        }
        self.keys = keys
        first = ids.first.flatMap { keys[$0] }
        var verifier = RequestVerifier(
            keys: keys.mapValues { RequestVerifier.Key($0.publicKey, isEnabled: $0.merchant.isActive) }
        )
        verifier.ahead = configuration.dateAhead
        verifier.behind = configuration.dateBehind
        self.verifier = verifier
    }

    /// The key that a request names, whether or not it has signed with it.
    func claimedKey(of request: SimulatorRequest) -> RegisteredKey? {
        guard let authorization = request.first("authorization"),
            let mark = authorization.firstRange(of: "PublicKeyId=")
        else { return nil }
        return keys[String(authorization[mark.upperBound...].prefix { $0 != "," && $0 != " " })]
    }

    /// The sender of a request.
    ///
    /// Without a check it is the merchant that the request names, or the first one. The date of a request is held against the
    /// real clock: merchants do not travel in time with the objects.
    func caller(
        of request: SimulatorRequest,
        _ route: APIRoute,
        mode: SimulatorSwitches.SignatureMode,
        at real: WallTime
    ) throws(APIError) -> Caller {
        let named = mode == .off ? claimedKey(of: request) : try verified(request, mode, at: real)
        guard let known = named ?? (mode == .off ? first : nil) else {
            throw APIError(.invalidAuthentication, "No public key is registered.")
        }
        let environment = try SignatureGate.environment(of: known.key, route, isNamed: named != nil)
        return Caller(merchant: known.merchant, environment: environment)
    }

    private func verified(
        _ request: SimulatorRequest,
        _ mode: SimulatorSwitches.SignatureMode,
        at real: WallTime
    ) throws(APIError) -> RegisteredKey? {
        var verifier = verifier
        verifier.mode = mode == .strict ? .strict : .documented
        let signed = SignedRequest(
            method: request.method,
            path: request.path,
            query: request.query,
            fields: request.fields.map { ($0.name, $0.value) },
            body: request.body
        )
        let keyID: String
        do {
            keyID = try verifier.verify(signed, now: real)
        } catch {
            throw APIError(APIReason(rawValue: error.reason.rawValue) ?? .invalidAuthentication, error.message)
        }
        return keys[keyID]
    }

    private static func environment(
        of key: Merchant.PublicKey,
        _ route: APIRoute,
        isNamed: Bool
    ) throws(APIError) -> ReleaseEnvironment {
        let hasPrefix = ReleaseEnvironment(prefixOf: key.id) != nil
        switch (key.environment, route.environment) {
        case (nil, let named?): return named
        case (let own?, nil) where hasPrefix: return own
        // The prefix names the environment, or the path does.
        case (let own?, let named?) where own == named && !(hasPrefix && isNamed): return own
        default: throw APIError(.resourceNotFound, "The path is not in the environment of the key.")
        }
    }
}

// MARK: - Buttons

extension SignatureGate {
    /// Holds a button's payload to its signature.
    ///
    /// - Throws: `InvalidSignatureError` with everything a developer needs to find the difference.
    func checkButton(
        _ parameters: [String: String],
        _ key: Merchant.PublicKey,
        mode: SimulatorSwitches.SignatureMode
    ) throws(HostedError) {
        guard mode != .off, let payload = parameters["payloadJSON"] else { return }
        let label = parameters["algorithm"] ?? SigningAlgorithm.pss.label
        guard let algorithm = SigningAlgorithm(rawValue: label) else {
            throw HostedError(.invalidParameterValue, [("algorithm", label)])
        }
        guard let signature = parameters["signature"] else {
            throw HostedError(.missingParameterValue, [("message", "signature is missing.")])
        }
        let octets = Array(payload.utf8)
        let known = keys[key.id]?.publicKey
        let isGood =
            known.map {
                ButtonVerifier.isGood(payload: octets, signature: signature, algorithm: algorithm, key: $0)
            } ?? false
        guard isGood else {
            throw HostedError(
                .invalidSignature,
                [
                    ("signature", signature), ("stringToSign", StringToSign(for: octets, algorithm).text),
                    ("merchantId", parameters["merchantId"] ?? ""), ("publicKeyId", key.id),
                ]
            )
        }
    }
}
