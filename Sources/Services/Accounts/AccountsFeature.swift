import HTTPCore
package import ServerCore
package import ServiceAPI
package import Settings
package import Web

/// Accounts: who a person is to the merchant, what all features together keep of one, and the tokens of apps.
///
/// Its routes are served where a feature is on that needs accounts, or has them served.
package struct AccountsFeature: Feature, FeatureProcess {
    private var data: [AccountData] = []
    private var isServed = false
    private var appScopes: [AppScope] = []

    package static let card = FeatureCard(
        "accounts",
        needs: [ServiceFeature.self],
        commands: [AccountsCommand.command],
        statements: .own(AccountStatement.all + AccountTokenStatement.all),
        failures: [.accountErased, .accountUnknown],
        slots: [Scope.accountsRead, Scope.accountsWrite]
    )

    package init(_ settings: inout SettingReader) {}

    package func start(_ process: ProcessContext) -> AccountsFeature {
        var shared = self
        shared.data = process.slots(AccountData.self)
        shared.isServed = process.activeSlots(AccountData.self).contains(where: \.needsAccounts)
        shared.appScopes = process.activeSlots(AppScope.self)
        return shared
    }

    package func open(_ loop: LoopContext) throws -> AccountsPart {
        let part = AccountsPart(loop, data, appScopes: appScopes)
        if isServed { try part.serve() }
        return part
    }
}

extension Scope {
    /// Reading accounts, and what is kept of them.
    package static let accountsRead = Scope("accounts:read")
    /// Opening and erasing accounts, and making and ending the tokens of apps.
    package static let accountsWrite = Scope("accounts:write")
}

extension FailureCode {
    /// Of an account that was erased, or whose erasure has begun.
    package static let accountErased = FailureCode("account_erased", .gone, "The account was erased.")
    /// Of an account in the content of a request that is about something else.
    package static let accountUnknown = FailureCode("account_unknown", .unprocessable, "There is no such account.")
}

/// Why a statement is refused that puts something to an account with `account_require`.
package enum AccountRefusal: String, Sendable, Hashable {
    /// There is no such account.
    case unknown = "SY002"
    /// It is erased, or its erasure has begun.
    case erased = "SY003"

    /// The code for the client.
    package var code: FailureCode { self == .unknown ? .accountUnknown : .accountErased }
}
