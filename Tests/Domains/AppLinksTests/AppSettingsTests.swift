import AppLinks
import Testing

@Suite("The settings of an app")
struct AppSettingsTests {
    @Test(
        arguments: [
            ("ABCDE1234", "com.example.shop", []), ("abcde12345", "com.example.shop", []),
            ("ABCDE12345X", "com.example.shop", []),
            ("ABCDE1234é", "com.example.shop", []), ("ABCDE12345", "", []), ("ABCDE12345", "com.example.*", []),
            ("ABCDE12345", "com example", []), ("ABCDE12345", "com.\"x", []),
            ("ABCDE12345", "com.example.shop", ["applink"]),
        ] as [(String, String, [String])]
    )
    func `for Apple are refused when malformed`(prefix: String, bundle: String, services: [String]) throws {
        let error = try #require(throws: AppLinkError.self) {
            try AppleApp(prefix: prefix, bundle: bundle, services: services)
        }
        #expect(error.problems.count == 1)
    }

    @Test func `for Apple name every problem at once`() throws {
        let error = try #require(throws: AppLinkError.self) {
            try AppleApp(prefix: "", bundle: "", services: ["a", "b"])
        }
        #expect(error.problems.count == 4)
    }

    @Test func `for Apple make an id and a set of services`() throws {
        let app = try AppleApp(prefix: "ABCDE12345", bundle: "com.Example-1.shop", services: ["applinks"], isClip: true)
        #expect(app.id == "ABCDE12345.com.Example-1.shop")
        #expect(app.services == [.appLinks, .appClips])
    }

    private static let good = Array(repeating: "0F", count: 32).joined(separator: ":")

    @Test(
        arguments: [
            ("com", [good]), ("com.", [good]), (".com.a", [good]), ("com.1a", [good]), ("com.ex-ample", [good]),
            ("", [good]),
            ("com.a", []), ("com.a", ["0F"]), ("com.a", [String(good.dropLast(3))]), ("com.a", [good + ":00"]),
            ("com.a", [good.replacing("0F:0F", with: "0FF:F")]), ("com.a", [good.replacing("F", with: "G")]),
            ("com.a", [good, good.lowercased()]),
        ] as [(String, [String])]
    )
    func `for Android are refused when malformed`(package: String, fingerprints: [String]) throws {
        let error = try #require(throws: AppLinkError.self) {
            try AndroidApp(package: package, fingerprints: fingerprints)
        }
        #expect(error.problems.count == 1)
    }

    @Test func `for Android bring fingerprints into upper case`() throws {
        let app = try AndroidApp(package: "com.example_1.shop", fingerprints: [AppSettingsTests.good.lowercased()])
        #expect(app.fingerprints == [AppSettingsTests.good])
        #expect(app.relations == [.handleAllURLs])
    }
}
