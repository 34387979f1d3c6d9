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

@MainActor open class WKWebView: UIResponder {
    public let configuration = WKWebViewConfiguration()
    public var url: URL? { nil }
    @discardableResult public func load(_ request: URLRequest) -> AnyObject? { nil }
    public func evaluateJavaScript(_ script: String) async throws -> Any? { nil }
}
