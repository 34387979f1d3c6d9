// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The part of Apple's framework that the adapters use.
import Foundation

public final class DCDevice: Sendable {
    public static var current: DCDevice { fatalError() }
    public var isSupported: Bool { fatalError() }
    public func generateToken() async throws -> Data { fatalError() }
}

@available(iOS 14.0, *)
public final class DCAppAttestService: Sendable {
    public static var shared: DCAppAttestService { fatalError() }
    public var isSupported: Bool { fatalError() }
    public func generateKey() async throws -> String { fatalError() }
    public func attestKey(_ keyId: String, clientDataHash: Data) async throws -> Data { fatalError() }
    public func generateAssertion(_ keyId: String, clientDataHash: Data) async throws -> Data { fatalError() }
}

public struct DCError: Error {
    public enum Code: Int, Sendable {
        case unknownSystemFailure
        case featureUnsupported
        case invalidInput
        case invalidKey
        case serverUnavailable
    }

    public var code: Code { fatalError() }
}
