import Accounts
import Operations
import Operators
import Postgres
import Primitives
package import ServerCore
import ServiceAPI
package import Settings
import StrictJSON
import Web
import Webhooks

/// Member cards for Apple Wallet: passes, the web service that phones ask, and the shop's routes.
package struct WalletFeature: Feature {
    let settings: WalletSettings

    package static let card = FeatureCard(
        "wallet",
        needs: [ServiceFeature.self, AccountsFeature.self, WebhookDelivery.self],
        commands: [WalletCommand.command],
        statements: .own(
            PhoneStatement.all + MemberStatement.all + UpkeepStatement.all + PushStatement.all
                + ConsoleStatement.all
        ),
        failures: FailureCode.ofWallet,
        demo: FeatureDemo { demo in ["wallet.templates": .string(demo.programFolder("examples/wallet/templates"))] },
        slots: [Scope.walletRead, Scope.walletWrite, AccountData.wallet, OperatorMenuEntry.walletMembers]
            + WebhookEventType.ofPasses
    )

    package init(_ settings: inout SettingReader) {
        self.settings = WalletSettings(&settings)
    }

    package var state: FeatureState { settings.isOn ? .on : .off(set: WalletSettings.switches) }

    package func check(_ settings: inout SettingReader, beside features: ConfiguredFeatures, web: WebOrigin) {
        guard state == .on else { return }
        if !features.keyring.isSet {
            settings.complain(
                "wallet.templates",
                "set \(KeyringFile.setting), too: the tokens of passes are derived from it"
            )
        }
        if let host = self.settings.host, host.isSameServer(as: web) {
            settings.complain("wallet.host", "is the web host; leave it empty")
        }
    }

    package func walkthrough(web: WebOrigin, authorityPath: String) -> Walkthrough? {
        Walkthrough(
            page: "",
            text: """
                A member card for Apple Wallet; KEY is what `sallyport keys create --name shop --scopes wallet:read,wallet:write` prints:

                  curl --cacert \(authorityPath) -H "Authorization: Bearer $KEY" --json '{"externalId":"m-1","name":"Hana"}' \(web.text)/v1/wallet/members

                The answer has the link of the card, and accountId for points:

                  curl --cacert \(authorityPath) -H "Authorization: Bearer $KEY" -H 'Idempotency-Key: 1' --json '{"add":100}' \(web.text)/v1/wallet/members/ACCOUNT/points
                """
        )
    }

    package func start(_ process: ProcessContext) throws -> WalletProcess {
        try WalletProcess(settings, process)
    }
}

extension Scope {
    /// Members, their passes and phones.
    static let walletRead = Scope("wallet:read")
    /// Members, points and pushes.
    static let walletWrite = Scope("wallet:write")
}

extension WebhookEventType {
    /// The first phone has registered for a pass.
    static let passInstalled = WebhookEventType("wallet.pass.installed")
    /// The last phone has unregistered.
    static let passRemoved = WebhookEventType("wallet.pass.removed")
    /// The push service calls the last phone gone.
    static let passLost = WebhookEventType("wallet.pass.lost")
    /// There is a new version of a pass.
    static let passUpdated = WebhookEventType("wallet.pass.updated")

    /// The certificate of a pass type ends soon.
    static let passCertificateExpiring = WebhookEventType("wallet.certificate.expiring")

    static let ofPasses: [any FeatureSlot] = [
        passInstalled, passRemoved, passLost, passUpdated, passCertificateExpiring,
    ]
}

extension AccountData {
    /// Members, their passes and phones.
    static let wallet = AccountData(
        "wallet",
        // Ends the membership, and takes the account off its passes, which late phones can still fetch.
        erase: { database, account in
            let passes = try await database.work(MemberStatement.erase(account)).first()
            return AccountErasure(passes > 0 ? ["passes": passes] : [:])
        },
        export: { database, account in
            guard let row = try await database.read(MemberStatement.read(account)).first() else { return .null }
            return try JSONParser.parse(row.utf8)
        }
    )
}
