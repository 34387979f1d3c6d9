import EventIO

/// Finds the folders that come with the program.
enum ProgramFolder {
    /// A folder in the current directory, or beside the program, or above it as in a build folder.
    ///
    /// - Parameter name: For example `migrations`.
    /// - Returns: The first that exists; else the name alone, which the reader of the folder then complains about.
    static func find(_ name: String) -> String {
        var places = ["."]
        if let program = Files.target(ofLink: "/proc/self/exe") {
            var folder = Files.parent(of: program)
            for _ in 0..<5 {
                places.append(folder)
                folder = Files.parent(of: folder)
            }
        }
        return places.map { $0 + "/" + name }.first(where: Files.exists) ?? name
    }
}
