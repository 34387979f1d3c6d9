package import Cryptography
package import Primitives

/// The certificates that vouch for a signed text, and the key that has to have signed it.
package struct VerifiedPath: Sendable {
    /// The signer's certificate.
    package let leaf: X509Certificate
    /// The authority that issued it.
    package let intermediate: X509Certificate
    /// The trusted root that issued that.
    package let root: X509Certificate
    /// The leaf's key.
    package let key: JWSVerificationKey
}

/// Judges the certificates in the headers of signed texts, or those that came with a message, for one purpose.
///
/// A path is a leaf, an intermediate and one of the trusted roots, no more and no less. Signatures, names and extensions of a path
/// do not change: they are verified once and remembered, for 32 paths at most. The time is judged at each use.
///
/// May be used from any thread. A path that is not remembered takes about 2 ms of computing.
package final class CertificatePathVerifier: Sendable {
    private let roots: [X509Certificate]
    private let purpose: CertificatePurpose
    private let clock: (any MonotonicClock)?
    private let remembered: Lock<GenerationCache<Certificates, Path>>

    /// How long a path is remembered at most.
    package static let life = Duration.seconds(15 * 60)
    /// How many paths are remembered at most.
    package static let capacity = 32

    /// A verifier.
    ///
    /// - Parameters:
    ///   - roots: Trusted, with or without the same name; where there are none, nothing is good.
    ///   - clock: Counts how long a path is remembered; without it a path is forgotten only when others need its place.
    package init(roots: [X509Certificate], purpose: CertificatePurpose, clock: (any MonotonicClock)? = nil) {
        self.roots = roots
        self.purpose = purpose
        self.clock = clock
        // An entry lives between one life and two, and twice the capacity is held.
        remembered = Lock(
            GenerationCache(
                capacity: CertificatePathVerifier.capacity / 2,
                life: CertificatePathVerifier.life.wholeNanoseconds / 2_000
            )
        )
    }

    /// Judges the certificates of a text.
    ///
    /// - Parameters:
    ///   - x5c: Leaf, intermediate and root, each in standard Base64. The last is only counted: what is trusted is never taken from a text.
    ///   - time: When all three have to be valid, taken to the second.
    /// - Throws: What is wrong; validity comes last.
    package func verify(_ x5c: [String], at time: WallTime) throws(CertificatePathError) -> VerifiedPath {
        guard x5c.count == 3 else { throw .count }
        let certificates = Certificates(leaf: x5c[0].octets, intermediate: x5c[1].octets)
        let now = clock?.monotonicNow().microseconds ?? 0
        let known = remembered.withLock { $0.value(for: certificates, at: now) }
        if let known { return try known.verified(at: time) }
        let leaf = try CertificatePathVerifier.certificate(Base64.decode(x5c[0]), 0)
        let path = try judge(leaf, CertificatePathVerifier.certificate(Base64.decode(x5c[1]), 1))
        remembered.withLock { $0.set(path, for: certificates, at: now) }
        return try path.verified(at: time)
    }

    /// Judges certificates that came without a root and vouch for one key only, so that remembering them is worth nothing.
    ///
    /// - Throws: What is wrong; validity comes last.
    package func verify(
        leaf: [UInt8],
        intermediate: [UInt8],
        at time: WallTime
    ) throws(CertificatePathError) -> VerifiedPath {
        let leaf = try CertificatePathVerifier.certificate(leaf, 0)
        return try judge(leaf, CertificatePathVerifier.certificate(intermediate, 1)).verified(at: time)
    }

    /// How many paths are remembered.
    package var rememberedCount: Int { remembered.withLock { $0.count } }

    /// What a path is found by.
    private struct Certificates: Hashable {
        let leaf: OctetText
        let intermediate: OctetText
    }

    /// Judges all but the time.
    private func judge(
        _ leaf: X509Certificate,
        _ intermediate: X509Certificate
    ) throws(CertificatePathError) -> Path {
        guard leaf.issuer == intermediate.subject else { throw .name }
        let named = roots.filter { $0.subject == intermediate.issuer }
        guard !named.isEmpty else { throw .noRoot }
        // From the root down, so that no key is used before somebody vouches for it.
        let issuers = named.filter { intermediate.isSigned(by: $0, strength: CertificatePathVerifier.strength) }
        guard !issuers.isEmpty else { throw .signature(1) }
        guard leaf.isSigned(by: intermediate, strength: CertificatePathVerifier.strength) else { throw .signature(0) }
        guard intermediate.isAuthority, intermediate.maySignCertificates else { throw .notAuthority }
        // A path length counts the authorities below, and the leaf is none of them.
        let authorities = issuers.filter { $0.isAuthority && $0.pathLength ?? 1 >= 1 }
        guard !authorities.isEmpty else { throw .notAuthority }
        try demandUnderstood(leaf, 0)
        try demandUnderstood(intermediate, 1)
        let understood = authorities.filter(isUnderstood)
        guard !understood.isEmpty else { throw .critical(2) }
        if let marker = purpose.intermediateMarker {
            guard intermediate.value(ofExtension: marker) != nil else { throw .marker(1) }
        }
        guard leaf.value(ofExtension: purpose.leafMarker) != nil else { throw .marker(0) }
        guard let key = try? JWSVerificationKey(certificate: leaf) else { throw .key }
        return Path(leaf: leaf, intermediate: intermediate, roots: understood, key: key)
    }

    /// In bits; excludes SHA-1 and RSA of 1024 bits.
    private static let strength: Int32 = 112

    private static func certificate(_ der: [UInt8]?, _ index: Int) throws(CertificatePathError) -> X509Certificate {
        guard let der, let certificate = try? X509Certificate(der: der),
            !certificate.repeatsAnExtension
        else { throw .form(index) }
        return certificate
    }

    /// Basic constraints and key usage are looked at; other names than the subject and policies forbid nothing here.
    private static let understood = ["2.5.29.15", "2.5.29.17", "2.5.29.19", "2.5.29.32"]

    private func isUnderstood(_ certificate: X509Certificate) -> Bool {
        let markers = [purpose.intermediateMarker, purpose.leafMarker].compactMap(\.self)
        let known = CertificatePathVerifier.understood + markers
        return certificate.criticalExtensions.allSatisfy { name in known.contains { $0.octets == name.octets } }
    }

    private func demandUnderstood(_ certificate: X509Certificate, _ index: Int) throws(CertificatePathError) {
        guard isUnderstood(certificate) else { throw .critical(index) }
    }
}

/// A path that is good at the times at which its certificates are valid.
private struct Path: Sendable {
    let leaf: X509Certificate
    let intermediate: X509Certificate
    /// Those that issued the intermediate, one at least: a root may be renewed with the same key.
    let roots: [X509Certificate]
    let key: JWSVerificationKey

    func verified(at time: WallTime) throws(CertificatePathError) -> VerifiedPath {
        // Certificates count in seconds; the last one belongs to the validity as a whole.
        let time = WallTime(seconds: time.seconds)
        try Path.demandValid(leaf, 0, at: time)
        try Path.demandValid(intermediate, 1, at: time)
        let root = roots.first { $0.isValid(at: time) } ?? roots[0]
        try Path.demandValid(root, 2, at: time)
        return VerifiedPath(leaf: leaf, intermediate: intermediate, root: root, key: key)
    }

    private static func demandValid(
        _ certificate: X509Certificate,
        _ index: Int,
        at time: WallTime
    ) throws(CertificatePathError) {
        guard certificate.notBefore <= time else { throw .notYetValid(index) }
        guard time <= certificate.notAfter else { throw .expired(index) }
    }
}
