import Cryptography
import DeviceAttestation
import Primitives
import Testing

@Suite("An answer about a receipt")
struct AttestReceiptAnswerTests {
    private static func read(_ status: Int, _ text: String) -> AttestReceiptAnswer {
        AttestReceiptAnswer(status: status, content: Array(text.utf8))
    }

    @Test func `is a newer receipt where it has one, in Base64`() {
        #expect(Self.read(200, "AQID") == .receipt([1, 2, 3]))
        #expect(Self.read(200, "AQID\r\n") == .receipt([1, 2, 3]))
        let large = Base64.encode([UInt8](repeating: 1, count: AttestReceipt.greatestSize + 1))
        for text in ["", "\n", " AQID", "AQ ID", "AQI", "<html></html>", "{}", large] {
            #expect(Self.read(200, text) == .unreadable)
        }
    }

    @Test func `is known by its status, whatever its content`() {
        let expected: [(Int, AttestReceiptAnswer)] = [
            (304, .early), (400, .badRequest), (401, .credentials), (403, .credentials), (404, .noData),
            (405, .badRequest), (413, .badRequest), (429, .throttled), (500, .unavailable), (503, .unavailable),
            (599, .unavailable), (201, .unreadable), (204, .unreadable), (302, .unreadable), (418, .unreadable),
        ]
        for (status, answer) in expected {
            for text in ["", "AQID", "No data found"] { #expect(Self.read(status, text) == answer, "\(status)") }
            #expect(AttestReceiptAnswer.outcomes.contains(answer.outcome))
        }
    }

    @Test func `says nothing of the service where it is of one key`() {
        let ofKey: [AttestReceiptAnswer] = [.receipt([1]), .early, .noData]
        #expect(ofKey.allSatisfy { $0.ofService == .ok })
        #expect(AttestReceiptAnswer.throttled.ofService == .throttled)
        #expect(AttestReceiptAnswer.credentials.ofService == .credentials)
    }

    @Test func `is signed under a root that Apple publishes`() throws {
        let root = try AppleReceiptRoot.certificate()
        #expect(root.fingerprint.hexadecimal == AppleReceiptRoot.fingerprint)
    }
}
