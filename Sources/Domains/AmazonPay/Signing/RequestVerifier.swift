package import Cryptography
package import Primitives

/// A request that is refused because of who sent it, in the vendor's words.
package struct RequestRefusal: Error, Sendable, Equatable {
    /// 400 or 403.
    package let status: Int
    /// The vendor's code.
    package let reason: ReasonCode
    /// For a developer; names the string that was signed and the signature that came, as the vendor does.
    package let message: String

    static func missing(_ name: String) -> RequestRefusal {
        RequestRefusal(status: 400, reason: .missingHeader, message: "The header \(name) is required.")
    }

    static func empty(_ name: String) -> RequestRefusal {
        RequestRefusal(status: 400, reason: .missingHeaderValue, message: "The header \(name) has no value.")
    }

    static func invalid(_ name: String, _ why: String) -> RequestRefusal {
        RequestRefusal(
            status: 400,
            reason: .invalidHeaderValue,
            message: "The value of the header \(name) is not valid: \(why)."
        )
    }
}

/// Verifies signed API requests as the service does; the simulator's half of `RequestSigner`.
package struct RequestVerifier: Sendable {
    /// A merchant's public key.
    package struct Key: Sendable {
        /// Verifies.
        package let publicKey: RSAPublicKey
        /// False once the account is disabled.
        package let isEnabled: Bool

        /// A key.
        ///
        /// - Parameters:
        ///   - isEnabled: False once the account is disabled.
        package init(_ publicKey: RSAPublicKey, isEnabled: Bool = true) {
            self.publicKey = publicKey
            self.isEnabled = isEnabled
        }
    }

    /// How much of a request must be signed.
    package enum Mode: Sendable, Equatable {
        /// All five mandatory headers, and the idempotency key when it is there.
        case strict
        /// Whatever the list says.
        case documented
    }

    /// Keys by key id, exactly as it is sent.
    package var keys: [String: Key]
    /// How much of a request must be signed.
    package var mode = Mode.strict
    /// How far ahead a date may be; the vendor does not document it, merchants minutes ahead failed.
    package var ahead = Duration.seconds(60)
    /// How far back a date may be; the vendor does not document it.
    package var behind = Duration.seconds(900)

    /// A strict verifier.
    ///
    /// - Parameter keys: By key id, exactly as it is sent.
    package init(keys: [String: Key]) {
        self.keys = keys
    }

    /// Verifies a request.
    ///
    /// - Parameters:
    ///   - request: With its `Authorization` field.
    /// - Returns: The key id under which it is signed.
    /// - Throws: The first refusal in the service's order: absent, malformed, date, key, account, signature.
    package func verify(_ request: SignedRequest, now: WallTime) throws(RequestRefusal) -> String {
        for name in ["authorization"] + RequestVerifier.mandatory { try RequestVerifier.demand(name, in: request) }
        guard let authorization = AuthorizationField(request.value("authorization") ?? "") else {
            throw .invalid("authorization", "expected LABEL PublicKeyId=…, SignedHeaders=…, Signature=…")
        }
        try demandList(authorization.signedHeaders, in: request)
        try checkIdempotencyKey(request)
        try checkDate(request.value("x-amz-pay-date") ?? "", now)
        guard let key = keys[authorization.publicKeyID] else {
            throw RequestRefusal(
                status: 403,
                reason: .invalidAuthentication,
                message: "The public key id \(authorization.publicKeyID) is not known."
            )
        }
        guard key.isEnabled else {
            throw RequestRefusal(status: 403, reason: .invalidAccountStatus, message: "The account is disabled.")
        }
        try checkSignature(authorization, of: request, key.publicKey)
        return authorization.publicKeyID
    }

    private static let mandatory = ["x-amz-pay-date", "x-amz-pay-host", "x-amz-pay-region", "accept", "content-type"]
    private static let idempotencyKey = "x-amz-pay-idempotency-key"

    private static func demand(_ name: String, in request: SignedRequest) throws(RequestRefusal) {
        guard let value = request.value(name) else { throw .missing(name) }
        guard !value.isEmpty else { throw .empty(name) }
    }

    private func demandList(_ list: String, in request: SignedRequest) throws(RequestRefusal) {
        let names = list.split(separator: ";", omittingEmptySubsequences: false).map { $0.lowercased() }
        guard names.allSatisfy({ !$0.isEmpty }), Set(names).count == names.count else {
            throw .invalid("authorization", "SignedHeaders lists an empty name, or a name twice")
        }
        for name in names where request.value(name) == nil { throw .missing(name) }
        guard mode == .strict else { return }
        let isKeyed = request.value(RequestVerifier.idempotencyKey) != nil
        let wanted = RequestVerifier.mandatory + (isKeyed ? [RequestVerifier.idempotencyKey] : [])
        for name in wanted where !names.contains(name) {
            throw .invalid("authorization", "SignedHeaders does not list \(name)")
        }
    }

    private func checkIdempotencyKey(_ request: SignedRequest) throws(RequestRefusal) {
        guard let value = request.value(RequestVerifier.idempotencyKey) else { return }
        guard !value.isEmpty else { throw .empty(RequestVerifier.idempotencyKey) }
        guard IdempotencyKey(value) != nil else {
            throw .invalid(RequestVerifier.idempotencyKey, "at most 32 characters of A-Z a-z 0-9 - _")
        }
    }

    private func checkDate(_ text: String, _ now: WallTime) throws(RequestRefusal) {
        guard let date = CalendarDate.time(of: text) else {
            throw .invalid("x-amz-pay-date", "expected YYYYMMDDTHHMMSSZ")
        }
        guard date <= now + ahead else { throw .invalid("x-amz-pay-date", "the date must not be in the future") }
        guard date + behind >= now else { throw .invalid("x-amz-pay-date", "the date is too old") }
    }

    private func checkSignature(
        _ authorization: AuthorizationField,
        of request: SignedRequest,
        _ key: RSAPublicKey
    ) throws(RequestRefusal) {
        let octets = request.canonicalOctets(signedHeaders: authorization.signedHeaders)
        let string = StringToSign(for: octets, authorization.algorithm)
        guard !string.isSigned(authorization.signature, by: key) else { return }
        throw RequestRefusal(
            status: 403,
            reason: .invalidRequestSignature,
            message:
                "Unable to verify signature, signing String [\(string.text)], signature [\(authorization.signature)]"
        )
    }
}
