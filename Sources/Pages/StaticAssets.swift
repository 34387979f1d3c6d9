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

    private let targets: [StaticAsset: LinkTarget]
    private let contents: [StaticAsset: [UInt8]]

    /// Reads every file that a page can ask for.
    ///
    /// - Parameters:
    ///   - read: Gives the content of a file by its path below `public/`.
    ///   - digest: SHA-256 of a content.
    /// - Throws: What `read` throws; a missing file stops the start, since a page would come without it.
    package init<Failure: Error>(
        read: (String) throws(Failure) -> [UInt8],
        digest: ([UInt8]) -> Digest32
    ) throws(Failure) {
        var files: [File] = []
        var targets: [StaticAsset: LinkTarget] = [:]
        var contents: [StaticAsset: [UInt8]] = [:]
        for asset in StaticAsset.allCases {
            let bytes = try read(asset.path)
            contents[asset] = bytes
            guard asset != .linkStyles else { continue }
            let path = Self.urlPath(asset, digest(bytes))
            files.append(File(urlPath: path, contentType: asset.contentType, bytes: bytes))
            targets[asset] = LinkTarget(path)
        }
        self.files = files
        self.targets = targets
        self.contents = contents
    }

    /// The address of a file.
    subscript(asset: StaticAsset) -> LinkTarget { targets[asset] ?? .root }

    /// The content of a file, for a page that carries it inside.
    func content(_ asset: StaticAsset) -> [UInt8] { contents[asset] ?? [] }

    private static func urlPath(_ asset: StaticAsset, _ digest: Digest32) -> String {
        let dot = asset.path.lastIndex(of: ".") ?? asset.path.endIndex
        return "/static/\(asset.path[..<dot]).\(Hex.encode(Array(digest.bytes.prefix(8))))\(asset.path[dot...])"
    }
}
