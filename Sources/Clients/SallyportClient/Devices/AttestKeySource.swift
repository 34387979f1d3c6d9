import Foundation

/// Where keys of the app's installation are: App Attest on a phone.
///
/// Such a key never leaves the device; Apple vouches that it is one of the unmodified app.
public protocol AttestKeySource: Sendable {
    /// Makes a key, or says why there is none.
    func makeKey() async -> AttestKeyMaking
    /// Has Apple vouch for a key that was made here.
    ///
    /// - Parameter hash: SHA-256 of what the server has given for it.
    /// - Throws: ``AttestKeyFailure``.
    func attest(_ key: String, hash: Data) async throws -> Data
    /// Signs with a key that was attested.
    ///
    /// - Parameter hash: SHA-256 of what is signed.
    /// - Throws: ``AttestKeyFailure``.
    func sign(_ key: String, hash: Data) async throws -> Data
}

/// What came of making a key.
public enum AttestKeyMaking: Sendable, Hashable {
    /// The name of the key.
    case key(String)
    /// There is none.
    case none(AttestKeyAbsence)
}

/// Why an installation has no key.
public enum AttestKeyAbsence: String, Sendable {
    /// The system makes none: a simulator, some extensions of apps, most Macs.
    case unsupported = "not_supported"
    /// None could be made now.
    case failed = "generation_failed"
}

/// Why a key does nothing.
public enum AttestKeyFailure: Error, Sendable, Hashable {
    /// The device does not have it any more, after a reinstallation or a restore: another one is made.
    case lost
    /// Apple was not reached: the same key is good later.
    case unavailable
    /// Something else; where it was to be attested, another one is made the next time.
    case failed
}

/// A key of the installation, as the app keeps it in mind.
public struct AttestKey: Sendable, Hashable, Codable {
    /// Its name.
    let id: String
    /// Whether the server was shown what Apple says of it.
    let isShown: Bool
}

/// Keeps the key of an account in mind.
///
/// On a phone: ``FileAttestKeyStore/onDevice(of:)``.
public protocol AttestKeyStore: Sendable {
    /// What was saved last; `nil` where there is none.
    ///
    /// - Throws: Where it cannot be read.
    func load() async throws -> AttestKey?
    /// Keeps it in place of the last one, before it comes back; `nil` to forget that.
    ///
    /// - Throws: Where it cannot be kept.
    func save(_ key: AttestKey?) async throws
}

/// A store that ends with the program.
public actor MemoryAttestKeyStore: AttestKeyStore {
    private var key: AttestKey?

    /// An empty store.
    public init() {}

    /// What was saved last.
    public func load() -> AttestKey? { key }

    /// Keeps it.
    public func save(_ key: AttestKey?) { self.key = key }
}

/// A store in one file that only its user may read.
public struct FileAttestKeyStore: AttestKeyStore {
    private let file: PrivateFile

    /// A store.
    public init(_ url: URL) { file = PrivateFile(url) }

    /// What was saved last.
    public func load() throws -> AttestKey? {
        try file.read().flatMap { try JSONDecoder().decode([AttestKey].self, from: $0).first }
    }

    /// Keeps it.
    public func save(_ key: AttestKey?) throws { try file.write(JSONEncoder().encode(key.map { [$0] } ?? [])) }
}
