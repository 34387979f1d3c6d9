import DeviceAttestation
import Primitives
import Settings

/// What the settings say of the bits of devices.
struct DeviceCheckSettings: Sendable {
    /// Of the developer; empty switches the feature off.
    let teamID: String
    /// How Apple is asked.
    let apple: AppleDeviceSettings
    /// The store of bits that counts here.
    let environment: DeviceEnvironment
    /// The file of the policies; empty for the usual ones.
    let policies: String
    let accountRate: Int
    let addressRate: Int
    /// How long a claim that was cut off may be finished.
    let claimTime: Duration
    let keepHistory: Duration
    /// Of apps that show no account.
    let form: FormSettings
    /// Whether support may reset a device on which fraud was found.
    let resetsBlocked: Bool
    /// A text that counts as the token of a new device; `nil` for none.
    let bypass: Secret<String>?
    /// What apps have to prove of themselves.
    let attest: AttestSettings
    /// What Apple is asked about their devices.
    let receipts: ReceiptSettings

    /// The settings that switch the feature on.
    static let switches = ["device_check.team_id"]

    init(_ read: inout SettingReader) {
        teamID = read.text(
            "device_check.team_id",
            "",
            "team id of the developer whose devices are asked about, such as A1B2C3D4E5; empty: none are"
        )
        apple = AppleDeviceSettings(&read, teamID: teamID)
        environment = read.choice(
            "device_check.environment",
            DeviceEnvironment.allCases,
            .production,
            "whose devices count: production for apps of the App Store and TestFlight; development for apps signed for it"
        )
        policies = read.file(
            "device_check.policies",
            "JSON file of what the bits mean and what each purpose wants; empty: as docs/device-policies.md has them"
        )
        accountRate = read.number(
            "device_check.account_rate",
            1...6_000,
            20,
            "requests about devices a minute of an account; each is a call at Apple's"
        )
        addressRate = read.number(
            "device_check.address_rate",
            1...6_000,
            60,
            "requests about devices a minute of the apps behind an address"
        )
        claimTime = read.duration(
            "device_check.claim_time",
            60...604_800,
            .seconds(86_400),
            "how long an account may finish a claim that was cut off behind the marking of its device"
        )
        keepHistory = read.duration(
            "device_check.keep_history",
            86_400...315_360_000,
            .seconds(400 * 86_400),
            "how long it is kept behind its month what was asked and decided of devices"
        )
        form = FormSettings(&read)
        resetsBlocked = read.flag(
            "device_check.reset_blocked",
            false,
            "let a code of support reset a device on which fraud was found, too"
        )
        bypass = read.secret(
            "device_check.bypass_token",
            "text that counts as the token of a new device, for simulators without one; with development alone"
        )
        attest = AttestSettings(&read, teamID: teamID)
        receipts = ReceiptSettings(&read, attest: attest, apple: apple)
        guard isOn else { return }
        if teamID.utf8.count != 10 || !teamID.octets.isWord {
            read.complain("device_check.team_id", "not the ten characters that Apple shows under Membership")
        }
        if form.isOn, !apple.isOn {
            read.complain("device_check.form_path", "set, and device_check.private_key is not")
        }
        if bypass != nil, environment == .production {
            read.complain("device_check.bypass_token", "lets anybody be a new device: with development alone")
        }
    }

    /// Whether devices are asked about.
    var isOn: Bool { !teamID.isEmpty }
}
