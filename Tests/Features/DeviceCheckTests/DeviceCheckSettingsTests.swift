import FeatureTestKit
import Settings
import TestKit
import Testing

@testable import DeviceCheck

@Suite("Settings of the bits of devices")
struct DeviceCheckSettingsTests {
    @Test func `name no team where nothing is said`() {
        var reader = SettingReader(SettingSource(file: nil, environment: [:]))
        #expect(DeviceCheckSettings(&reader).teamID.isEmpty)
    }

    @Test(arguments: ["/nowhere", "/dev/null"])
    func `stop the start where the authorities of Apple's service cannot be read`(path: String) async throws {
        let error = await #expect(throws: ConfigurationError.self) {
            try await withDevices(["device_check.api_trust": path]) { _ in }
        }
        #expect(error?.problems.first?.hasPrefix("device_check.api_trust: \(path)") == true, "\(error?.problems ?? [])")
    }

    @Test func `are read again with a line of what there is now`() async throws {
        try await withDevices { shop in
            try shop.part.process.reload()
            let said = shop.program.log.lines(with: "device_check.reloaded")
            #expect(said.count == 1 && said[0].contains(#""policies":5"#), "\(said)")
        }
    }
}
