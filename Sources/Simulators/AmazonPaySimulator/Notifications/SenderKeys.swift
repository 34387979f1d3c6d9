import Cryptography
import Primitives

/// The certificates that notifications are signed under: a root, an issuing one, and signing ones that change.
///
/// Making a signing key takes up to a second.
struct SenderKeys: Sendable {
    struct Leaf: Sendable {
        /// Thirty-two hexadecimal digits of the file's name.
        let name: String
        let certificatePEM: [UInt8]
        let key: RSAPrivateKey

        /// The path that the certificate is served at.
        var path: String { "/SimpleNotificationService-\(name).pem" }
    }

    /// What may be wrong with a certificate on purpose.
    enum Flaw: String, Sendable, CaseIterable {
        case expired = "expiredCert"
        case wrongName = "wrongName"
        case unrelatedRoot = "unrelatedRoot"
    }

    /// Whom the signing certificates speak for.
    static let name = "sns.amazonaws.com"
    /// Older certificates that are still served.
    static let older = 3

    private let root: DevelopmentAuthority
    private let issuing: DevelopmentAuthority
    /// The newest is the last.
    private(set) var leaves: [Leaf] = []
    private var flawed: [Flaw: Leaf] = [:]

    /// New keys.
    ///
    /// - Parameters:
    ///   - known: A root that receivers trust already; `nil` for a new one.
    ///   - now: The present by the real clock, which is what certificates are held against.
    ///   - random: For serial numbers; keys come from OpenSSL's generator.
    /// - Throws: `failed` where OpenSSL refuses.
    init(under known: DevelopmentAuthority?, now: WallTime, random: any RandomSource) throws(CryptographyError) {
        if let known { root = known } else { root = try SenderKeys.makeRoot(now, random) }
        issuing = try root.issueAuthority(name: "Simulated notifications", now: now, random: random)
        try rotate(now: now, random: random)
    }

    /// What a receiver has to trust, in PEM.
    var rootPEM: [UInt8] { root.certificatePEM }

    /// What stands between the root and the signing certificates, in PEM.
    var issuingPEM: [UInt8] { issuing.certificatePEM }

    /// The certificate that signs at present; `nil` never comes after `init`.
    var current: Leaf? { leaves.last }

    /// Makes a new signing certificate under a new name; those before it are served for a while.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    mutating func rotate(now: WallTime, random: any RandomSource) throws(CryptographyError) {
        leaves.append(try SenderKeys.leaf(of: issuing, [.host(SenderKeys.name)], now, random))
        leaves.removeFirst(max(0, leaves.count - 1 - SenderKeys.older))
    }

    /// A signing certificate that nobody should believe; made when it is wanted first.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    mutating func leaf(
        with flaw: Flaw,
        now: WallTime,
        random: any RandomSource
    ) throws(CryptographyError) -> Leaf {
        if let made = flawed[flaw] { return made }
        let made: Leaf
        switch flaw {
        case .expired:
            let past = now + .seconds(-800 * 86_400)
            made = try SenderKeys.leaf(of: issuing, [.host(SenderKeys.name)], past, random)
        case .wrongName: made = try SenderKeys.leaf(of: issuing, [.host("sqs.amazonaws.com")], now, random)
        case .unrelatedRoot:
            let otherRoot = try SenderKeys.makeRoot(now, random)
            made = try SenderKeys.leaf(of: otherRoot, [.host(SenderKeys.name)], now, random)
        }
        flawed[flaw] = made
        return made
    }

    /// The file at a path, with or without the certificate that issued it; `nil` where there is none.
    func file(at path: String, withIssuer: Bool) -> [UInt8]? {
        guard let leaf = (leaves + flawed.values).first(where: { $0.path == path }) else { return nil }
        return leaf.certificatePEM + (withIssuer ? issuing.certificatePEM : [])
    }

    /// A root that can speak for nobody but the simulated sender.
    static func makeRoot(
        _ now: WallTime,
        _ random: any RandomSource
    ) throws(CryptographyError)
        -> DevelopmentAuthority
    {
        try DevelopmentAuthority.make(
            name: "Simulated notifications root",
            permitting: [.host("amazonaws.com")],
            intermediates: 1,
            now: now,
            random: random
        )
    }

    private static func leaf(
        of authority: DevelopmentAuthority,
        _ names: [CertificateName],
        _ now: WallTime,
        _ random: any RandomSource
    ) throws(CryptographyError) -> Leaf {
        let issued = try authority.issue(for: names, key: .rsa2048, now: now, random: random)
        return Leaf(
            name: String(SHA256.digest(of: issued.certificatePEM).hexadecimal.prefix(32)),
            certificatePEM: issued.certificatePEM,
            key: try RSAPrivateKey(pem: issued.keyPEM)
        )
    }
}
