import CheckoutCodes
import Cryptography
package import HTTPCore
import Pages
import Primitives
package import SessionBroker
import Web

/// One request together with what its loop offers; what a handler is given.
package struct Exchange {
    /// The request; not to be kept past the answer.
    let request: HTTPRequest
    /// What the loop offers.
    let services: CheckoutPart

    /// A request on a loop.
    package init(request: HTTPRequest, services: CheckoutPart) {
        self.request = request
        self.services = services
    }

    /// What is the same for every loop.
    var deployment: Deployment { services.deployment }

    /// The pages in this buyer's language.
    var pages: CheckoutPages { deployment.pages[Language(preferredBy: request)] }

    /// Where the request comes from, as far as the audit trail may remember it.
    package var caller: Caller {
        let hasher = services.broker.hasher
        var agent: Digest32?
        request.forEachValue(.userAgent) { if agent == nil { agent = hasher.digest(of: $0) } }
        return Caller(
            keys: client,
            agent: agent ?? Exchange.noAgent,
            serialNumber: request.serialNumber
        ) { room in request.peer.appendTruncated(to: &room) }
    }

    /// What limits count the request by.
    var client: ClientKeys { ClientKeys(address: request.peer.bucketKey, network: request.peer.networkKey) }

    private static let noAgent = SHA256.digest(of: [])

    /// A parameter of the query, or `nil` where it is absent or empty.
    ///
    /// - Parameter name: The one that the route knows; others are not looked at.
    /// - Returns: The decoded value.
    /// - Throws: For a malformed query, or a name that comes twice.
    func parameter(_ name: String) throws(Failure) -> String? {
        do {
            let text = try request.queryParameters().value(name)
            return text.flatMap { $0.isEmpty ? nil : $0 }
        } catch {
            throw Failure(.invalidRequest, "query: \(error)")
        }
    }

    /// The parameters of the body.
    ///
    /// - Parameter known: Every name the route knows; any other is refused.
    /// - Throws: For another media type, a malformed body, an unknown or a repeated name.
    func form(_ known: [String]) throws(Failure) -> FormFields {
        let parameters: HTTPParameters
        do {
            parameters = try request.formParameters()
        } catch .notAForm {
            throw Failure(.invalidRequest, "the body is no form")
        } catch {
            throw Failure(.invalidRequest, "body: \(error)")
        }
        if let unknown = parameters.firstName(otherThan: known) {
            throw Failure(.invalidRequest, "unknown parameter of \(unknown.utf8.count) bytes")
        }
        guard !parameters.hasRepeatedName else {
            throw Failure(.invalidRequest, "body: \(HTTPParameterError.repeated)")
        }
        return FormFields(parameters: parameters)
    }

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
            try services.broker.noteMalformedToken(by: caller)
            return Failure(.unknownSession)
        } catch {
            return error.failure
        }
    }

    /// Whether the request says that a page of this origin caused it; ask after `requireSameOrigin`.
    var namesOwnOrigin: Bool { request.count(.origin) > 0 || request.fieldIs(.secFetchSite, "same-origin") }

    /// Refuses a state-changing request that another site caused: T13 of docs/contract.md.
    func requireSameOrigin() throws(Failure) {
        let own = deployment.webOrigin
        var isForeign = false
        request.forEachValue(.origin) { isForeign = isForeign || !$0.isSameOrigin(as: own.utf8Span.span) }
        guard !isForeign else { throw Failure(.csrfRejected, "foreign Origin") }
        // `none` is the user's own doing, such as a reload by hand: no other site can cause it, but a request that was typed has
        // no Origin, so that only what began on an own page has both.
        let isReload = request.fieldIs(.secFetchSite, "none") && request.count(.origin) > 0
        if request.count(.secFetchSite) > 0, !isReload, !request.fieldIs(.secFetchSite, "same-origin") {
            throw Failure(.csrfRejected, "foreign Sec-Fetch-Site")
        }
    }
}

/// The parameters of a body, each at most once.
struct FormFields {
    /// No name occurs twice.
    fileprivate let parameters: HTTPParameters

    /// The value of a parameter, or `nil` where it is absent or empty.
    subscript(name: String) -> String? {
        guard let value = try? parameters.value(name), !value.isEmpty else { return nil }
        return value
    }

    /// Whether a parameter is there, and says nothing.
    func isEmpty(_ name: String) -> Bool {
        parameters.isEmpty(name)
    }

    /// The value of a parameter that must be there.
    func required(_ name: String) throws(Failure) -> String {
        guard let value = self[name] else { throw Failure(.invalidRequest, "\(name) is missing") }
        return value
    }
}
