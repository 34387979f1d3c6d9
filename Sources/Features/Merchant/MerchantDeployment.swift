import MerchantAPI
import MerchantOrders
import ServerCore
import StrictJSON
import Web
import Webhooks

/// What the settings decide about the interface for merchants' programs; one for all loops.
final class MerchantDeployment: Sendable {
    /// What orders may be.
    let policy: OrderPolicy
    /// How often its clients may ask.
    let limits: MerchantLimits
    /// Missing and unknown keys by address; `nil` for no limit.
    let keyMisses: AddressRateLimit?
    /// The fields of answers to requests that no limit has counted.
    let fields: AnswerFields
    /// The description of the interface.
    let document: FixedAnswer

    /// The interface, or `nil` where it is not served.
    ///
    /// - Parameters:
    ///   - settings: Checked.
    ///   - unknownPerMinute: Missing and unknown keys of an address; `nil` for no limit.
    init?(_ settings: MerchantSettings, _ policy: OrderPolicy, unknownPerMinute: Int?, _ process: ProcessContext) {
        guard settings.isServed else { return nil }
        self.policy = policy
        limits = MerchantLimits(perMinute: settings.requestsPerMinute, process.headers)
        keyMisses = unknownPerMinute.map { AddressRateLimit(perMinute: $0) }
        fields = AnswerFields(process.headers)
        let description = OpenAPIDocument.make(
            MerchantRouteTable.all.map(\.description),
            events: WebhookEventType.ofOrders.map(\.text),
            server: process.web.text,
            version: process.version
        )
        document = FixedAnswer(description.bytes, block: process.headers.taggedJSON)
    }
}
