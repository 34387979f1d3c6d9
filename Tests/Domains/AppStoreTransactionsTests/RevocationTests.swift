import AppStoreTransactions
import HTTPCore
import JOSE
import Primitives
import StrictJSON
import Testing

@Suite("A check for revoked certificates")
struct RevocationTests {
    static let cases = AppStoreVectors.cases("ocsp.json")
    private let text: [UInt8]
    private let verifier: SignedTextVerifier

    init() throws {
        text = Array(try #require(AppStoreVectors.json("ocsp.json")["meta"]?["jws"]?.text).utf8)
        verifier = try AppStoreVectors.verifier()
    }

    @Test func `comes in 15 cases`() { #expect(RevocationTests.cases.count == 15) }

    private func response(_ item: VectorCase, _ name: String) throws -> InboundResponse {
        let answer = try #require(item.json[name])
        return InboundResponse(
            status: try #require(answer["httpStatus"]?.integer),
            body: try #require(AppStoreVectors.base64(answer["bodyBase64"]?.text ?? ""))
        )
    }

    @Test(arguments: cases)
    func `has the verdict of the vendor's library`(item: VectorCase) throws {
        let check = try RevocationCheck(verifier.certificates(of: text, at: AppStoreVectors.now))
        let answers = [try response(item, "intermediate"), try response(item, "leaf")]
        do throws(SignedTextRefusal) {
            for (question, answer) in zip(check.questions, answers) {
                let until = try check.verify(answer, to: question, at: AppStoreVectors.now)
                #expect(until > AppStoreVectors.now)
            }
            #expect(item.json["oracle"]?["verdict"] == "accept")
        } catch {
            #expect(item.json["oracle"]?["verdict"] == "reject")
            #expect(error.isRetryable == !item.id.hasSuffix("revoked"))
            if item.id.hasSuffix("revoked") { #expect(error == .certificate(.revoked)) }
        }
    }

    @Test func `asks the addresses in the certificates, intermediate first`() throws {
        let check = try RevocationCheck(verifier.certificates(of: text, at: AppStoreVectors.now))
        let meta = try #require(AppStoreVectors.json("ocsp.json")["meta"])
        let urls = check.questions.map { $0.url.origin + $0.url.rest }
        #expect(urls == [meta["intermediateUrl"]?.text, meta["leafUrl"]?.text])
        #expect(check.questions.allSatisfy { !$0.body.isEmpty })
        #expect(throws: SignedTextRefusal.revocationUnknown(.noAnswer)) {
            try check.verify(nil, to: check.questions[0], at: AppStoreVectors.now)
        }
        #expect(throws: Never.self) { try verifier.transaction(text, at: AppStoreVectors.now) }
    }

    @Test func `is not passed by certificates that name nobody to ask`() throws {
        let text = try AppStoreVectors.text("tx-consumable-full")
        let path = try verifier.certificates(of: text, at: AppStoreVectors.now)
        #expect(throws: SignedTextRefusal.certificate(.noResponder)) { try RevocationCheck(path) }
    }

    @Test func `is of certificates that are valid now, not when the text was signed`() throws {
        let text = try AppStoreVectors.text("leaf-expired-now-valid-when-signed")
        #expect(throws: SignedTextRefusal.certificate(.validity)) {
            try verifier.certificates(of: text, at: AppStoreVectors.now)
        }
        #expect(throws: SignedTextRefusal.signature(.signature)) {
            try verifier.certificates(of: AppStoreVectors.text("signature-by-other-key"), at: AppStoreVectors.now)
        }
    }
}
