import CBuild

/// The version of the program.
enum ProgramVersion {
    /// Semantic versioning; the newest heading of CHANGELOG.md.
    static let text = "0.1.0"
    /// What requests to other servers are sent as.
    static let agent = "Sallyport/\(text)"
    /// The commit that it was built from; `unknown` unless `make` built it from a git tree.
    static let commit = unsafe String(cString: cbuild_commit())
    /// What `sallyport --version` prints.
    static let line = "sallyport \(text) (commit \(commit))"
}
