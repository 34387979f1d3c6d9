package import MerchantOrders
import Primitives
package import StrictJSON
package import Web

extension PaymentMemo {
    /// The greatest number of metadata.
    package static let maximumMetadata = OrderDraft.maximumMetadata

    /// Takes `reason` and `metadata` out of a request.
    ///
    /// - Parameter body: Of the request.
    /// - Throws: `invalid_request` for too many, too long or unprintable texts.
    package init(from body: inout JSONReader) throws(Failure) {
        var reader = body
        let (reason, metadata) = try Failure.reading { () throws(JSONRefusal) in
            (try reader.optionalText("reason"), try reader.texts("metadata"))
        }
        body = reader
        if let reason { try Failure.check(reason, "reason", 1...255) }
        guard metadata.count <= PaymentMemo.maximumMetadata else {
            let rule = "At most \(PaymentMemo.maximumMetadata) members."
            throw Failure(.invalidRequest, message: rule, field: "metadata")
        }
        for (name, text) in metadata {
            try Failure.check(name, "metadata", 1...40)
            try Failure.check(text, "metadata", 0...255)
        }
        self.init(reason: reason)
        guard !metadata.isEmpty else { return }
        let members = metadata.sorted { $0.name.octets < $1.name.octets }
        self.metadata = JSONValue.object(members.map { JSONMember($0.name, .string($0.text)) }).bytes
    }

    /// The metadata as merchants read them; an empty object for none.
    var metadataJSON: JSONValue {
        // Written by the program: what cannot be read is shown as absent, not as a failure of the whole answer.
        metadata.flatMap { try? JSONParser.parse($0) } ?? [:]
    }
}
