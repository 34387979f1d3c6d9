#if canImport(AuthenticationServices) && canImport(UIKit)
import AuthenticationServices
import Foundation
import UIKit

/// A tab of ASWebAuthenticationSession, which takes the return link itself (iOS 17.4): for apps without universal links elsewhere.
@available(iOS 17.4, *)
@MainActor
public final class AuthenticationTab: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let configuration: CheckoutConfiguration
    private let window: ASPresentationAnchor
    private var session: ASWebAuthenticationSession?

    /// A tab that is not open yet.
    ///
    /// - Parameters:
    ///   - configuration: Where return links come from.
    ///   - window: What it is shown in front of.
    public init(_ configuration: CheckoutConfiguration, in window: ASPresentationAnchor) {
        self.configuration = configuration
        self.window = window
    }

    /// Opens the tab.
    ///
    /// - Parameters:
    ///   - launch: From ``Checkout``; kept by it before this is called.
    ///   - ended: Called with the return link, or with `nil` where the buyer has closed the tab.
    public func open(_ launch: Launch, ended: @escaping @MainActor (String?) -> Void) {
        let host = configuration.linkOrigin.host ?? ""
        let session = ASWebAuthenticationSession(
            url: launch.url,
            callback: .https(host: host, path: ReturnLink.path)
        ) { url, _ in
            let link = url?.absoluteString
            Task { @MainActor in ended(link) }
        }
        session.presentationContextProvider = self
        session.prefersEphemeralWebBrowserSession = false
        self.session = session
        session.start()
    }

    /// What it is shown in front of.
    public func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { window }
}
#endif
