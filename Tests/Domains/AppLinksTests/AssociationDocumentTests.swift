import AppLinks
import Foundation
import Testing

@Suite("An association document")
struct AssociationDocumentTests {
    private static let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")

    private func apple(_ services: [String] = ["applinks", "webcredentials"], clip: Bool = false) throws -> AppleApp {
        try AppleApp(prefix: "ABCDE12345", bundle: "com.example.shop", services: services, isClip: clip)
    }

    private func android(dynamic: Bool = false) throws -> AndroidApp {
        try AndroidApp(
            package: "com.example.shop",
            fingerprints: [AssociationDocumentTests.fingerprint],
            isDynamic: dynamic
        )
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func `for Apple holds both forms`() throws {
        let expected = """
            {"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.shop",\
            "appIDs":["ABCDE12345.com.example.shop"],"paths":["/index.html"],"components":[\
            {"/":"/index.html","?":{"secureWebviewSessionId":"swc_?*","old_secureWebviewSessionId":"swa_?*",\
            "accessToken":"?*","orderReferenceId":"?*"},"caseSensitive":true,"comment":"return from the secure tab"},\
            {"/":"*","exclude":true,"comment":"nothing else opens the app"}]}]},\
            "webcredentials":{"apps":["ABCDE12345.com.example.shop"]}}
            """
        #expect(text(AssociationDocument.apple([try apple()], LinkRules(.returnLink))) == expected)
    }

    @Test func `for Apple in profile compat drops the query patterns and keeps the exclusion`() throws {
        let document = text(AssociationDocument.apple([try apple()], LinkRules(.returnPath)))
        #expect(!document.contains("\"?\""))
        #expect(document.contains(#""paths":["/index.html"]"#))
        #expect(document.contains(#"{"/":"*","exclude":true"#))
    }

    @Test func `for Apple opens everything on request only`() throws {
        let document = text(AssociationDocument.apple([try apple()], LinkRules(.everything)))
        #expect(document.contains(#""paths":["*"]"#))
        #expect(!document.contains("exclude"))
    }

    @Test func `has one entry for each app, and only the services that some app has`() throws {
        let two = [
            try apple(["applinks"]),
            try AppleApp(prefix: "ZZZZZ00000", bundle: "com.example.clip", services: [], isClip: true),
        ]
        let object = try #require(parsed(AssociationDocument.apple(two, LinkRules(.returnLink))) as? [String: Any])
        #expect(object.keys.sorted() == ["appclips", "applinks"])
        let links = try #require(object["applinks"] as? [String: Any])
        let details = try #require(links["details"] as? [[String: Any]])
        #expect(details.compactMap { $0["appID"] as? String } == ["ABCDE12345.com.example.shop"])
        let clips = try #require(object["appclips"] as? [String: [String]])
        #expect(clips["apps"] == ["ZZZZZ00000.com.example.clip"])
    }

    @Test func `without apps is an empty object, and an empty list for Android`() {
        #expect(text(AssociationDocument.apple([], LinkRules(.returnLink))) == "{}")
        #expect(text(AssociationDocument.android([], LinkRules(.returnLink))) == "[]")
    }

    @Test func `for Android is a list of statements`() throws {
        let expected = """
            [{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app",\
            "package_name":"com.example.shop","sha256_cert_fingerprints":["\(AssociationDocumentTests.fingerprint)"]}}]
            """
        #expect(text(AssociationDocument.android([try android()], LinkRules(.returnLink))) == expected)
    }

    @Test func `for Android 15 carries the same patterns under the relation`() throws {
        let document = AssociationDocument.android([try android(dynamic: true)], LinkRules(.returnLink))
        let statements = try #require(parsed(document) as? [[String: Any]])
        let extensions = try #require(statements.first?["relation_extensions"] as? [String: [String: Any]])
        let relation = try #require(extensions["delegate_permission/common.handle_all_urls"])
        let components = try #require(relation["dynamic_app_link_components"] as? [[String: Any]])
        #expect(components.count == 2)
        #expect(components.first?["/"] as? String == "/index.html")
        #expect((components.first?["?"] as? [String: String])?.count == 4)
        #expect(components.last?["exclude"] as? Bool == true)
    }

    @Test func `is the same, byte for byte, each time it is made`() throws {
        let apps = try (0..<40).map {
            try AppleApp(
                prefix: "ABCDE12345",
                bundle: "com.example.shop\($0)",
                services: AppleApp.Service.allCases.map(\.rawValue)
            )
        }
        let first = AssociationDocument.apple(apps, LinkRules(.returnLink))
        #expect((0..<5).allSatisfy { _ in AssociationDocument.apple(apps, LinkRules(.returnLink)) == first })
        #expect(first.count < 128 * 1024)
        #expect(first.allSatisfy { $0 < 0x80 })
    }

    private func parsed(_ bytes: [UInt8]) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(bytes))
    }
}
