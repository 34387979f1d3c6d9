import CheckoutCodes
import HTTPCore
import Pages
import Primitives
import SessionBroker
import Web

/// One request together with what the checkout has on its loop; what a handler is given.
struct Exchange {
    /// The request; not to be kept past the answer.
    let request: HTTPRequest
    /// What the loop offers.
    let services: CheckoutPart

    /// The state machine.
    var broker: Broker { services.broker }

    /// What is the same for every loop.
    var deployment: Deployment { services.deployment }

    /// The pages in this buyer's language.
    var pages: CheckoutPages { deployment.pages[Language(preferredBy: request)] }

    /// Where the request comes from, as far as the audit trail may remember it.
    var caller: Caller { request.caller(broker.hasher) }

    /// The return ticket in a body; another form than a ticket's is answered like an unknown one.
    func returnTicket(_ form: FormFields) throws(Failure) -> ReturnTicket {
        guard let ticket = ReturnTicket.parse(try form.required("secureWebviewSessionId")) else {
            throw malformedToken()
        }
        return ticket
    }

    /// The answer to a text that cannot be a token: the same as to an unknown one, and counted like it.
    func malformedToken() -> Failure {
        do throws(StoreError) {
            try broker.noteMalformedToken(by: caller)
            return Failure(.unknownSession)
        } catch {
            return error.failure
        }
    }

    /// Refuses a state-changing request that another site caused.
    func requireSameOrigin() throws(Failure) {
        try request.requireSameOrigin(as: deployment.webOrigin)
    }
}
