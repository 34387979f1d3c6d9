import Settings

/// What the settings say of the bits of devices.
struct DeviceCheckSettings: Sendable {
    /// Of the developer; empty switches the feature off.
    let teamID: String

    /// The settings that switch the feature on.
    static let switches = ["device_check.team_id"]

    init(_ read: inout SettingReader) {
        teamID = read.text(
            "device_check.team_id",
            "",
            "team id of the developer whose devices are asked about, such as A1B2C3D4E5; empty: none are"
        )
    }
}
