package import MerchantOrders
import Primitives
import ServiceAPI
package import StrictJSON
package import Web

extension PaymentMemo {
    /// The greatest number of metadata.
    package static let maximumMetadata = OrderDraft.maximumMetadata

    /// Takes `reason` and `metadata` out of a request.
    ///
    /// - Throws: `invalid_request` for too many, too long or unprintable texts.
    package init(from body: inout JSONReader) throws(Failure) {
        var reader = body
        let (reason, metadata) = try Failure.reading { () throws(JSONRefusal) in
            (try reader.optionalText("reason"), try reader.texts("metadata"))
        }
        body = reader
        self.init(reason: try Failure.cleaned(optional: reason, "reason", 255))
        guard !metadata.isEmpty else { return }
        do throws(DraftRefusal) {
            let members = try OrderDraft.cleaned(metadata: metadata).sorted { $0.key < $1.key }
            self.metadata = JSONValue.object(members.map { JSONMember($0.key.string, .string($0.value)) }).bytes
        } catch {
            throw Failure(error)
        }
    }

    /// The metadata as merchants read them; an empty object for none.
    var metadataJSON: JSONValue {
        // Written by the program: what cannot be read is shown as absent, not as a failure of the whole answer.
        metadata.flatMap { try? JSONParser.parse($0) } ?? [:]
    }
}
