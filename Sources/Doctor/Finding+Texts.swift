import Operations

extension Finding {
    /// A setting that holds what should stand in a file; its text is as secret as the file.
    static func written(_ check: String, _ setting: String) -> Finding {
        let noun =
            setting.contains("key") ? "the key" : setting.contains("secret") ? "the secret" : "the content of the file"
        return Finding(
            check,
            .error,
            setting,
            "It holds \(noun) itself, not a path.",
            remedy: "Write it into a file that only the program's user may read, and name that file."
        )
    }

    /// A problem that was worded without capital and full stop, as a sentence.
    static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + String(text.dropFirst()) + "."
    }
}
