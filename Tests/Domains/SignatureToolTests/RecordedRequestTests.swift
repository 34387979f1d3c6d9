import AmazonPay
import SignatureTool
import Testing

@Suite("A request that was written down")
struct RecordedRequestTests {
    private static let text =
        "post https://pay-api.amazon.jp/v2/a/?b=1#x HTTP/1.1\nHost: pay-api.amazon.jp\nContent-Length: 7\nX-Long: one\n two\n\n{\"a\":1}"

    @Test(arguments: ["\n", "\r\n"])
    func `is read with either line end`(end: String) throws {
        let text = RecordedRequestTests.text.split(separator: "\n", omittingEmptySubsequences: false).joined(
            separator: end
        )
        let recorded = try RecordedRequest(http: Array(text.utf8))
        #expect(recorded.request.method == "POST")
        #expect(recorded.request.path == "/v2/a/")
        #expect(recorded.request.query == "b=1")
        #expect(recorded.request.value("host") == "pay-api.amazon.jp")
        #expect(recorded.request.value("x-long") == "one two")
        #expect(recorded.request.body == Array("{\"a\":1}".utf8))
        #expect(recorded.notes.isEmpty)
    }

    @Test(arguments: ["\n", "\r\n"])
    func `loses the line end that an editor adds behind the counted body`(end: String) throws {
        let recorded = try RecordedRequest(http: Array((RecordedRequestTests.text + end).utf8))
        #expect(recorded.request.body == Array("{\"a\":1}".utf8))
        #expect(recorded.notes.map(\.code) == ["editor"])
    }

    @Test(arguments: [Int.min, -1, Int.max])
    func `keeps a body whose length cannot be right`(length: Int) throws {
        let text = RecordedRequestTests.text.replacing("Content-Length: 7", with: "Content-Length: \(length)")
        #expect(text.contains("\(length)"))
        #expect(try RecordedRequest(http: Array(text.utf8)).request.body == Array("{\"a\":1}".utf8))
    }

    @Test func `keeps a body that is not the counted one`() throws {
        let recorded = try RecordedRequest(http: Array((RecordedRequestTests.text + " ").utf8))
        #expect(recorded.request.body.count == 8)
        let explanation = SignatureExplanation(
            request: recorded.request,
            signer: .init(key: nil),
            now: Vectors.time
        )
        #expect(explanation.hints.contains { $0.code == "content_length" })
    }

    @Test(arguments: ["", "GET", "GET /a SPDY/3", "GET /a HTTP/1.1\nno colon\n\n", "GET /a\nbad name: x\n\n"])
    func `is refused where it is none`(text: String) {
        #expect(throws: RecordedRequest.Problem.self) { try RecordedRequest(http: Array(text.utf8)) }
    }

    @Test func `without a path asks for the root`() throws {
        let recorded = try RecordedRequest(http: Array("GET https://pay-api.amazon.jp?a=b HTTP/1.1\n\n".utf8))
        #expect(recorded.request.path == "/")
        #expect(recorded.request.query == "a=b")
    }

    @Test(arguments: [
        ("na", "pay-api.amazon.jp", "region"), ("xx", "pay-api.amazon.jp", "region"), ("jp", "pay-api.amazon.jp", ""),
        ("US", "pay-api.amazon.com", ""),
    ])
    func `gets a hint where its region and host disagree`(region: String, host: String, code: String) throws {
        let text = "GET /v2/a HTTP/1.1\nx-amz-pay-region: \(region)\nx-amz-pay-host: \(host)\n\n"
        let recorded = try RecordedRequest(http: Array(text.utf8))
        let explanation = SignatureExplanation(request: recorded.request, signer: .init(key: nil), now: Vectors.time)
        #expect(explanation.hints.map(\.code).contains("region") == !code.isEmpty)
    }

    @Test(arguments: [
        ("/sandbox/v2/a", "SANDBOX-AFTESTKEY0000000000000001", true), ("/v2/a", "AFTESTKEY0000000000000001", true),
        ("/v2/a", "SANDBOX-AFTESTKEY0000000000000001", false), ("/live/v2/a", "AFTESTKEY0000000000000001", false),
    ])
    func `gets a hint where path and key id disagree on the environment`(
        path: String,
        keyID: String,
        isOdd: Bool
    ) throws {
        let text =
            "GET \(path) HTTP/1.1\nAuthorization: AMZN-PAY-RSASSA-PSS PublicKeyId=\(keyID), SignedHeaders=a, Signature=b\n\n"
        let recorded = try RecordedRequest(http: Array(text.utf8))
        let explanation = SignatureExplanation(request: recorded.request, signer: .init(key: nil), now: Vectors.time)
        #expect(explanation.hints.map(\.code).contains("environment") == isOdd)
    }
}
