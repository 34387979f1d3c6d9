import SimulatorCore

extension PageLanguage {
    /// Languages of passes by preference.
    var ofPasses: [String] { self == .japanese ? ["ja", "en"] : ["en", "ja"] }
}
