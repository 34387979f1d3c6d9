import HTTPCore

/// Decides from the fields of a request whether it may have the effect of an open: session-security T07.
///
/// A prefetcher, a prerenderer, a link preview or an embedded load must not use a ticket up.
enum OpenGate {
    /// Whether the request only looks ahead, or does not come from a top-level navigation.
    static func isPrefetch(_ request: HTTPRequest) -> Bool {
        if request.fieldLists(.secPurpose, "prefetch") || request.fieldLists(.purpose, "prefetch") { return true }
        if request.fieldLists(.xMoz, "prefetch") || request.fieldLists(.xPurpose, "preview") { return true }
        if request.count(.secFetchDestination) > 0, !request.fieldIs(.secFetchDestination, "document") { return true }
        return request.count(.secFetchMode) > 0 && !request.fieldIs(.secFetchMode, "navigate")
    }

    /// Whether the page that led here is one that leads here in honest use: session-security 2.3.
    ///
    /// - Parameters:
    ///   - request: The open.
    ///   - isBrowserClient: True for client `browser`, whose cart page links to the button itself.
    /// - Returns: True also where the browser sends no such field.
    static func hasExpectedSite(_ request: HTTPRequest, isBrowserClient: Bool) -> Bool {
        guard request.count(.secFetchSite) > 0 else { return true }
        return request.fieldIs(.secFetchSite, isBrowserClient ? "same-origin" : "none")
    }
}
