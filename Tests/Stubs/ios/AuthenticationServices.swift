// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// The documents of the framework say what each declaration does.
@_exported import UIKit

/// As on iOS, as far as the adapters use it.
public typealias ASPresentationAnchor = UIWindow

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

@MainActor open class ASWebAuthenticationSession: NSObject {
    public struct Callback: Sendable {
        public static func https(host: String, path: String) -> Callback { Callback() }
    }

    public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    public var prefersEphemeralWebBrowserSession = false
    public init(url: URL, callback: Callback, completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void) {}
    @discardableResult public func start() -> Bool { false }
}
