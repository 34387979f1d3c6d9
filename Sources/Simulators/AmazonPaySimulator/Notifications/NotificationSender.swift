import Cryptography
import EventIO
import Primitives
import SimulatorCore

/// Who is notified, what waits to go out, and the certificates for it.
struct NotificationSender: Sendable {
    /// By merchant.
    var targets: [String: NotificationTarget]
    /// Made when they are wanted first.
    private(set) var keys: SenderKeys?
    var queue = NotificationQueue()
    var mint: IdentifierMint
    /// Whether the file of a certificate holds the one that issued it too.
    var servesIssuer = true
    private var signed = 0
    private let root: DevelopmentAuthority?

    init(targets: [String: NotificationTarget], root: DevelopmentAuthority?, mint: IdentifierMint) {
        self.targets = targets
        self.root = root
        self.mint = mint
    }

    /// The keys, which are made now where there are none.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    mutating func preparedKeys(now: WallTime) throws(CryptographyError) -> SenderKeys {
        if let keys { return keys }
        let made = try SenderKeys(under: root, now: now, random: KernelRandom())
        keys = made
        return made
    }

    /// Makes a new signing certificate.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    mutating func rotate(now: WallTime) throws(CryptographyError) {
        var keys = try preparedKeys(now: now)
        try keys.rotate(now: now, random: KernelRandom())
        self.keys = keys
    }

    /// The certificate that signs, or one with a flaw.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    mutating func leaf(_ flaw: SenderKeys.Flaw?, now: WallTime) throws(CryptographyError) -> SenderKeys.Leaf {
        var keys = try preparedKeys(now: now)
        defer { self.keys = keys }
        if let flaw { return try keys.leaf(with: flaw, now: now, random: KernelRandom()) }
        guard let current = keys.current else { throw CryptographyError(.failed, "there is no signing certificate") }
        return current
    }

    /// The version of the next signature.
    mutating func nextVersion(for target: NotificationTarget) -> String {
        signed += 1
        switch target.version {
        case .one: return "1"
        case .two: return "2"
        case .alternating: return signed % 2 == 1 ? "1" : "2"
        }
    }
}

/// What is to be sent.
struct NotificationOrder: Sendable {
    /// What may be wrong with a notification on purpose.
    enum Corruption: String, Sendable, CaseIterable {
        /// The message is another than was signed.
        case message
        /// A bit of the signature is wrong.
        case signature
        /// Well signed, of a topic that is not the merchant's.
        case topic
        /// The certificate is said to be at a host that only looks like the right one.
        case certUrl
        case expiredCert
        case wrongName
        case unrelatedRoot
        /// A version of the signature that does not exist.
        case version
    }

    var kind = NotificationEnvelope.Kind.notification
    var change: StateChange?
    var type = "STATE_CHANGE"
    var subject: String?
    /// `nil` as the target says.
    var version: String?
    var corruption: Corruption?
    /// How often it goes out beyond once; a duplicate has the same id.
    var duplicates = 0
    /// By the simulated clock.
    var delay = Duration.zero
}
