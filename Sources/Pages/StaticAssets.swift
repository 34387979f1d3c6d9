import Commerce
package import Primitives

/// The files of `public/` that pages ask for, by logical name.
package enum StaticAsset: String, Sendable, CaseIterable {
    /// The one style sheet.
    case styles = "css/sallyport.css"
    /// The style sheet that the link host's page carries inside; never served as a file.
    case linkStyles = "css/link.css"
    /// Cart page: quantities, hand-over to the app, the global `purchase`.
    case cartScript = "js/cart.js"
    /// Completing a purchase from a page: shared by the cart page and the result page.
    case purchaseScript = "js/purchase.js"
    /// Button page: starts the checkout.
    case buttonScript = "js/button.js"
    /// Confirm page: change controls, one submission at a time.
    case confirmScript = "js/confirm.js"
    /// Result page of client `browser`: completes by itself.
    case resultScript = "js/result.js"
    /// Interstitial of open mode `auto_post`: posts by itself.
    case openScript = "js/open.js"
    /// The shop's mark; also the page icon.
    case mark = "img/mark.svg"
    /// Picture of the Fire HD8.
    case item0008 = "img/item0008.svg"
    /// Picture of the Fire HD10.
    case item0010 = "img/item0010.svg"

    /// The picture of an article; `nil` where there is none.
    static func picture(of article: Article) -> StaticAsset? {
        StaticAsset(rawValue: "img/\(article.id).svg")
    }

    /// Path of the file below `public/`.
    package var path: String { rawValue }

    /// The value of the `Content-Type` field.
    package var contentType: String {
        switch path.split(separator: ".").last {
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        default: "image/svg+xml"
        }
    }
}

/// The files of `public/` with the addresses under which they are served; made once at start.
package struct StaticAssets: Sendable {
    /// One file to serve.
    package struct File: Sendable {
        /// Absolute path with the content's hash in it, such as `/static/css/sallyport.0123456789abcdef.css`.
        package let urlPath: String
        /// The value of the `Content-Type` field.
        package let contentType: String
        /// The content.
        package let bytes: [UInt8]
    }

    /// Every file to serve, in the order of `StaticAsset.allCases`.
    package let files: [File]

    /// The style sheet with the shop's colour, where there is one.
    let shopStyles: LinkTarget?
    /// The value of the `type` attribute of the page icon.
    let iconType: String
    /// The style sheet of the pages that carry it inside.
    let linkStyles: [UInt8]

    private let targets: [StaticAsset: LinkTarget]

    /// Reads every file that a page can ask for.
    ///
    /// - Parameters:
    ///   - read: Gives the content of a file by its path below `public/`.
    ///   - digest: SHA-256 of a content.
    ///   - look: What the shop has of its own.
    /// - Throws: What `read` throws; a missing file stops the start, since a page would come without it.
    package init<Failure: Error>(
        read: (String) throws(Failure) -> [UInt8],
        digest: ([UInt8]) -> Digest32,
        look: ShopLook = ShopLook()
    ) throws(Failure) {
        var files: [File] = []
        var targets: [StaticAsset: LinkTarget] = [:]
        var linkStyles: [UInt8] = []
        func add(_ path: String, _ contentType: String, _ bytes: [UInt8]) -> LinkTarget? {
            let path = Self.urlPath(path, digest(bytes))
            files.append(File(urlPath: path, contentType: contentType, bytes: bytes))
            return LinkTarget(path)
        }
        for asset in StaticAsset.allCases {
            let bytes = try read(asset.path)
            if asset == .linkStyles {
                linkStyles = bytes + (look.accent?.styles ?? [])
            } else {
                targets[asset] = add(asset.path, asset.contentType, bytes)
            }
        }
        if let logo = look.logo { targets[.mark] = add("shop/logo.\(logo.ending)", logo.contentType, logo.bytes) }
        shopStyles = look.accent.flatMap { add("shop/colours.css", StaticAsset.styles.contentType, $0.styles) }
        iconType = look.logo?.contentType ?? StaticAsset.mark.contentType
        self.files = files
        self.targets = targets
        self.linkStyles = linkStyles
    }

    /// The address of a file.
    subscript(asset: StaticAsset) -> LinkTarget { targets[asset] ?? .root }

    private static func urlPath(_ path: String, _ digest: Digest32) -> String {
        let dot = path.lastIndex(of: ".") ?? path.endIndex
        return "/static/\(path[..<dot]).\(Hex.encode(Array(digest.bytes.prefix(8))))\(path[dot...])"
    }
}
