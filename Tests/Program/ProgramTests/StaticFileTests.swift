import Foundation
import Pages
import ServerCore
import TestKit
import Testing

@testable import Program

@Suite("The static files")
struct StaticFileTests {
    @Test func `are exactly those that features ask for, and styles ask for nothing more`() throws {
        let folder = ProjectFolder.path("public")
        let found = try #require(FileManager.default.enumerator(atPath: folder))
        let files = found.compactMap { $0 as? String }.filter { $0.contains(".") }
        let asked = StaticAsset.ofEveryPage + FeatureList.all.slots(StaticAsset.self)
        #expect(Set(files) == Set(asked.map(\.path)))
        for file in files where file.hasSuffix(".css") {
            let styles = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            for request in ["url(", "@import", "http", "</"] { #expect(!styles.contains(request), "\(file)") }
        }
    }
}
