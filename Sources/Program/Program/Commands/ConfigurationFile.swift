import EventIO
import Operations
import Settings

/// The JSON file with the settings of a command: what `--config` names, else the variable `SALLYPORT_CONFIG`, else the file that
/// belongs to the program of the Debian package.
struct ConfigurationFile: Equatable {
    /// What has named it.
    enum Source: Equatable {
        case option
        case variable
        /// Nobody: it is read where it is there and may be read.
        case package
    }

    let path: String
    let source: Source
    /// Whether it is there and this user may not open it.
    var isClosed: Bool { remark != nil }

    /// The variable; it is no setting, because it says where those are.
    static let variable = "SALLYPORT_CONFIG"
    private static let packaged = (program: "/usr/lib/sallyport/sallyport", file: "/etc/sallyport/sallyport.json")
    /// They make a shop of their own, which must not come upon the database and the account of a real one: they read what their own
    /// command line names, and nothing else.
    private static let demoCommands = ["demo", "simulators"]

    /// The file of a command; `nil` where there is none.
    ///
    /// - Parameters:
    ///   - environment: An empty variable stands for no file, not even the package's.
    ///   - program: The path of this program, links resolved.
    init?(_ arguments: CommandLineArguments, _ environment: [String: String], program: String?) {
        let isDemo =
            ConfigurationFile.demoCommands.contains(arguments.command ?? "") || arguments.flags.contains("demo")
        if let path = arguments.values["config"] {
            (self.path, source) = (path, .option)
        } else if isDemo {
            return nil
        } else if let path = environment[ConfigurationFile.variable] {
            guard !path.isEmpty else { return nil }
            (self.path, source) = (path, .variable)
        } else if program == ConfigurationFile.packaged.program {
            (path, source) = (ConfigurationFile.packaged.file, .package)
        } else {
            return nil
        }
    }

    /// What is in it; `nil` for a file that nobody has named and that is not there, or is closed to this user.
    ///
    /// - Throws: Why it cannot be read, for people.
    func read() throws(ConfigurationError) -> [UInt8]? {
        let name = source == .variable ? ConfigurationFile.variable : "--config"
        guard !PathText.isContent(path) else {
            throw ConfigurationError(problems: ["\(name): holds the content of a file itself, not a path"])
        }
        do throws(IOError) {
            return try Files.read(path, limit: 1 << 20)
        } catch {
            if source == .package, ["ENOENT", "EACCES"].contains(error.name) { return nil }
            throw ConfigurationError(problems: ["\(name): \(path) cannot be read: \(error.sentence)"])
        }
    }

    /// What a user is told whose command has failed for want of the package's file; `nil` where that is not the reason.
    var remark: String? {
        guard source == .package else { return nil }
        do throws(IOError) {
            _ = try Files.read(path)
            return nil
        } catch {
            guard error.name == "EACCES" else { return nil }
            return "\(path) was not read: this user may not open it; run the command with `sudo -u sallyport`"
        }
    }
}

extension CommandInput {
    /// The file with the settings of this command.
    var configurationFile: ConfigurationFile? {
        ConfigurationFile(arguments, environment, program: Files.target(ofLink: "/proc/self/exe"))
    }
}
