import Primitives
import ServerCore
import ServiceAPI
import Settings

// The routes that are to want an assertion, against those that the program has.

extension DeviceCheckFeature {
    /// Complains about routes that nobody would guard.
    func checkGuarded(_ reader: inout SettingReader, beside features: ConfiguredFeatures) {
        let required = settings.attest.required
        guard !required.isEmpty else { return }
        guard features.first(DeviceCheckFeature.self) != nil else {
            return reader.complain(AttestSettings.list, "set, and devicecheck is off: nothing would be asked for")
        }
        let names = DeviceCheckFeature.guardable(features.active)
        let wrong = required.filter { name in !names.contains { $0.octets == name.octets } }
        guard !wrong.isEmpty else { return }
        reader.complain(
            AttestSettings.list,
            "\(wrong.joined(separator: ", ")): no such route; there are \(names.joined(separator: ", "))"
        )
    }

    /// Names of the routes that may want an assertion: all of apps but those that lead to a key.
    private static func guardable(_ features: FeatureSet) -> [String] {
        let described = features.parts.compactMap { $0 as? any ServiceRouted.Type }.flatMap { $0.descriptions }
        let leading = DeviceCheckPart.attestRoutes.map(\.description.name.octets)
        let names = described.filter { route in
            if case .app = route.principal { !leading.contains(route.name.octets) } else { false }
        }
        return (names.map(\.name) + features.slots(GuardedRoute.self).map(\.name)).sorted { $0.octets < $1.octets }
    }
}
