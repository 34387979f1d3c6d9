package import HTTPCore

// What the fields of a request say of the page that caused it: Origin, and Fetch Metadata of the W3C.

extension HTTPRequest {
    /// Refuses a state-changing request that another site caused: T13 of docs/contract.md.
    ///
    /// - Parameter own: The origin of the site's pages, from the settings.
    /// - Throws: `csrf_rejected`.
    package func requireSameOrigin(as own: String) throws(Failure) {
        var isForeign = false
        forEachValue(.origin) { isForeign = isForeign || !$0.isSameOrigin(as: own.utf8Span.span) }
        guard !isForeign else { throw Failure(.csrfRejected, "foreign Origin") }
        // `none` is the user's own doing, such as a reload by hand: no other site can cause it, but a request that was typed has
        // no Origin, so that only what began on an own page has both.
        let isReload = fieldIs(.secFetchSite, "none") && count(.origin) > 0
        if count(.secFetchSite) > 0, !isReload, !fieldIs(.secFetchSite, "same-origin") {
            throw Failure(.csrfRejected, "foreign Sec-Fetch-Site")
        }
    }

    /// Whether the request says that a page of this origin caused it; ask after `requireSameOrigin`.
    package var namesOwnOrigin: Bool { count(.origin) > 0 || fieldIs(.secFetchSite, "same-origin") }

    /// Whether the request only looks ahead, or does not come from a top-level navigation: T07 of docs/contract.md.
    ///
    /// A prefetcher, a prerenderer, a link preview or an embedded load must not use a ticket up.
    package var isPrefetch: Bool {
        // Each browser had its own field and word, and libraries copy any of them: no navigation has one of these words.
        for field in Prefetch.fields where count(field) > 0 {
            if Prefetch.words.contains(where: { fieldLists(field, $0) }) { return true }
        }
        if count(.secFetchDestination) > 0, !fieldIs(.secFetchDestination, "document") { return true }
        return count(.secFetchMode) > 0 && !fieldIs(.secFetchMode, "navigate")
    }
}

private enum Prefetch {
    static let fields: [HTTPFieldName] = [.secPurpose, .purpose, .xPurpose, .xMoz]
    static let words: [StaticString] = ["prefetch", "prerender", "preview", "instant"]
}

/// What a browser says about the page that led to a request, Fetch Metadata.
package enum FetchSite: Int, Sendable, CaseIterable {
    /// No such field.
    case absent
    /// No page: the user's own doing, or another program's.
    case none
    /// A page of the same origin.
    case sameOrigin
    /// A page of a sibling domain.
    case sameSite
    /// A page of another site.
    case crossSite
    /// An unknown word.
    case other

    /// The word on the wire; `absent` and `other` never come over it.
    package var word: String {
        switch self {
        case .absent: "absent"
        case .none: "none"
        case .sameOrigin: "same-origin"
        case .sameSite: "same-site"
        case .crossSite: "cross-site"
        case .other: "other"
        }
    }

    /// What a request says.
    package init(_ request: HTTPRequest) {
        var found: FetchSite?
        request.forEachValue(.secFetchSite) { value in if found == nil { found = FetchSite(value) } }
        self = found ?? .absent
    }

    private init(_ value: Span<UInt8>) {
        self = FetchSite.fromWire.first { value.isEqual(to: $0.word.utf8Span.span) } ?? .other
    }

    private static let fromWire: [FetchSite] = [.none, .sameOrigin, .sameSite, .crossSite]
}
