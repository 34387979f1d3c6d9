// Where there is no UIKit, a module of that name is another one: that of the server.
#if canImport(UIKit) && canImport(DeviceCheck)
import DeviceCheck
import Foundation

/// Keys of Apple's App Attest.
public struct AppAttestSource: AttestKeySource {
    /// The one source of an app.
    public init() {}

    /// Makes a key.
    public func makeKey() async -> AttestKeyMaking {
        guard DCAppAttestService.shared.isSupported else { return .none(.unsupported) }
        guard let key = try? await DCAppAttestService.shared.generateKey() else { return .none(.failed) }
        return .key(key)
    }

    /// Has Apple vouch for a key.
    public func attest(_ key: String, hash: Data) async throws -> Data {
        do {
            return try await DCAppAttestService.shared.attestKey(key, clientDataHash: hash)
        } catch {
            throw failure(error)
        }
    }

    /// Signs with a key.
    public func sign(_ key: String, hash: Data) async throws -> Data {
        do {
            return try await DCAppAttestService.shared.generateAssertion(key, clientDataHash: hash)
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: any Error) -> AttestKeyFailure {
        switch (error as? DCError)?.code {
        case .invalidKey: .lost
        case .serverUnavailable: .unavailable
        default: .failed
        }
    }
}
#endif
