import Accounts
import Operations
import Postgres
import Primitives
package import ServerCore
import ServiceAPI
package import Settings
import StrictJSON
import Web
import Webhooks

/// Purchases in the App Store: verified, granted once, and kept in a ledger for each account.
package struct AppStoreFeature: Feature {
    let settings: AppStoreSettings

    package static let card = FeatureCard(
        "appstore",
        needs: [ServiceFeature.self, AccountsFeature.self, WebhookDelivery.self],
        commands: [AppStoreCommand.command],
        statements: .own(
            PurchaseStatement.all + ConsumptionStatement.all + ReplayStatement.all + ReconciliationStatement.all
                + LookupStatement.all + ForwardStatement.all + GiftStatement.all
        ),
        failures: FailureCode.ofAppStore,
        slots: [
            Scope.appStoreRead, Scope.appStoreWrite, AppScope.appStore, AppScope.appStoreSpend, AccountData.appStore,
            EventSubscription.purchasesFinished, EventSubscription.giftsGranted,
        ] + WebhookEventType.ofPurchases
    )

    package init(_ settings: inout SettingReader) { self.settings = AppStoreSettings(&settings) }

    package var state: FeatureState { settings.isOn ? .on : .off(set: AppStoreSettings.switches) }

    package func start(_ process: ProcessContext) throws -> AppStoreProcess {
        try AppStoreProcess(settings, process.logger)
    }
}

extension Scope {
    /// Purchases, balances and entitlements.
    static let appStoreRead = Scope("app_store:read")
    /// Submissions, spending and corrections.
    static let appStoreWrite = Scope("app_store:write")
}

extension AppScope {
    /// Submissions, the balance and the entitlements of the app's account.
    static let appStore = AppScope("app_store")
    /// Spending, which an app does where the merchant's server lets it.
    static let appStoreSpend = AppScope("app_store:spend", isUsual: false)
}

extension WebhookEventType {
    /// A purchase was granted.
    static let purchaseGranted = WebhookEventType("app_store.purchase.granted")
    /// A granted purchase was refunded, wholly or in part, or taken out of a family.
    static let purchaseRefunded = WebhookEventType("app_store.purchase.refunded")
    /// A refund was undone.
    static let purchaseReversed = WebhookEventType("app_store.purchase.reversed")

    /// A customer wants a refund, and Apple asks what was used.
    static let consumptionRequested = WebhookEventType("app_store.consumption.requested")

    static let ofPurchases: [any FeatureSlot] = [
        purchaseGranted, purchaseRefunded, purchaseReversed, consumptionRequested,
    ]
}

extension AccountData {
    /// Purchases and ledgers, which stay as nobody's.
    static let appStore = AccountData(
        "app_store",
        erase: { database, account in
            let purchases = try await database.work(PurchaseStatement.erase(account)).first()
            return AccountErasure(purchases > 0 ? ["purchases": purchases] : [:])
        },
        export: { database, account in
            guard let row = try await database.read(PurchaseStatement.export(account)).first() else { return .null }
            return try JSONParser.parse(row.utf8)
        }
    )
}
