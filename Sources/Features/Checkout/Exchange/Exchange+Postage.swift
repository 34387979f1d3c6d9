import AmazonPay
import CheckoutCodes
import Commerce
import MerchantAPI
import MerchantOrders
import Primitives
import SessionBroker
import Web

extension Exchange {
    /// What it means to send a webview session's order where its buyer wants it: the one place where that is decided.
    ///
    /// - Parameters:
    ///   - chosen: A session of this very webview session.
    /// - Returns: The postage, or why nothing is sent there.
    /// - Throws: `address_not_priced` where the address has no price; `postage_failed` where the merchant does not say;
    ///   `internal_error`.
    func postage(
        of view: WebviewSessionView,
        _ token: TabToken,
        to chosen: ChosenSession
    ) async throws(Failure) -> DeliveryAnswer {
        let terms = try terms(of: view)
        // What excludes some addresses in Japan does not keep the provider from offering those of other countries.
        if let restrictions = terms.restrictions, !restrictions.admits(chosen.address) {
            return .undeliverable(.restricted)
        }
        switch terms.postage {
        case .byAddress(let rule):
            do throws(UnplacedAddress) {
                return .postage(try rule.postage(to: chosen.address))
            } catch {
                throw Failure(.addressNotPriced, error.rawValue, of: view)
            }
        case .fixed(let sum):
            guard let postage = sum.yen else { throw Failure(.internalError, "terms not in yen", of: view) }
            return .postage(postage)
        case .callback(let address):
            if let agreed = await agreedPostage(view, token, chosen) { return .postage(agreed) }
            let question = PostageQuestion(
                view.id,
                view.order,
                to: PostageQuestion.Destination(chosen.address)
            )
            guard let costs = services.shippingCosts else {
                throw Failure(.postageFailed, "this program asks no server for the postage", of: view)
            }
            return try await costs.ask(address, question, view.id)
        }
    }

    /// What the merchant said before, of the same session and destination: a buyer who only comes back finds the price
    /// unchanged.
    private func agreedPostage(
        _ view: WebviewSessionView,
        _ token: TabToken,
        _ chosen: ChosenSession
    ) async -> Yen? {
        guard view.orderReference?.octets == chosen.id.text.octets, view.postage != nil else { return nil }
        do throws(StoreError) {
            switch try await services.broker.view(token, withDetails: true, by: caller) {
            case .live(let detailed), .readOnly(let detailed):
                guard detailed.orderReference?.octets == chosen.id.text.octets, let address = detailed.details?.address,
                    PostageQuestion.Destination(address) == PostageQuestion.Destination(chosen.address)
                else { return nil }
                return detailed.postage
            case .refused: return nil
            }
        } catch {
            // The second opening of a tab cannot read what the first has sealed. Then the merchant is asked once more, and the
            // buyer sees what it says before agreeing to it.
            return nil
        }
    }
}
