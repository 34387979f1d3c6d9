import AmazonPaySimulator
import Cryptography
import EventIO
import Primitives
import StrictJSON
import TestKit
import Testing

@Suite("The envelope of a notification")
struct EnvelopeTests {
    // The vectors lie with the tests of the receiver, their key with those of cryptography.
    private static let vectors: [VectorCase] = {
        guard let bytes = try? Files.read(ProjectFolder.vectors("NotificationsTests") + "/ipn.json"),
            let file = try? JSONParser.parse(bytes)
        else { return [] }
        return (file["valid"]?.elements ?? []).map(VectorCase.init)
    }()

    @Test func `has vectors`() {
        #expect(Self.vectors.count == 15)
    }

    @Test(arguments: vectors)
    func `is signed bit for bit as in the vectors`(vector: VectorCase) throws {
        let key = try RSAPrivateKey(
            pem: Secret(
                try Files.read(ProjectFolder.vectors("CryptographyTests", on: "Platform") + "/sns-leaf-key.pem")
            )
        )
        let body = try JSONParser.parse(Array(vector.text("body").utf8))
        func text(_ names: String...) -> String? { names.lazy.compactMap { body[$0]?.text }.first }
        var envelope = NotificationEnvelope(
            messageID: text("MessageId") ?? "",
            topicARN: text("TopicArn") ?? "",
            message: text("Message") ?? "",
            timestamp: text("Timestamp") ?? "",
            certificateURL: text("SigningCertURL", "SigningCertUrl") ?? ""
        )
        envelope.kind = try #require(text("Type").flatMap(NotificationEnvelope.Kind.init))
        envelope.subject = text("Subject")
        envelope.version = text("SignatureVersion") ?? ""
        envelope.token = text("Token")
        envelope.subscribeURL = text("SubscribeURL", "SubscribeUrl")
        #expect(envelope.signedText == vector.text("canonicalString"))
        #expect(try envelope.signature(by: key) == text("Signature"))
    }
}
