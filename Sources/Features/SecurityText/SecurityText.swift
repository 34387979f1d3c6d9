import EventIO
import HTTPCore
import Primitives
package import ServerCore
package import Settings
package import Web

/// `/.well-known/security.txt` of both hosts: address for reports of weaknesses (RFC 9116).
package struct SecurityText: Feature, FeatureProcess {
    /// `nil` where none is published.
    let contact: SecurityContact?

    package static let card = FeatureCard("security")

    package init(_ settings: inout SettingReader) {
        contact = settings.securityContact(
            "security.contact",
            "https or mailto URI for reports of weaknesses, shown in /.well-known/security.txt; empty: 404 there"
        )
    }

    package func start(_ process: ProcessContext) -> SecurityText { self }

    package func open(_ loop: LoopContext) -> Part { Part(contact, loop.headers) }

    /// Answers on one loop.
    package final class Part: FeaturePart {
        private let contact: SecurityContact?
        private let headers: HeaderPolicy

        init(_ contact: SecurityContact?, _ headers: HeaderPolicy) {
            self.contact = contact
            self.headers = headers
        }

        /// On both hosts.
        package static let routes: [RouteGroup<Part>] = [SiteName.web, .link].map { site in
            RouteGroup(
                on: site,
                .page,
                [
                    Route(
                        .get,
                        "/.well-known/security.txt",
                        "address for reports of weaknesses",
                        .now { part, _ throws(Failure) in try part.answer() }
                    )
                ]
            )
        }

        private func answer() throws(Failure) -> HTTPResponse {
            guard let contact else { throw Failure(.notFound) }
            return HTTPResponse(
                .ok,
                block: headers.plain,
                fields: [HTTPField(.contentType, constant: "text/plain; charset=utf-8")],
                body: .bytes(Array(SecurityText.document(contact, now: SystemClock().now()).utf8))
            )
        }
    }

    /// A running program stands for its settings; a copy is asked for again within this time.
    static let life: Duration = .seconds(30 * 86_400)

    /// The file, with its two required fields.
    static func document(_ contact: SecurityContact, now: WallTime) -> String {
        "Contact: \(contact.text)\nExpires: \(CalendarDate(now + life).extendedText)\n"
    }
}
