import AmazonPaySimulator
import Cryptography
import Primitives
import StrictJSON
import Testing

extension Bench {
    static let topic = "arn:aws:sns:ap-northeast-1:000000000000:\(merchantID)"
    static let receiver = "https://shop.example.test/ipn"

    /// Lets the merchant be notified.
    mutating func subscribe(_ more: [String: JSONValue] = [:]) {
        var target: [String: JSONValue] = ["url": .string(Bench.receiver), "topicArn": .string(Bench.topic)]
        for (name, value) in more { target[name] = value }
        let body = JSONValue.object(target.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value) })
        let answer = control("POST", "ipn/target", body)
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// What goes out now; each delivery ends with a status.
    mutating func deliver(_ status: Int? = 200) -> [Delivered] {
        let deliveries = model.takePendingDeliveries(at: now)
        for delivery in deliveries { model.endDelivery(delivery.number, status: status, at: now) }
        return deliveries.map(Delivered.init)
    }

    /// What the file at a URL of the simulator holds.
    mutating func file(_ url: String) -> [UInt8] {
        guard url.hasPrefix("https://sim.example.test/") else { return [] }
        let answer = call("GET", String(url.dropFirst("https://sim.example.test".count)))
        return answer.status == 200 ? answer.body : []
    }

    /// The verdicts of a receiver about a notification: of its certificate, and whether its signature is good.
    mutating func judge(_ delivered: Delivered) throws -> (chain: ChainVerdict, isSigned: Bool) {
        let file = file(delivered.text("SigningCertURL"))
        guard !file.isEmpty else { return (.malformed, false) }
        let chain = try CertificateChain(anchorsPEM: control("GET", "ipn/anchor.pem").body)
        let verdict = chain.verify(leafPEM: file, names: ["sns.amazonaws.com"], at: now)
        let digest: DigestAlgorithm = delivered.text("SignatureVersion") == "1" ? .sha1 : .sha256
        let isSigned = try RSAPublicKey(certificatePEM: file).verifyPKCS1(
            Base64.decode(delivered.text("Signature")) ?? [],
            of: Array(delivered.signedText.utf8),
            digest: digest
        )
        return (verdict, isSigned)
    }

    mutating func deliveries() -> [JSONValue] {
        control("GET", "ipn/deliveries").json["entries"]?.elements ?? []
    }
}

/// A notification as a receiver sees it.
struct Delivered {
    let url: String
    let fields: [String: String]
    let body: JSONValue

    init(_ delivery: AmazonPayModel.PendingDelivery) {
        url = delivery.url
        fields = Dictionary(delivery.fields.map { ($0.name, $0.value) }) { first, _ in first }
        body = (try? JSONParser.parse(delivery.body)) ?? .null
    }

    func text(_ name: String) -> String { body[name]?.text ?? "" }

    /// The inner message.
    var message: JSONValue { (try? JSONParser.parse(Array(text("Message").utf8))) ?? .null }

    /// Written once more, from the rules and not from the sender.
    var signedText: String {
        ["Message", "MessageId", "Subject", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
            .compactMap { name in body[name]?.text.map { "\(name)\n\($0)\n" } }.joined()
    }
}
