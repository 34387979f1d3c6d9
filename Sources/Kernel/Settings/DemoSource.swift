/// The settings before `demo` fills in what nothing has set; its defaults follow from them.
package struct DemoSource: Sendable {
    private let source: SettingSource
    private let texts: [String: String]
    /// Keys, certificates and secrets of the demo.
    package let folder: String

    /// What a reader has read.
    package init(_ reader: SettingReader, folder: String) {
        source = reader.source
        texts = reader.texts
        self.folder = folder
    }

    /// The file with a secret of a name.
    package func secretPath(_ name: String) -> String { folder + "/\(name).secret" }

    /// A folder that comes with the program.
    ///
    /// - Parameter name: What it is called beside the program.
    package func programFolder(_ name: String) -> String { ProgramFolder.find(name) }

    /// The text of a setting, or its own default; empty where it has none.
    package func text(_ name: String) -> String { texts[name] ?? "" }

    /// Whether a file or the environment sets it, be it to an empty text.
    package func isSet(_ name: String) -> Bool { source.isSet(name) }
}
