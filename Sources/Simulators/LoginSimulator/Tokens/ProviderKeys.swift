import Cryptography
import JOSE
import Primitives
import StrictJSON

/// A key that signs ID tokens.
struct ProviderKey: Sendable {
    /// One of the two kinds.
    enum Private: Sendable {
        case rsa(RSAPrivateKey)
        case ecdsa(ES256PrivateKey)
    }

    /// `kid`: 32 hexadecimal digits.
    let id: String
    let key: Private
    let publicPEM: [UInt8]
    /// Whether the documents have it.
    var isPublished = true

    static func rsa() throws(CryptographyError) -> ProviderKey {
        let made = try RSAPrivateKey.generatePEM()
        return ProviderKey(
            id: name(made.publicKey),
            key: .rsa(try RSAPrivateKey(pem: made.privateKey)),
            publicPEM: made.publicKey
        )
    }

    static func ecdsa() throws(CryptographyError) -> ProviderKey {
        let key = try ES256PrivateKey(pem: try ES256PrivateKey.generatePEM())
        let publicPEM = try key.publicPEM()
        return ProviderKey(id: name(publicPEM), key: .ecdsa(key), publicPEM: publicPEM)
    }

    private static func name(_ pem: [UInt8]) -> String { Hex.encode(Array(SHA256.digest(of: pem).bytes.prefix(16))) }

    /// The name of the key's algorithm.
    var algorithm: String { if case .rsa = key { "RS256" } else { "ES256" } }

    func sign(_ text: [UInt8]) throws(CryptographyError) -> [UInt8] {
        switch key {
        case .rsa(let key): try key.signPKCS1(text, digest: .sha256)
        case .ecdsa(let key): try key.sign(text)
        }
    }

    /// The key as a set of keys has it.
    func value() throws(CryptographyError) -> JSONValue {
        try JSONWebKey.value(of: JWSVerificationKey(pem: publicPEM), keyID: id)
    }
}

/// The keys of all simulated providers: those that are published, and the one of each algorithm that signs.
struct ProviderKeys: Sendable {
    private(set) var all: [ProviderKey]
    private var signing: [String: String]
    /// Whether documents have no key at all.
    var isEmpty = false
    /// How long documents say that they may be kept; `nil` for no such field.
    var maximumAge: Int? = 3_600

    /// Two keys of RSA and one of ECDSA; the first ones sign.
    init() throws(CryptographyError) {
        all = [try .rsa(), try .rsa(), try .ecdsa()]
        signing = ["RS256": all[0].id, "ES256": all[2].id]
    }

    /// The key that signs by an algorithm.
    func signer(_ algorithm: String) -> ProviderKey? {
        let id = signing.first { $0.key.octets == algorithm.octets }?.value
        return all.first { $0.id.octets == id?.octets }
    }

    /// The keys that a document has.
    func published(_ algorithm: String) -> [ProviderKey] {
        isEmpty ? [] : all.filter { $0.isPublished && $0.algorithm.octets == algorithm.octets }
    }

    /// Publishes a new key that signs nothing yet.
    mutating func add(_ algorithm: String) throws(CryptographyError) -> String {
        let key = try algorithm.octets == "ES256" ? ProviderKey.ecdsa() : ProviderKey.rsa()
        all.append(key)
        return key.id
    }

    /// Has the newest key of an algorithm sign from now on.
    mutating func activate(_ algorithm: String) {
        if let newest = all.last(where: { $0.algorithm.octets == algorithm.octets }) { signing[algorithm] = newest.id }
    }

    /// Takes the keys of an algorithm that do not sign out of the documents.
    mutating func retire(_ algorithm: String) {
        let current = signing.first { $0.key.octets == algorithm.octets }?.value
        all.removeAll { $0.algorithm.octets == algorithm.octets && $0.id.octets != current?.octets }
    }

    /// Replaces the signing key by another one of the same name.
    mutating func swap(_ algorithm: String) throws(CryptographyError) {
        guard let current = signer(algorithm), let index = all.firstIndex(where: { $0.id.octets == current.id.octets })
        else { return }
        let fresh = try algorithm.octets == "ES256" ? ProviderKey.ecdsa() : ProviderKey.rsa()
        all[index] = ProviderKey(id: current.id, key: fresh.key, publicPEM: fresh.publicPEM)
    }
}
