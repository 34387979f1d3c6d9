import DeviceAttestation
import Primitives
import Settings

/// What the settings say of apps that post a device token as a form and show no token of an account.
struct FormSettings: Sendable {
    /// Where they post; empty for nowhere.
    let path: String
    /// What such a post raises a device to, as an event of the policies; empty where it is read alone.
    let event: String
    let rate: Int

    /// The path of the apps that have begun with it; the only one below those of accounts and of programs.
    private static let first = "/v1/request_token"

    init(_ read: inout SettingReader) {
        let name = "device_check.form_path"
        path = read.text(
            name,
            "",
            "path of the web host to which apps without an account post deviceToken as a form; empty: nowhere",
            takes: "path"
        )
        event = read.text(
            "device_check.form_event",
            "trial-started",
            "event of the policies that a post to device_check.form_path stands for; empty: the device is read alone"
        )
        rate = read.number(
            "device_check.form_rate",
            1...6_000,
            300,
            "posts to device_check.form_path a minute of all addresses together"
        )
        guard isOn, let problem = FormSettings.problem(path) else { return }
        read.complain(name, problem)
    }

    /// Whether there is a path.
    var isOn: Bool { !path.isEmpty }

    /// What is wrong with a path; `nil` for nothing.
    private static func problem(_ path: String) -> String? {
        let parts = path.octets.parts(between: UInt8(ascii: "/"))
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= 200, parts.dropFirst().allSatisfy(isSegment)
        else { return "not a path such as /device-token, of letters, digits, -, _ and . between slashes" }
        guard path.octets != first.octets, ["v1", "app"].contains(where: { $0.octets == parts[1].octets }) else {
            return nil
        }
        return "below /\(parts[1]), where requests show who sends them; \(first) alone may be posted to without"
    }

    private static func isSegment(_ text: String) -> Bool {
        guard let start = text.utf8.first, start != UInt8(ascii: ".") else { return false }
        return text.utf8.allSatisfy { octet in
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
    }
}

extension DevicePolicies {
    /// The state that a post raises a device to; `nil` for none.
    func mark(of form: FormSettings) -> DeviceState? { form.event.isEmpty ? nil : mark(of: form.event) }

    /// Looks whether a form and these policies go together.
    ///
    /// - Throws: What is wrong with `device_check.form_event`.
    func check(_ form: FormSettings) throws(ConfigurationError) {
        guard form.isOn, !form.event.isEmpty else { return }
        guard let mark = mark(of: form) else {
            throw ConfigurationError(problems: [
                "device_check.form_event: \(form.event): the policies have no such event"
            ])
        }
        // A greater one is kept with an account until a later read has shown it, and a form has none.
        guard mark <= .trialUsed else {
            throw ConfigurationError(problems: [
                "device_check.form_event: \(form.event) stands for \(mark.rawValue); whoever shows no account marks a device as \(DeviceState.trialUsed.rawValue) at most"
            ])
        }
    }
}
