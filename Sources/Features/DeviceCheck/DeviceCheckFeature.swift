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

/// Two bits for each device, which Apple keeps: what was given once is not given again, whoever asks with that device.
package struct DeviceCheckFeature: Feature {
    let settings: DeviceCheckSettings

    package static let card = FeatureCard(
        "devicecheck",
        needs: [ServiceFeature.self, AccountsFeature.self, WebhookDelivery.self],
        commands: [DeviceCheckCommand.command],
        statements: .own(DeviceStatement.all + AttestStatement.all + ReceiptStatement.all),
        failures: FailureCode.ofDevices + FailureCode.ofAttest,
        slots: [
            Scope.devicesRead, Scope.devicesWrite, AppScope.devices, AccountData.devices, AccountData.attestedKeys,
            EventSubscription.marksOfEvents,
        ] + WebhookEventType.ofDevices
    )

    package init(_ settings: inout SettingReader) { self.settings = DeviceCheckSettings(&settings) }

    package var state: FeatureState { settings.isOn ? .on : .off(set: DeviceCheckSettings.switches) }

    package func check(_ settings: inout SettingReader, beside features: ConfiguredFeatures, web: WebOrigin) {
        checkGuarded(&settings, beside: features)
        guard state == .on, !features.keyring.isSet else { return }
        settings.complain(
            "device_check.team_id",
            "set \(KeyringFile.setting), too: device tokens are kept as hashes under a key of it"
        )
    }

    package func start(_ process: ProcessContext) throws -> DeviceCheckProcess {
        try DeviceCheckProcess(settings, process)
    }
}

extension Scope {
    /// What was asked and decided of devices.
    static let devicesRead = Scope("devices:read")
    /// Checks, marks, claims and resets.
    static let devicesWrite = Scope("devices:write")
}

extension AppScope {
    /// Checks, marks and claims for the app's account.
    static let devices = AppScope("devices")
}

extension WebhookEventType {
    /// An account was given what a purpose is for.
    static let deviceClaimGranted = WebhookEventType("device_check.claim.granted")
    /// A device was given back its good name.
    static let deviceReset = WebhookEventType("device_check.device.reset")

    /// Apple counts more attested keys of a device than before.
    static let deviceRiskRaised = WebhookEventType("device_check.device.risk_raised")

    static let ofDevices: [any FeatureSlot] = [deviceClaimGranted, deviceReset, deviceRiskRaised]
}

extension AccountData {
    /// Claims, marks that wait, and the history; the bits at Apple are no account's.
    static let devices = AccountData(
        "devicecheck",
        erase: { database, account in
            let claims = try await database.work(DeviceStatement.erase(account)).first()
            return AccountErasure(claims > 0 ? ["claims": claims] : [:])
        },
        export: { database, account in
            guard let row = try await database.read(DeviceStatement.export(account)).first() else { return .null }
            return try JSONParser.parse(row.utf8)
        }
    )

    /// The keys of the account's apps.
    static let attestedKeys = AccountData(
        "app_attest",
        erase: { database, account in
            let keys = try await database.work(AttestStatement.erase(account)).first()
            return AccountErasure(keys > 0 ? ["attestedKeys": keys] : [:])
        },
        export: { database, account in
            guard let row = try await database.read(AttestStatement.export(account)).first() else { return .null }
            return try JSONParser.parse(row.utf8)
        }
    )
}
