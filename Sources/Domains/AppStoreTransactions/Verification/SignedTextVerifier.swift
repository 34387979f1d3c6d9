package import JOSE
package import Primitives
import StrictJSON

/// Verifies signed texts of one app in one environment.
///
/// In this order: the form, the header, the certificates, the signature, then app, environment and content. Certificates are judged at
/// the time at which the text says it was signed, so that a text stays good when they have expired. In the environments of Xcode
/// nobody signs: only there, and only because the verifier is one of these, certificates and signature are not looked at.
package struct SignedTextVerifier: Sendable {
    /// The environment; texts of another one are refused.
    package let environment: AppStoreEnvironment
    /// The app; texts of another one are refused.
    package let bundleID: String
    /// The app's number.
    package let appAppleID: Int64?
    private let paths: CertificatePathVerifier

    /// A verifier.
    ///
    /// - Parameters:
    ///   - appAppleID: Needed in production.
    ///   - paths: With the trusted roots, for the purpose of the App Store.
    /// - Throws: `misconfigured`.
    package init(
        environment: AppStoreEnvironment,
        bundleID: String,
        appAppleID: Int64?,
        paths: CertificatePathVerifier
    ) throws(SignedTextRefusal) {
        guard environment != .production || appAppleID != nil else { throw .misconfigured(.noAppAppleID) }
        guard !bundleID.isEmpty else { throw .misconfigured(.bundleID) }
        self.environment = environment
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.paths = paths
    }

    /// Verifies a transaction.
    package func transaction(_ text: [UInt8], at now: WallTime) throws(SignedTextRefusal) -> Transaction {
        let payload = try payload(of: text, signedIn: "signedDate", at: now)
        let reader = try TransactionReader(payload)
        try demandApp(reader.reader)
        try demandEnvironment(reader.reader.text("environment"))
        return try reader.transaction(of: bundleID, in: environment)
    }

    /// Verifies renewal information, which does not say of which app it is.
    package func renewal(_ text: [UInt8], at now: WallTime) throws(SignedTextRefusal) -> RenewalInformation {
        let payload = try payload(of: text, signedIn: "signedDate", at: now)
        let reader = try RenewalReader(payload)
        try demandEnvironment(reader.reader.text("environment"))
        return try reader.information(in: environment)
    }

    /// Verifies an app transaction.
    package func appTransaction(_ text: [UInt8], at now: WallTime) throws(SignedTextRefusal) -> AppTransaction {
        let payload = try payload(of: text, signedIn: "receiptCreationDate", at: now)
        let reader = try AppTransactionReader(payload)
        try demandApp(reader.reader)
        try demandNumber(reader.reader)
        try demandEnvironment(reader.reader.text("receiptType"))
        return try reader.transaction(of: bundleID, in: environment)
    }

    /// Verifies a notification, but none of the texts inside.
    package func notification(_ text: [UInt8], at now: WallTime) throws(SignedTextRefusal) -> ServerNotification {
        let payload = try payload(of: text, signedIn: "signedDate", at: now)
        let reader = try NotificationReader(payload)
        guard let subject = reader.subject else { throw .wrongApp(.missingMember) }
        try demandApp(subject)
        try demandNumber(subject)
        try demandEnvironment(reader.environment())
        return try reader.notification(of: bundleID, in: environment)
    }

    // MARK: Form, certificates, signature

    /// The certificates of a text that they have signed, to be asked whether they are revoked.
    ///
    /// Judged at the present, as those who answer do it: for a text that has just been signed.
    package func certificates(of text: [UInt8], at now: WallTime) throws(SignedTextRefusal) -> VerifiedPath {
        try path(of: SignedTextVerifier.parsed(text), at: now)
    }

    /// The certificates of a text that this verifier has found good, to be asked whether they are revoked, without another look at its
    /// signature.
    ///
    /// Judged at the present. A text that nobody has verified chooses nothing by it but one of the authorities' own certificates.
    package func certificates(ofVerified text: [UInt8], at now: WallTime) throws(SignedTextRefusal) -> VerifiedPath {
        try chain(of: SignedTextVerifier.parsed(text), at: now)
    }

    private func payload(
        of text: [UInt8],
        signedIn member: String,
        at now: WallTime
    ) throws(SignedTextRefusal) -> JSONValue {
        let signed = try SignedTextVerifier.parsed(text)
        guard environment.isSigned else { return signed.payload }
        let time = try PayloadReader(payload: signed.payload).time(member) ?? now
        _ = try path(of: signed, at: time)
        return signed.payload
    }

    private static func parsed(_ text: [UInt8]) throws(SignedTextRefusal) -> CompactJWS {
        do throws(JWSError) {
            return try CompactJWS(text)
        } catch {
            throw SignedTextRefusal(error)
        }
    }

    private func path(of signed: CompactJWS, at time: WallTime) throws(SignedTextRefusal) -> VerifiedPath {
        guard signed.header.algorithm == .es256 else { throw .signature(.algorithm) }
        let path = try chain(of: signed, at: time)
        do throws(JWSError) {
            try signed.verify(with: path.key, allowing: [.es256])
        } catch {
            throw SignedTextRefusal(error)
        }
        return path
    }

    private func chain(of signed: CompactJWS, at time: WallTime) throws(SignedTextRefusal) -> VerifiedPath {
        guard let certificates = signed.header.certificates else { throw .certificate(.chainLength) }
        do throws(CertificatePathError) {
            return try paths.verify(certificates, at: time)
        } catch {
            throw SignedTextRefusal(error)
        }
    }

    // MARK: App and environment

    private func demandApp(_ reader: PayloadReader) throws(SignedTextRefusal) {
        guard reader.payload["bundleId"]?.text?.octets == bundleID.octets else { throw .wrongApp(.bundleID) }
    }

    private func demandNumber(_ reader: PayloadReader) throws(SignedTextRefusal) {
        guard environment == .production else { return }
        guard let number = try reader.longInteger("appAppleId"), number == appAppleID else {
            throw .wrongApp(.appAppleID)
        }
    }

    private func demandEnvironment(_ text: String?) throws(SignedTextRefusal) {
        guard text?.octets == environment.rawValue.octets else { throw .wrongEnvironment(.environment) }
    }
}

