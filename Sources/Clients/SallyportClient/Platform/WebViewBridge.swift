#if canImport(WebKit)
import Foundation
import WebKit

/// The cart page in a web view: takes its tickets, and hands returns to it.
@MainActor
public final class WebViewBridge: NSObject, WKScriptMessageHandler, CartPage {
    /// The name that the page knows.
    private static let name = "iosApp"

    private let configuration: CheckoutConfiguration
    private let opened: @MainActor (LaunchTicket) -> Void
    private weak var webView: WKWebView?

    /// A bridge; its web view is given with ``attach(to:)``.
    ///
    /// - Parameters:
    ///   - opened: Called with a ticket; it hands that to ``Checkout/open(_:)``.
    public init(_ configuration: CheckoutConfiguration, opened: @escaping @MainActor (LaunchTicket) -> Void) {
        self.configuration = configuration
        self.opened = opened
    }

    /// Listens to the page of a web view.
    ///
    /// - Parameter webView: Keeps its cookies: they prove that this app has asked.
    public func attach(to webView: WKWebView) {
        self.webView = webView
        webView.configuration.userContentController.add(self, name: WebViewBridge.name)
    }

    /// Takes a message of the cart page; one of any other page or frame is no message.
    public func userContentController(
        _ userContentController: WKUserContentController,
        didReceive message: WKScriptMessage
    ) {
        guard message.frameInfo.isMainFrame, let origin = Origin(configuration.webOrigin),
            message.frameInfo.securityOrigin.protocol == "https", message.frameInfo.securityOrigin.host == origin.host,
            [origin.port, origin.port == 443 ? 0 : origin.port].contains(message.frameInfo.securityOrigin.port),
            let body = message.body as? [String: Any], let text = body["secureWebviewSessionId"] as? String,
            let ticket = LaunchTicket(text)
        else { return }
        opened(ticket)
    }

    /// Calls the page's `purchase`, which shows how it goes on.
    public func purchase(_ link: ReturnLink) async throws -> Redemption {
        guard let webView, let url = webView.url, isShop(url) else { throw CheckoutError("the cart page is not there") }
        let script = try WebViewBridge.call([link.returnTicket, link.accessToken, link.orderReferenceID])
        _ = try await webView.evaluateJavaScript(script)
        return .handedToPage
    }

    private func isShop(_ url: URL) -> Bool {
        url.absoluteString == configuration.cartURL.absoluteString
            || url.absoluteString.hasPrefix(configuration.cartURL.absoluteString + "?")
    }

    /// A call with arguments that are data, whatever is in them; its value is nothing that could be shown.
    private static func call(_ arguments: [String]) throws -> String {
        let json = String(decoding: try JSONEncoder().encode(arguments), as: UTF8.self)
        return "window.purchase.apply(null, \(json)); true"
    }
}
#endif
