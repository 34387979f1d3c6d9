/// The version of the program.
enum ProgramVersion {
    /// Semantic versioning; the newest heading of CHANGELOG.md.
    static let text = "0.1.0"
}
