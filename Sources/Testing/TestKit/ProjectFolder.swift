/// The folder of the project that a test was built from.
package enum ProjectFolder {
    /// Without a slash at its end.
    package static let path: String = {
        let file = #filePath
        return String(file.prefix(upTo: file.firstRange(of: "/Sources/Testing/")?.lowerBound ?? file.endIndex))
    }()

    /// The path of a file or a folder in it.
    ///
    /// - Parameter name: `docs/schema.md`, for one.
    package static func path(_ name: String) -> String { "\(path)/\(name)" }

    /// The folder with the vectors of a target of tests, on the floor of that target.
    package static func vectors(_ target: String, on floor: String = "Domains") -> String {
        path("Tests/\(floor)/\(target)/Vectors")
    }
}
