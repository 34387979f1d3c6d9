import HTTPCore
package import ServerCore
package import ServiceAPI
package import Settings
package import Web

/// Accounts: who a person is to the merchant, and what all features together keep of one.
///
/// Its routes are served where a feature is on that keeps something of accounts.
package struct AccountsFeature: Feature, FeatureProcess {
    private var holders: [AccountData] = []
    private var active: [AccountData] = []

    package static let card = FeatureCard(
        "accounts",
        needs: [ServiceFeature.self],
        statements: .own(AccountStatement.all),
        failures: [.accountErased],
        slots: [Scope.accountsRead, Scope.accountsWrite]
    )

    package init(_ settings: inout SettingReader) {}

    package func start(_ process: ProcessContext) -> AccountsFeature {
        var shared = self
        shared.holders = process.slots(AccountData.self)
        shared.active = process.activeSlots(AccountData.self)
        return shared
    }

    package func open(_ loop: LoopContext) throws -> AccountsPart {
        let part = AccountsPart(loop, holders: holders, active: active)
        if !active.isEmpty { try loop.part(ServiceFeature.self).serve(part) }
        return part
    }
}

extension Scope {
    /// Reading accounts, and what is kept of them.
    package static let accountsRead = Scope("accounts:read")
    /// Opening and erasing accounts.
    package static let accountsWrite = Scope("accounts:write")
}

extension FailureCode {
    /// Of an account that was erased, or whose erasure has begun.
    package static let accountErased = FailureCode("account_erased", .gone, "The account was erased.")
}
