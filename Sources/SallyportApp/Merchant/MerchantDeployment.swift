import AmazonPay
import MerchantAPI
import MerchantOrders
import StrictJSON
import Web

/// What the settings decide about the interface for merchants' programs; one for all loops.
final class MerchantDeployment: Sendable {
    /// What orders may be.
    let policy: OrderPolicy
    /// The description of the interface.
    let document: FixedAnswer

    /// The interface, or `nil` where it is not served.
    ///
    /// - Parameters:
    ///   - configuration: Checked.
    ///   - headers: For the description.
    init?(_ configuration: Configuration, _ headers: HeaderPolicy) {
        guard configuration.merchant.isServed else { return nil }
        policy = configuration.merchant.policy
        let description = OpenAPIDocument.make(
            MerchantRouteTable.all.map(\.description),
            server: configuration.listeners.web.text,
            version: ProgramVersion.text
        )
        document = FixedAnswer(description.bytes, block: headers.json)
    }
}
