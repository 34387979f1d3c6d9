import EventIO

/// Bounds the files of one server process: what the kernel says beyond the bound, PostgreSQL reports as a full disk.
package enum FileLimit {
    /// The kernel's tool did not do it; its own words.
    package struct Refused: Error {
        let output: String
    }

    /// Lets no file of a process grow beyond a size.
    ///
    /// The log of PostgreSQL is written by the same process, in segments of 16 MB: a smaller bound would stop the server.
    ///
    /// - Parameters:
    ///   - bytes: No multiple of a page, so that the last page is cut; `nil` lifts the bound.
    /// - Throws: `Refused` or `IOError`.
    package static func set(of process: Int, to bytes: Int?) throws {
        let bound = bytes.map(String.init) ?? "unlimited"
        var plan = ChildPlan("/usr/bin/prlimit", ["--pid", "\(process)", "--fsize=\(bound):"])
        let owner = try Files.permissions("/proc/\(process)").owner
        if owner != SystemUser.current { plan.user = owner }
        let result = try plan.run(atMost: .seconds(120))
        guard result.exit.isSuccess else { throw Refused(output: String(decoding: result.output, as: UTF8.self)) }
    }
}
