// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// The documents of the framework say what each declaration does.
@_exported import UIKit

/// As on iOS, as far as the adapters use it.
@MainActor public protocol WKScriptMessageHandler: NSObjectProtocol {
    func userContentController(_ userContentController: WKUserContentController, didReceive message: WKScriptMessage)
}

@MainActor open class WKUserContentController: NSObject {
    public func add(_ handler: any WKScriptMessageHandler, name: String) {}
}

@MainActor open class WKSecurityOrigin: NSObject {
    public let `protocol` = ""
    public let host = ""
    public let port = 0
}

@MainActor open class WKFrameInfo: NSObject {
    public let isMainFrame = false
    public let securityOrigin = WKSecurityOrigin()
}

@MainActor open class WKScriptMessage: NSObject {
    public let body: Any = ""
    public let frameInfo = WKFrameInfo()
}

@MainActor open class WKWebViewConfiguration: NSObject {
    public var userContentController = WKUserContentController()
}

@MainActor open class WKNavigation: NSObject {}

@MainActor open class WKNavigationAction: NSObject {
    public let request = URLRequest(url: URL(fileURLWithPath: "/"))
    public let navigationType = WKNavigationType.other
}

public enum WKNavigationType: Sendable { case linkActivated, other }

public enum WKNavigationActionPolicy: Sendable { case cancel, allow }

/// Its methods are optional on iOS.
@MainActor public protocol WKNavigationDelegate: NSObjectProtocol {
    func webView(_ webView: WKWebView, decidePolicyFor action: WKNavigationAction) async -> WKNavigationActionPolicy
    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!)
    func webView(
        _ webView: WKWebView,
        didFailProvisionalNavigation navigation: WKNavigation!,
        withError error: any Error
    )
    func webViewWebContentProcessDidTerminate(_ webView: WKWebView)
}

@MainActor open class WKWebView: UIView {
    public let configuration: WKWebViewConfiguration
    public weak var navigationDelegate: (any WKNavigationDelegate)?
    public init(frame: CGRect, configuration: WKWebViewConfiguration) { self.configuration = configuration }
    public var url: URL? { nil }
    public var isLoading: Bool { false }
    @discardableResult public func load(_ request: URLRequest) -> WKNavigation? { nil }
    public func evaluateJavaScript(_ script: String) async throws -> Any? { nil }
}
