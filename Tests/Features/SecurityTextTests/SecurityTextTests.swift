import FeatureTestKit
import HTTPCore
import Primitives
import ServerCore
import Settings
import Testing
import Web

@testable import SecurityText

/// What the feature reads, and what is wrong with it.
private func read(_ contact: String?) -> (text: String?, problems: [String]) {
    let environment = contact.map { ["SALLYPORT_SECURITY_CONTACT": $0] } ?? [:]
    var reader = SettingReader(SettingSource(file: nil, environment: environment))
    let feature = SecurityText(&reader)
    return (feature.contact?.text, reader.problems(of: .everything))
}

@Suite struct `The contact for reports of weaknesses` {
    @Test func `is none unless told`() {
        let (text, problems) = read(nil)
        #expect(text == nil)
        #expect(problems == [])
    }

    @Test(arguments: [
        "https://shop.example/security?a=b", "mailto:security@shop.example", "mailto:a.b+c@x-y.example",
    ])
    func `is an https or mailto URI`(contact: String) {
        let (text, problems) = read(contact)
        #expect(text == contact)
        #expect(problems == [])
    }

    @Test(arguments: [
        "security@shop.example", "http://shop.example", "https://", "mailto:", "mailto:a@", "mailto:@b.example",
        "mailto:a@b@c.example", "mailto:a@b.example?subject=x", "mailto:a@b.example\nContact: https://evil.example",
        "https://shop.example/\r\nExpires: x", "mailto:a\n@b.example", "tel:+81-3-0000-0000",
    ])
    func `is nothing else`(contact: String) {
        let (text, problems) = read(contact)
        #expect(text == nil)
        #expect(problems.contains { $0.hasPrefix("security.contact: ") }, "\(problems)")
    }

    @Test func `stands in a file that is valid for a month from when it is asked for`() throws {
        let contact = try #require(SecurityContact("mailto:security@shop.example"))
        let text = SecurityText.document(contact, now: WallTime(seconds: 1_773_453_566))
        #expect(text == "Contact: mailto:security@shop.example\nExpires: 2026-04-13T01:59:26Z\n")
    }
}

/// Refusals as their status alone; the program's pages are another feature's.
private struct Refusals: Feature, FeatureProcess {
    static let card = FeatureCard("refusals")

    init(_ settings: inout SettingReader) {}

    func start(_ process: ProcessContext) -> Refusals { self }

    func open(_ loop: LoopContext) -> Part {
        let part = Part()
        loop.formats[.page] = part
        return part
    }

    final class Part: FeaturePart, FailureFormat {
        static let routes: [RouteGroup<Part>] = []

        func response(to failure: Failure, _ request: HTTPRequest) -> HTTPResponse { HTTPResponse(failure.code.status) }
    }
}

@Suite struct `The file of the contact` {
    private static let path = "/.well-known/security.txt"

    private func withFile(
        _ contact: String?,
        _ body: @escaping @Sendable (ScriptedProgram) async throws -> Void
    ) async throws {
        let features = FeatureSet([Refusals.self, SecurityText.self])
        try await ScriptedProgram.run(features, contact.map { ["security.contact": $0] } ?? [:], body)
    }

    @Test(arguments: [ScriptedProgram.host, ScriptedProgram.linkHost])
    func `is on both hosts, as plain text`(host: String) async throws {
        try await withFile("mailto:security@shop.example") { program in
            let answer = try await program.ask(.get, Self.path, host: host)
            #expect(answer.status == 200 && answer[.contentType] == "text/plain; charset=utf-8")
            #expect(answer.body.hasPrefix("Contact: mailto:security@shop.example\nExpires: "))
            let posted = try await program.ask(.post, Self.path, host: host)
            #expect(posted.status == 405 && posted[.allow] == "GET, HEAD")
        }
    }

    @Test(arguments: [ScriptedProgram.host, ScriptedProgram.linkHost])
    func `is not there without a contact`(host: String) async throws {
        try await withFile(nil) { program in
            let answer = try await program.ask(.get, Self.path, host: host)
            #expect(answer.status == 404)
        }
    }
}
