import Settings

extension Finding {
    /// A setting that holds what should stand in a file; its text is as secret as the file.
    package static func written(_ check: String, _ setting: String) -> Finding {
        Finding(
            check,
            .error,
            setting,
            "It holds \(Setting.content(setting)) itself, not a path.",
            remedy: "Write it into a file that only the program's user may read, and name that file."
        )
    }

    /// A problem that was worded without capital and full stop, as a sentence.
    package static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + String(text.dropFirst()) + "."
    }
}
