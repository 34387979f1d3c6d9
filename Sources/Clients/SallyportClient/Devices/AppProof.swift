import Foundation

/// Proves to the server that requests come from the unmodified app: a key of the installation signs those that need it.
///
/// The key is made and attested when a request first needs it, and anew where device or server do not know it any more. One object is
/// for one account, as its ``AppAccount`` is; the server takes no key of another account.
public actor AppProof {
    /// How often a request is sent, where others of the app overtake it.
    private static let tries = 5
    /// How long no other key is made after the server did not believe one: it would not believe the next, and Apple counts them.
    private static let refusalPause: TimeInterval = 3_600
    /// Requests that are kept in mind.
    private static let mostNames = 100

    private let source: any AttestKeySource
    private let store: any AttestKeyStore
    private let digest: HTTPCartPage.Digest?
    private let now: @Sendable () -> Date
    /// Requests for which the server has wanted a proof, by method and path.
    private var guarded: Set<String> = []
    /// The search for a key, which all wait for together.
    private var finding: Task<String, any Error>?
    private var refusal: (error: AccountError, end: Date)?

    /// A proof.
    ///
    /// - Parameters:
    ///   - store: Keeps the key of the account in mind; ``FileAttestKeyStore`` on a phone.
    ///   - digest: SHA-256; without one nothing is signed.
    ///   - now: For tests.
    public init(
        from source: any AttestKeySource,
        store: any AttestKeyStore,
        digest: HTTPCartPage.Digest? = HTTPCartPage.systemDigest,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.source = source
        self.store = store
        self.digest = digest
        self.now = now
    }

    /// Sends a request of an account, signed where the server wants that.
    ///
    /// - Parameter name: Requests of the same name want the same.
    func send(_ request: TransportRequest, named name: String, of account: AppAccount) async throws -> TransportResponse
    {
        var isNewKey = false
        var response = TransportResponse(status: 0, body: Data())
        for _ in 0..<AppProof.tries {
            var shown = request
            var key = ""
            if guarded.contains(name) {
                let signature = try await sign(request, for: account)
                key = signature.key
                shown.fields.append((name: AppProof.field, value: signature.value))
            }
            response = try await account.sendPlain(shown)
            switch (response.status, [403, 409].contains(response.status) ? response.member("code") : nil) {
            case (403, "assertion_required"?) where key.isEmpty:
                if guarded.count >= AppProof.mostNames { guarded = [] }
                guarded.insert(name)
            case (403, "attest_key_unknown"?), (403, "assertion_refused"?):
                guard !key.isEmpty, !isNewKey else { return response }
                isNewKey = true
                try await forget(key)
            case (409, "assertion_overtaken"?), (409, "attest_challenge_gone"?):
                guard !key.isEmpty else { return response }
            default: return response
            }
        }
        return response
    }

    // MARK: Signing

    /// In which field the server looks for it.
    static let field = "App-Attest-Assertion"

    /// Signs a request for a new challenge.
    func sign(_ request: TransportRequest, for account: AppAccount) async throws -> (key: String, value: String) {
        let digest = try checkedDigest()
        var isNewKey = false
        while true {
            let key = try await key(for: account)
            let challenge = try await challenge(for: account)
            let text = [
                "sallyport-assertion-1", request.method, request.url.target, AppProof.hexadecimal(digest(request.body)),
                challenge,
            ]
            do {
                let signature = try await source.sign(key, hash: digest(Data(text.joined(separator: "\n").utf8)))
                return (key, "\(key) \(challenge) \(signature.base64EncodedString())")
            } catch AttestKeyFailure.lost where !isNewKey {
                isNewKey = true
                try await forget(key)
            } catch let failure as AttestKeyFailure {
                throw AccountError("the request cannot be signed: \(failure)")
            }
        }
    }

    private func challenge(for account: AppAccount) async throws -> String {
        let response = try await account.sendPlain("devices/attest/challenge", [:])
        guard response.status == 200, let challenge = response.member("challenge") else { throw AccountError(response) }
        return challenge
    }

    private func checkedDigest() throws -> HTTPCartPage.Digest {
        guard let digest else { throw AppProof.absence(.unsupported) }
        return digest
    }

    private static func hexadecimal(_ bytes: Data) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    // MARK: Keys

    /// The key that the server knows, made and shown where there is none.
    private func key(for account: AppAccount) async throws -> String {
        if let finding { return try await finding.value }
        let finding = Task { try await self.find(for: account) }
        self.finding = finding
        defer { self.finding = nil }
        return try await finding.value
    }

    private func find(for account: AppAccount) async throws -> String {
        if let refusal, now() < refusal.end { throw refusal.error }
        let kept = try await store.load()
        if let kept, kept.isShown { return kept.id }
        if let kept, let shown = try await show(kept.id, to: account) { return shown }
        if let shown = try await show(try await make(), to: account) { return shown }
        throw AccountError("no key of this device is taken")
    }

    private func make() async throws -> String {
        switch await source.makeKey() {
        case .key(let key):
            try await store.save(AttestKey(id: key, isShown: false))
            return key
        case .none(let absence): throw AppProof.absence(absence)
        }
    }

    /// Has Apple vouch for a key, and shows that to the server.
    ///
    /// - Returns: The key; `nil` where another one has to be made.
    private func show(_ key: String, to account: AppAccount) async throws -> String? {
        let digest = try checkedDigest()
        let challenge = try await challenge(for: account)
        let attestation: Data
        do {
            attestation = try await source.attest(key, hash: digest(Data(challenge.utf8)))
        } catch AttestKeyFailure.unavailable {
            throw AccountError("Apple does not vouch for the key now")
        } catch {
            try await store.save(nil)
            guard case AttestKeyFailure.lost = error else { throw AccountError("the key cannot be attested: \(error)") }
            return nil
        }
        // Before the answer, which may be lost: a key that the server does not know is forgotten when that turns out.
        try await store.save(AttestKey(id: key, isShown: true))
        let content = ["keyId": key, "attestation": attestation.base64EncodedString(), "challenge": challenge]
        let response = try await account.sendPlain("devices/attest", content)
        if response.status == 200 { return key }
        let error = AccountError(response)
        guard error.isFinal else {
            try await store.save(AttestKey(id: key, isShown: false))
            throw error
        }
        try await store.save(nil)
        guard error.code != "attest_key_taken" else { return nil }
        refusal = (error, now().addingTimeInterval(AppProof.refusalPause))
        throw error
    }

    /// Forgets a key that is worth nothing, unless another one is there already.
    private func forget(_ key: String) async throws {
        guard finding == nil, try await store.load()?.id == key else { return }
        try await store.save(nil)
    }

    /// That requests cannot be signed here; the server's word for why is the reason.
    private static func absence(_ absence: AttestKeyAbsence) -> AccountError {
        AccountError(
            "the request needs a proof of the app, and this device has no key for it: \(absence.rawValue)",
            code: "assertion_required",
            reason: absence.rawValue,
            isFinal: absence == .unsupported
        )
    }
}

extension URL {
    /// Path and query as they are sent.
    fileprivate var target: String {
        guard let parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return path }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        return path + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
    }
}
