import EventIO

/// The programs of the build that the tests belong to.
package enum BuiltProgram {
    /// Where `sallyport` is: beside the test bundle, whose target depends on it.
    ///
    /// - Throws: `Missing` where the build has no such program.
    package static func sallyport() throws(Missing) -> String {
        guard let bundle = Files.target(ofLink: "/proc/self/exe") else { throw Missing(path: "/proc/self/exe") }
        let path = Files.parent(of: bundle) + "/sallyport"
        guard Files.exists(path) else { throw Missing(path: path) }
        return path
    }

    /// The build has no such program.
    package struct Missing: Error, Sendable {
        /// Where it was looked for.
        package let path: String
    }
}
