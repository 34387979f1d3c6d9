import Primitives

/// Who a request comes from, and whether that is proven.
struct SignatureGate: Sendable {
    struct RegisteredKey: Sendable {
        let merchant: Merchant
        let key: Merchant.PublicKey
    }

    private let keys: [String: RegisteredKey]
    private let first: RegisteredKey?

    init(_ configuration: SimulatorConfiguration) {
        var keys: [String: RegisteredKey] = [:]
        for merchant in configuration.merchants {
            for key in merchant.publicKeys { keys[key.id] = RegisteredKey(merchant: merchant, key: key) }
        }
        self.keys = keys
        first = configuration.merchants.first.flatMap { merchant in
            merchant.publicKeys.first.map { RegisteredKey(merchant: merchant, key: $0) }
        }
    }

    /// The key that a request names, whether or not it has signed with it.
    func claimedKey(of request: SimulatorRequest) -> RegisteredKey? {
        guard let authorization = request.first("authorization"),
            let mark = authorization.firstRange(of: "PublicKeyId=")
        else { return nil }
        return keys[String(authorization[mark.upperBound...].prefix { $0 != "," && $0 != " " })]
    }

    func caller(
        of request: SimulatorRequest,
        _ route: APIRoute,
        mode: SimulatorSwitches.SignatureMode,
        at now: WallTime
    ) throws(APIError) -> Caller {
        guard let known = claimedKey(of: request) ?? first else {
            throw APIError(.invalidAuthentication, "The public key id is unknown.")
        }
        return Caller(merchant: known.merchant, environment: try SignatureGate.environment(of: known.key, route, mode))
    }

    private static func environment(
        of key: Merchant.PublicKey,
        _ route: APIRoute,
        _ mode: SimulatorSwitches.SignatureMode
    ) throws(APIError) -> ReleaseEnvironment {
        switch (key.environment, route.environment) {
        case (nil, let named?): return named
        case (let own?, nil) where ReleaseEnvironment(prefixOf: key.id) != nil: return own
        case (let own?, let named?) where own == named: return own
        default: throw APIError(.resourceNotFound, "The path is not in the environment of the key.")
        }
    }
}

extension SignatureGate {
    func checkButton(
        _ parameters: [String: String],
        _ merchant: Merchant,
        _ key: Merchant.PublicKey,
        mode: SimulatorSwitches.SignatureMode
    ) throws(HostedError) {}
}