extension SignedTextVerifier {
    /// The environment that a text of any kind says it is of: to choose a verifier by, which then finds out whether that is true.
    ///
    /// - Returns: `nil` for no such text, or another environment.
    package static func claimedEnvironment(_ text: [UInt8]) -> AppStoreEnvironment? {
        guard let payload = try? CompactJWS(text).payload else { return nil }
        let outer = payload["environment"] ?? payload["receiptType"]
        if let word = outer?.text { return AppStoreEnvironment(word: word.octets) }
        let word = try? NotificationReader(payload).environment()
        return word.flatMap { AppStoreEnvironment(word: $0.octets) }
    }
}

extension SignedTextRefusal {
    fileprivate init(_ error: JWSError) {
        switch error {
        case .malformed(.size): self = .malformed(.tooLarge)
        case .malformed(.header), .malformed(.critical): self = .malformed(.header)
        case .malformed: self = .malformed(.form)
        case .algorithm: self = .signature(.algorithm)
        case .signature: self = .signature(.signature)
        }
    }

    fileprivate init(_ error: CertificatePathError) {
        switch error {
        case .count: self = .certificate(.chainLength)
        case .form: self = .certificate(.certificateForm)
        case .noRoot: self = .certificate(.noRoot)
        case .name, .signature, .notAuthority, .critical: self = .certificate(.path)
        case .marker: self = .certificate(.marker)
        case .key: self = .certificate(.key)
        case .notYetValid, .expired: self = .certificate(.validity)
        }
    }
}
