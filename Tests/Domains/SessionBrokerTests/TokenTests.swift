import Cryptography
import Primitives
import SessionBroker
import TestKit
import Testing

@Suite("A token")
struct TokenTests {
    private let random = SeededRandom(seed: 7)
    private let webviewSession = UUIDBytes(high: 0x01A1_FCDD_1D14_7ABC, low: 0x8123_4567_89AB_CDEF)

    @Test func `of a webview session is a tag and 64 characters that carry the webview session in front`() throws {
        let ticket = LaunchTicket.mint(for: webviewSession, random: random)
        #expect(ticket.text.hasPrefix("swa_"))
        #expect(ticket.text.utf8.count == 68)
        #expect(ticket.text.dropFirst(4).utf8.allSatisfy { Base64URL.contains($0) })
        #expect(Base64URL.decode(String(ticket.text.dropFirst(4)))?.prefix(16) == webviewSession.bytes[...])
        #expect(LaunchTicket.parse(ticket.text)?.webviewSession == webviewSession)
        #expect(LaunchTicket.parse(ticket.text)?.text == ticket.text)
    }

    @Test func `is a fresh one each time`() {
        let hashes = (0..<100).map { _ in LaunchTicket.mint(for: webviewSession, random: random).hash }
        #expect(Set(hashes).count == 100)
    }

    @Test func `is hashed with its tag`() {
        let ticket = LaunchTicket.mint(for: webviewSession, random: random)
        #expect(ticket.hash == SHA256.digest(of: Array(ticket.text.utf8)))
        let proof = AppProof.mint(random: random)
        #expect(proof.hash == SHA256.digest(of: Array(proof.text.utf8)))
    }

    @Test func `of one role is none of another`() {
        let ticket = LaunchTicket.mint(for: webviewSession, random: random)
        let tab = TabToken.mint(for: webviewSession, random: random)
        let proof = AppProof.mint(random: random)
        #expect(TabToken.parse(ticket.text) == nil)
        #expect(ReturnTicket.parse(ticket.text) == nil)
        #expect(AppProof.parse(ticket.text) == nil)
        #expect(LaunchTicket.parse(tab.text) == nil)
        #expect(ReturnTicket.parse(tab.text) == nil)
        #expect(LaunchTicket.parse(proof.text) == nil)
        #expect(TabToken.parse("swb_" + ticket.text.dropFirst(4)) != nil)
        #expect(TabToken.parse("swb_" + ticket.text.dropFirst(4))?.hash != ticket.hash)
    }

    @Test(
        arguments: [
            "", "swa_", "swa_" + String(repeating: "A", count: 63), "swa_" + String(repeating: "A", count: 65),
            "SWA_" + String(repeating: "A", count: 64), "swa-" + String(repeating: "A", count: 64),
            "swa_" + String(repeating: "A", count: 63) + "=", "swa_" + String(repeating: "A", count: 63) + "+",
            "swa_" + String(repeating: "A", count: 63) + "/", "swa_" + String(repeating: "A", count: 63) + " ",
            "swa_" + String(repeating: "A", count: 63) + "\n", "swa_" + String(repeating: "A", count: 63) + "\0",
            "swa_" + String(repeating: "Ａ", count: 64), "swa_" + String(repeating: "A", count: 62) + "é",
            " swa_" + String(repeating: "A", count: 64), "swa_" + String(repeating: "A", count: 64) + "\r\n",
        ]
    )
    func `of another form is none`(text: String) {
        #expect(LaunchTicket.parse(text) == nil)
    }

    @Test(
        arguments: [
            "", "swp_", "swp_" + String(repeating: "A", count: 42), "swp_" + String(repeating: "A", count: 44),
            // The last character stands for four bits only.
            "swp_" + String(repeating: "A", count: 42) + "B", "swp_" + String(repeating: "A", count: 42) + "=",
            "swa_" + String(repeating: "A", count: 43),
        ]
    )
    func `of the app in another form is none`(text: String) {
        #expect(AppProof.parse(text) == nil)
    }

    @Test func `of the app comes back from its text`() {
        let proof = AppProof.mint(random: random)
        #expect(proof.text.utf8.count == 47)
        #expect(AppProof.parse(proof.text)?.hash == proof.hash)
    }

    @Test func `to return with follows from the tab token and from nothing else`() throws {
        let mac = try HMACSHA256()
        let tab = TabToken.mint(for: webviewSession, random: random)
        let ticket = ReturnTicket.derive(from: tab, using: mac)
        let secret = try #require(Base64URL.decode(String(tab.text.dropFirst(4)))).suffix(32)
        let expected = try HMACSHA256.tag(
            of: Array("sallyport/return/1".utf8) + webviewSession.bytes,
            key: Array(secret)
        )
        #expect(ticket.text == "swc_" + Base64URL.encode(webviewSession.bytes + expected.bytes))
        #expect(ReturnTicket.derive(from: tab, using: mac).text == ticket.text)
        let other = TabToken.mint(for: webviewSession, random: random)
        #expect(ReturnTicket.derive(from: other, using: mac).text != ticket.text)
    }

    @Test func `prints its tag and eight digits, however it is printed`() throws {
        let ticket = LaunchTicket.mint(for: webviewSession, random: random)
        let proof = AppProof.mint(random: random)
        let verifier = try #require(CodeVerifier.parse(String(repeating: "k", count: 43)))
        var dumped = ""
        dump([ticket], to: &dumped)
        dump([proof], to: &dumped)
        dump(verifier, to: &dumped)
        dumped += "\(ticket) \(proof) \(verifier) \(String(reflecting: ticket)) \(String(reflecting: proof))"
        #expect(!dumped.contains(ticket.text.dropFirst(4)))
        #expect(!dumped.contains(proof.text.dropFirst(4)))
        #expect(!dumped.contains("kkkk"))
        #expect("\(ticket)" == "swa_<\(Hex.encode(Array(ticket.hash.bytes.prefix(4))))>")
    }

    @Test func `to verify with is bound by its hash, by S256 only`() throws {
        // RFC 7636, appendix B.
        let verifier = try #require(CodeVerifier.parse("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        let text = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        #expect(CodeChallenge.parse(text, method: "S256")?.digest == verifier.digest)
        #expect(CodeChallenge.parse(text, method: "plain") == nil)
        #expect(CodeChallenge.parse(text, method: nil) == nil)
        #expect(CodeChallenge.parse(text + "A", method: "S256") == nil)
        for refused in [
            "", String(repeating: "a", count: 42), String(repeating: "a", count: 129), "é" + text, text + " ",
        ] {
            #expect(CodeVerifier.parse(refused) == nil)
        }
        #expect(CodeVerifier.parse(String(repeating: ".", count: 128)) != nil)
    }
}
