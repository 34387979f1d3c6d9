import HTTPCore
import Pages
import Primitives
import Web

// The shapes of successful answers. Every one takes its constant fields from the header policy.

extension Exchange {
    /// A page of which every copy differs: it carries a nonce.
    ///
    /// - Parameters:
    ///   - policy: The content security policy for the nonce.
    /// - Returns: 200.
    func page(_ block: FieldBlock, policy: (Nonce) -> String, _ body: (Nonce) -> [UInt8]) -> HTTPResponse {
        let nonce = Nonce(random: services.random)
        var response = HTTPResponse(.ok, block: block, body: .bytes(body(nonce)))
        _ = response.add(.contentSecurityPolicy, policy(nonce))
        return response
    }

    /// A page that loads the provider's script: P2, enforced or reported as the settings say.
    ///
    /// - Returns: 200.
    func providerPage(_ body: (Nonce) -> [UInt8]) -> HTTPResponse {
        let nonce = Nonce(random: services.random)
        var response = HTTPResponse(.ok, block: deployment.shopHeaders.tab, body: .bytes(body(nonce)))
        for policy in deployment.providerPolicies {
            // A nonce has an alphabet that every pattern allows, so there always is a field to add.
            if let field = policy.field(Nonce.characterCount, { room in nonce.append(to: &room) }) {
                response.add(field)
            }
        }
        return response
    }

    /// A page without a script.
    ///
    /// - Parameters:
    ///   - status: 200 unless the page says that something is over.
    func plainPage(
        _ status: HTTPStatus = .ok,
        block: FieldBlock,
        policy: String = ContentSecurityPolicy.plain,
        _ body: [UInt8]
    ) -> HTTPResponse {
        var response = HTTPResponse(status, block: block, body: .bytes(body))
        _ = response.add(.contentSecurityPolicy, policy)
        return response
    }

    /// A redirect to a fixed path of ours, or to an address that was checked against the settings.
    ///
    /// - Parameters:
    ///   - location: Never built from the request.
    ///   - webviewSession: For `Webview-Session-Id`.
    ///   - block: The constant fields, where they are not those of every redirect.
    /// - Returns: 303, which turns a POST into a GET and repeats no body.
    func redirect(to location: String, webviewSession: UUIDBytes?, block: FieldBlock? = nil) -> HTTPResponse {
        var response = HTTPResponse(.seeOther, block: block ?? deployment.headers.redirect)
        _ = response.add(.location, location)
        return tagged(response, webviewSession)
    }

    /// A JSON answer.
    ///
    /// - Parameters:
    ///   - status: 200 unless said otherwise.
    ///   - webviewSession: For `Webview-Session-Id`.
    func json(_ body: [UInt8], status: HTTPStatus = .ok, webviewSession: UUIDBytes?) -> HTTPResponse {
        tagged(HTTPResponse(status, block: deployment.headers.json, body: .bytes(body)), webviewSession)
    }

    /// The response with the webview session's id, which is for support and audit and opens nothing.
    func tagged(_ response: consuming HTTPResponse, _ webviewSession: UUIDBytes?) -> HTTPResponse {
        if let webviewSession { _ = response.add(.webviewSessionID, webviewSession.description) }
        return response
    }
}
