import Foundation
import Pages
import Primitives
import Testing

@testable import Checkout

private let all = StaticAsset.ofEveryPage + StaticAsset.ofCheckout

/// The files of `public/` and their addresses.
@Suite struct `The static files` {
    @Test func `have their content's hash in the name`() throws {
        let addresses = Samples.assets.files.map(\.urlPath)
        #expect(addresses.contains("/static/css/sallyport.abababababababab.css"))
        #expect(addresses.contains("/static/img/mark.abababababababab.svg"))
        #expect(Set(addresses).count == addresses.count)
    }

    @Test func `say what they are`() {
        let types = Dictionary(grouping: Samples.assets.files, by: \.contentType).mapValues(\.count)
        #expect(types == ["text/css; charset=utf-8": 1, "text/javascript; charset=utf-8": 6, "image/svg+xml": 3])
    }

    @Test func `are all read, and a missing one stops the start`() {
        struct Missing: Error {}
        #expect(throws: Missing.self) {
            _ = try StaticAssets(
                StaticAsset.ofCheckout,
                read: { path throws(Missing) in
                    guard path != "js/cart.js" else { throw Missing() }
                    return []
                },
                digest: { _ in Samples.digest }
            )
        }
    }

    @Test func `lie in the folder`() throws {
        let folder = Samples.packageRoot.appending(path: "public")
        let found = try #require(FileManager.default.enumerator(atPath: folder.path()))
        let files = found.compactMap { $0 as? String }.filter { $0.contains(".") }
        #expect(Set(all.map(\.path)).subtracting(files) == [])
    }

    @Test(arguments: all.filter { $0.path.hasSuffix(".js") })
    func `hold no way from text to code`(asset: StaticAsset) throws {
        let script = String(decoding: try Samples.readPublic(asset.path), as: UTF8.self)
        for sink in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "http"]
        {
            #expect(!script.contains(sink), "\(asset.path) uses \(sink)")
        }
    }

    @Test(arguments: all.filter { $0.path.hasSuffix(".css") })
    func `hold no style that asks for more`(asset: StaticAsset) throws {
        let styles = String(decoding: try Samples.readPublic(asset.path), as: UTF8.self)
        for request in ["url(", "@import", "http", "</"] { #expect(!styles.contains(request)) }
    }

    @Test(arguments: all.filter { $0.path.hasSuffix(".svg") })
    func `hold no picture with script or style in it`(asset: StaticAsset) throws {
        let picture = String(decoding: try Samples.readPublic(asset.path), as: UTF8.self)
        for part in ["<script", "<style", "style=", "href", "<image", " on"] { #expect(!picture.contains(part)) }
    }

    @Test(arguments: everyPage) func `are there for every page that asks`(page: RenderedPage) {
        let served = Set(Samples.assets.files.map(\.urlPath))
        for tag in ScannedDocument(page.text).tags {
            guard let address = tag.value("src") ?? tag.value("href"), address.hasPrefix("/static/") else { continue }
            #expect(served.contains(address))
        }
    }
}
