package import HTTPCore
package import Pages
import Primitives
package import ServerCore
package import Web

/// A request of a person who is signed in, and may do what the route is for.
package struct OperatorRequest {
    /// As it came.
    package let http: HTTPRequest
    /// Who asks.
    package let session: OperatorSession
    /// What the person reads.
    package let language: Language
    /// What a form has sent; `nil` for a page.
    let fields: FormFields?

    /// A text in the person's language.
    package func text(_ localized: Localized) -> String { localized.text(in: language) }

    /// Whether the person may change things.
    package var mayChange: Bool { session.role.includes(.change) }

    /// A field of the form, or `nil` where it is absent or empty.
    package subscript(name: String) -> String? { fields?[name] }

    /// A field of the form that must be there.
    ///
    /// - Throws: `invalid_request`.
    package func required(_ name: String) throws(Failure) -> String {
        guard let value = self[name] else { throw Failure(.invalidRequest, "\(name) is missing") }
        return value
    }

    /// The name under which decisions of the person are recorded, with the form's `reason`.
    ///
    /// - Throws: `operator_reason_invalid` for a reason that cannot be printed.
    package func trail() throws(Failure) -> OperatorTrail {
        guard let trail = OperatorTrail(name: session.name, reason: self["reason"]) else {
            throw Failure(.operatorReasonInvalid)
        }
        return trail
    }

    /// The same for what needs a reason.
    ///
    /// - Throws: `operator_reason_invalid` where there is none, too.
    package func demandedTrail() throws(Failure) -> OperatorTrail {
        guard self["reason"] != nil else { throw Failure(.operatorReasonInvalid) }
        return try trail()
    }
}

/// A page of the staff, to be put into the frame.
package struct OperatorPage {
    /// The headline, and the title of the window.
    package let title: String
    /// What stands below it.
    package let content: Markup<Never>
    /// What was wrong with a form, above everything else.
    package let problem: String?
    /// 200, unless something was wrong.
    package let status: HTTPStatus

    /// A page.
    package init(_ title: String, problem: String? = nil, status: HTTPStatus = .ok, _ content: Markup<Never>) {
        self.title = title
        self.problem = problem
        self.status = status
        self.content = content
    }
}

/// What a form leads to.
package enum OperatorAnswer {
    /// It was done: the page at the address, which says so once.
    case done(LinkTarget, String)
    /// A page: the form again, or a step between.
    case page(OperatorPage)
    /// The session has ended: the page for the sign-in, which says so.
    case signedOut
}
