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

extension SettingReader {
    /// The path of a folder, looked for beside the program where nothing is set; it may not exist.
    ///
    /// - Parameter folder: What it is called beside the program.
    package mutating func programFolder(_ name: String, _ folder: String, _ meaning: String) -> String {
        let path = self.folder(name, "", meaning)
        guard path.isEmpty else { return path }
        let found = ProgramFolder.find(folder)
        resolve(name, as: found)
        return found
    }
}
