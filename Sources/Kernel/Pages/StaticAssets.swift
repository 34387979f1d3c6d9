package import Primitives

/// A file of `public/` that pages ask for.
package struct StaticAsset: Sendable, Hashable {
    /// Path of the file below `public/`.
    package let path: String

    /// A file, whose ending says what it is.
    package init(_ path: StaticString) {
        self.path = path.description
    }

    /// The one style sheet.
    package static let styles = StaticAsset("css/sallyport.css")
    /// The style sheet of pages that carry it inside; never served as a file.
    package static let inlineStyles = StaticAsset("css/link.css")
    /// The shop's mark; also the page icon.
    package static let mark = StaticAsset("img/mark.svg")
    /// What every page needs, whichever feature has it.
    package static let ofEveryPage: [StaticAsset] = [.styles, .inlineStyles, .mark]

    /// The value of the `Content-Type` field.
    package var contentType: String {
        switch path.split(separator: ".").last {
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        default: "image/svg+xml"
        }
    }
}

/// A style sheet of our own, to stand inside a document.
package struct InlineStyles: Sendable {
    let bytes: [UInt8]
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

    /// Every file to serve, in the order that was given.
    package let files: [File]

    /// The style sheet with the shop's colour, where there is one.
    let shopStyles: LinkTarget?
    /// The value of the `type` attribute of the page icon.
    let iconType: String
    /// The style sheet of the pages that carry it inside.
    package let inlineStyles: InlineStyles

    private let targets: [StaticAsset: LinkTarget]

    /// Reads every file that a page can ask for.
    ///
    /// - Parameters:
    ///   - assets: All that pages name, beside those of every page.
    ///   - read: Gives the content of a file by its path below `public/`.
    ///   - digest: SHA-256 of a content.
    ///   - look: What the shop has of its own.
    /// - Throws: What `read` throws; a missing file stops the start, since a page would come without it.
    package init<Failure: Error>(
        _ assets: [StaticAsset],
        read: (String) throws(Failure) -> [UInt8],
        digest: ([UInt8]) -> Digest32,
        look: ShopLook = ShopLook()
    ) throws(Failure) {
        var files: [File] = []
        var targets: [StaticAsset: LinkTarget] = [:]
        var inlineStyles: [UInt8] = []
        func add(_ path: String, _ contentType: String, _ bytes: [UInt8]) -> LinkTarget? {
            let path = Self.urlPath(path, digest(bytes))
            files.append(File(urlPath: path, contentType: contentType, bytes: bytes))
            return LinkTarget(path)
        }
        for asset in StaticAsset.ofEveryPage + assets {
            let bytes = try read(asset.path)
            if asset == .inlineStyles {
                inlineStyles = bytes + (look.accent?.styles ?? [])
            } else {
                targets[asset] = add(asset.path, asset.contentType, bytes)
            }
        }
        if let logo = look.logo { targets[.mark] = add("shop/logo.\(logo.ending)", logo.contentType, logo.bytes) }
        shopStyles = look.accent.flatMap { add("shop/colours.css", StaticAsset.styles.contentType, $0.styles) }
        iconType = look.logo?.contentType ?? StaticAsset.mark.contentType
        self.files = files
        self.targets = targets
        self.inlineStyles = InlineStyles(bytes: inlineStyles)
    }

    /// The address of a file.
    package subscript(asset: StaticAsset) -> LinkTarget { targets[asset] ?? .root }

    private static func urlPath(_ path: String, _ digest: Digest32) -> String {
        let dot = path.lastIndex(of: ".") ?? path.endIndex
        return "/static/\(path[..<dot]).\(Hex.encode(Array(digest.bytes.prefix(8))))\(path[dot...])"
    }
}
