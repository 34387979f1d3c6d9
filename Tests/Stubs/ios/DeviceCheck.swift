// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The part of Apple's framework that the adapters use.
import Foundation

public final class DCDevice: Sendable {
    public static var current: DCDevice { fatalError() }
    public var isSupported: Bool { fatalError() }
    public func generateToken() async throws -> Data { fatalError() }
}
