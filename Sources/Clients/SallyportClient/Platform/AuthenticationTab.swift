#if canImport(AuthenticationServices) && canImport(UIKit)
import AuthenticationServices
import Foundation
import UIKit

/// A tab of ASWebAuthenticationSession, which takes the return link itself (iOS 17.4): for apps without universal links
/// elsewhere.
@available(iOS 17.4, *)
@MainActor
public final class AuthenticationTab: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let configuration: CheckoutConfiguration
    private let window: ASPresentationAnchor
    private var session: ASWebAuthenticationSession?

    /// A tab that is not open yet.
    ///
    /// - Parameters:
    ///   - window: What it is shown in front of.
    public init(_ configuration: CheckoutConfiguration, in window: ASPresentationAnchor) {
        self.configuration = configuration
        self.window = window
    }

    /// Opens the tab, and waits until it is closed.
    ///
    /// - Parameter launch: From ``Checkout``; kept by it before this is called.
    /// - Returns: The return link; `nil` where the buyer has closed the tab, which says nothing of what happened in it.
    public func open(_ launch: Launch) async -> String? {
        let host = configuration.linkOrigin.host ?? ""
        // The system may both call back and say that nothing was started.
        let (answers, answer) = AsyncStream.makeStream(of: String?.self)
        let session = ASWebAuthenticationSession(
            url: launch.url,
            callback: .https(host: host, path: ReturnLink.path)
        ) { url, _ in
            answer.yield(url?.absoluteString)
            answer.finish()
        }
        session.presentationContextProvider = self
        session.prefersEphemeralWebBrowserSession = false
        self.session = session
        if !session.start() { answer.finish() }
        for await url in answers { return url }
        return nil
    }

    /// What it is shown in front of.
    public func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { window }
}
#endif
