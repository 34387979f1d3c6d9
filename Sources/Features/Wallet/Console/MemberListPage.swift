import Operators
import Pages
import Primitives
import ServiceAPI
import Web

/// What a list of members is asked for.
struct ConsoleQuery: Equatable {
    /// A member number, or the beginning of a name; empty for all.
    var words = ""
    /// `nil` for all.
    var state: PassState?
    /// The last member of the page before.
    var after: UUIDBytes?

    static let path = LinkTarget(own: "/console/wallet")
    /// Members of a page.
    static let pageLength = 50

    /// Reads a query.
    ///
    /// - Throws: `invalid_request` for what no page of ours asks for.
    init(words: String?, state: String?, after: String?) throws(Failure) {
        self.words = try Failure.cleaned(words ?? "", "q", MemberDraft.nameLength)
        if let state {
            guard let known = PassState(word: state.octets) else { throw Failure(.invalidRequest, "unknown state") }
            self.state = known
        }
        if let after {
            guard let account = UUIDBytes(after) else { throw Failure(.invalidRequest, "after is no id") }
            self.after = account
        }
    }

    /// The page behind a member.
    func address(after account: UUIDBytes?) -> LinkTarget {
        .operators(
            "/console/wallet",
            query: ["q": words, "state": state?.rawValue ?? "", "after": account?.description ?? ""]
        )
    }
}

extension OperatorRequest {
    /// The list of members.
    ///
    /// - Parameter next: The last member of the page, where there may be more.
    func memberList(_ members: [MemberView], _ query: ConsoleQuery, next: UUIDBytes?) -> OperatorPage {
        let states = PassState.allCases.map { OperatorChoice.Option($0.rawValue, ConsoleTexts.state($0)) }
        let choice = OperatorChoice(
            "state",
            ConsoleTexts.state,
            [OperatorChoice.Option("", ConsoleTexts.allStates)] + states,
            chosen: query.state?.rawValue ?? ""
        )
        let rows = members.map { member -> [Markup<Never>] in
            [
                #"<a href="\#(MemberView.address(member.account))">\#(member.title)</a>"#, "\(member.externalID)",
                "\(text(ConsoleTexts.state(member.state)))", "\(String(member.points))", "\(String(member.devices))",
                member.created.map { time($0) } ?? "",
            ]
        }
        let headings = [
            ConsoleTexts.name, ConsoleTexts.number, ConsoleTexts.state, ConsoleTexts.points, ConsoleTexts.devices,
            ConsoleTexts.created,
        ]
        return OperatorPage(
            text(ConsoleTexts.members),
            """
            \(search(ConsoleQuery.path, "q", ConsoleTexts.words, value: query.words, choices: choice))
            \(table(ConsoleTexts.members, headings, rows))
            \(paging(first: query.after == nil ? nil : query.address(after: nil), next: next.map { query.address(after: $0) }))
            """
        )
    }
}

extension MemberView {
    /// The page of a member.
    static func address(_ account: UUIDBytes) -> LinkTarget {
        .operators("/console/wallet/members/*", account.description)
    }
}
