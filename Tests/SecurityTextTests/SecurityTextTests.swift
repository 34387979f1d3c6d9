import Primitives
import Settings
import Testing

@testable import SecurityText

/// What the feature reads, and what is wrong with it.
private func read(_ contact: String?) -> (text: String?, problems: [String]) {
    let environment = contact.map { ["SALLYPORT_SECURITY_CONTACT": $0] } ?? [:]
    var reader = SettingReader(SettingSource(file: nil, environment: environment))
    let feature = SecurityText(&reader)
    return (feature?.contact?.text, reader.problems(of: .everything))
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
