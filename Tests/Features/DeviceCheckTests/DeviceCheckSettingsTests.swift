import Settings
import Testing

@testable import DeviceCheck

@Suite("Settings of the bits of devices")
struct DeviceCheckSettingsTests {
    @Test func `name no team where nothing is said`() {
        var reader = SettingReader(SettingSource(file: nil, environment: [:]))
        #expect(DeviceCheckSettings(&reader).teamID.isEmpty)
    }
}
