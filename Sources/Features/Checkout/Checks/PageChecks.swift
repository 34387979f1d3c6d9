import EventIO
import HTTPCore
import Operations
import Pages
import Primitives
import ServerCore
import Web

/// D25: the fields that protect pages, as they arrive.
struct PageChecks {
    /// A page, looked at for its kind.
    struct Page {
        /// `nil` where its host does not answer.
        let host: BaseURL?
        /// From the slash on.
        let path: String
        /// The constant fields that are sent with it; whatever nonce a policy has is of no account.
        let fields: [(String, String)]

        init(_ host: BaseURL?, _ path: String, _ fields: [(String, String)]) {
            self.host = host
            self.path = path
            self.fields = fields
        }
    }

    let pages: [Page]
    let exchange: any HTTPExchange

    func findings() async -> [Finding] {
        var found: [Finding] = []
        for page in pages {
            guard let host = page.host, case .response(let answer) = await exchange.ask("GET", host.origin + page.path)
            else { continue }
            found += FieldComparison.complaints(answer, expected: page.fields).map { what in
                Finding(
                    "D25",
                    .error,
                    host.origin + page.path,
                    what,
                    remedy: "Configure the balancer not to remove or replace header fields of answers."
                )
            }
        }
        return found
    }
}

extension PageChecks {
    /// One page of each kind: a cart with a script of ours, one that only shows something, and the link host's.
    init(_ context: ProbeContext) {
        let headers = ShopHeaders(context.headers)
        let nonce = Nonce(random: context.reactor.random)
        func fields(_ block: FieldBlock, _ policy: String) -> [(String, String)] {
            block.fields.map { ($0.name.spelling, $0.value) } + [("Content-Security-Policy", policy)]
        }
        pages = [
            Page(context.web, "/browser/cart", fields(headers.cart, ContentSecurityPolicy.scripted(nonce))),
            Page(context.web, "/error", fields(context.headers.page, ContentSecurityPolicy.plain)),
            Page(
                context.link,
                "/index.html",
                fields(headers.linkFallback, ContentSecurityPolicy.linkFallback(nonce))
            ),
        ]
        exchange = context.hosts
    }
}
