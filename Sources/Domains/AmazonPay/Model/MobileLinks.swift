/// Where the vendor's library for apps sends a buyer back to; all three are mandatory.
package struct MobileLinks: Sendable, Hashable {
    /// After the last page; gets the session's identifier, with which the server calls finalize.
    package let result: String
    /// After the buyer gave up.
    package let cancel: String
    /// After a failure.
    package let error: String

    /// Three links, taken as they are.
    ///
    /// - Parameters:
    ///   - result: https or a scheme of the app's own, at most 512 characters, no fragment.
    ///   - cancel: The same.
    ///   - error: The same.
    package init(result: String, cancel: String, error: String) {
        self.result = result
        self.cancel = cancel
        self.error = error
    }
}
