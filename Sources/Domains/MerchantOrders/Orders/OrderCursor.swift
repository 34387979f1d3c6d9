package import Primitives

/// A place in the list of orders: the order after which to go on.
///
/// The list runs from new to old by id, so that orders which come in between move nothing.
package struct OrderCursor: Sendable, Hashable {
    /// The last order of the page before.
    package let webviewSession: UUIDBytes

    /// The place behind an order.
    ///
    /// - Parameter webviewSession: The last order of a page.
    package init(after webviewSession: UUIDBytes) {
        self.webviewSession = webviewSession
    }

    /// The place that a text stands for, or `nil` where it is none.
    ///
    /// - Parameter text: 22 characters of base64url without padding.
    package init?(_ text: String) {
        guard text.utf8.count == 22, let bytes = Base64URL.decode(text), let webviewSession = UUIDBytes(bytes.span)
        else {
            return nil
        }
        self.webviewSession = webviewSession
    }

    /// 22 characters of `[A-Za-z0-9_-]`.
    package var text: String { Base64URL.encode(webviewSession.bytes) }
}
