import Foundation
import Testing

/// Every page against the file that was kept of it, byte for byte.
///
/// `SALLYPORT_UPDATE_GOLDEN=1 swift test --filter 'CheckoutTests.*kept pages'` writes the files anew; read the difference before keeping it.
@Suite struct `The kept pages` {
    private static let isUpdating = ProcessInfo.processInfo.environment["SALLYPORT_UPDATE_GOLDEN"] == "1"
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    @Test(arguments: everyPage) func `a page is the kept one`(page: RenderedPage) throws {
        let file = Self.folder.appending(path: "\(page.name).html")
        if Self.isUpdating { try Data(page.bytes).write(to: file) }
        let kept = Array(try Data(contentsOf: file))
        if kept != page.bytes { Attachment.record(page.text, named: "\(page.name).html") }
        #expect(kept == page.bytes, "differs from Golden/\(page.name).html")
    }

    @Test func `every kept file belongs to a page`() throws {
        let kept = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path())
        #expect(Set(kept) == Set(everyPage.map { "\($0.name).html" }))
    }
}
