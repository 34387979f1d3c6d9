package import HTTPCore
package import Primitives
package import StrictJSON

/// The answer of a handler below `/v1`.
package struct ServiceAnswer {
    package let status: HTTPStatus
    /// JSON.
    package let body: [UInt8]
    /// For `Webview-Session-Id`.
    package let webviewSession: UUIDBytes?
    /// Seconds for `Retry-After`, where there will be more to say.
    package var retryAfter: Int?
    /// Whether it is the kept answer of an earlier request.
    package var isReplayed = false

    /// An answer with 200, 201 or 202.
    package init(_ status: HTTPStatus, _ body: JSONValue, webviewSession: UUIDBytes? = nil) {
        self.init(status, bytes: body.bytes, webviewSession: webviewSession)
    }

    /// An answer that is rendered already.
    package init(_ status: HTTPStatus, bytes: [UInt8], webviewSession: UUIDBytes? = nil) {
        self.status = status
        body = bytes
        self.webviewSession = webviewSession
    }
}
