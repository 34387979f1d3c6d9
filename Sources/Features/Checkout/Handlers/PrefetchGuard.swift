import HTTPCore

/// Decides from the fields of a request whether it may have the effect of an open: T07 of docs/contract.md.
///
/// A prefetcher, a prerenderer, a link preview or an embedded load must not use a ticket up.
enum PrefetchGuard {
    /// Whether the request only looks ahead, or does not come from a top-level navigation.
    static func isPrefetch(_ request: HTTPRequest) -> Bool {
        // Each browser had its own field and word, and libraries copy any of them: no navigation has one of these words.
        for field in purposes where request.count(field) > 0 {
            if words.contains(where: { request.fieldLists(field, $0) }) { return true }
        }
        if request.count(.secFetchDestination) > 0, !request.fieldIs(.secFetchDestination, "document") { return true }
        return request.count(.secFetchMode) > 0 && !request.fieldIs(.secFetchMode, "navigate")
    }

    private static let purposes: [HTTPFieldName] = [.secPurpose, .purpose, .xPurpose, .xMoz]
    private static let words: [StaticString] = ["prefetch", "prerender", "preview", "instant"]
}
