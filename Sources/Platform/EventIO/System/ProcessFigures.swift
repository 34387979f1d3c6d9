import Glibc

/// What this process takes of the machine, under the names that Prometheus has for it.
package struct ProcessFigures: Sendable {
    /// User and system time of all threads.
    package let cpuSeconds: Double
    /// Memory that is in place; `nil` where the kernel does not say.
    package let residentBytes: Int?
    /// Addresses that are taken; `nil` where the kernel does not say.
    package let virtualBytes: Int?
    /// `nil` where the kernel does not say.
    package let openDescriptors: Int?
    /// `nil` where the kernel does not say.
    package let descriptorLimit: Int?

    /// The figures of this moment.
    ///
    /// Nothing here asks to be the owner of `/proc/self`, which a process that may not be looked into is not: `statm` is for
    /// everybody, and the kernel shows a process its own descriptors.
    package init() {
        var usage = rusage()
        let isKnown = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0
        cpuSeconds = isKnown ? ProcessFigures.seconds(usage.ru_utime) + ProcessFigures.seconds(usage.ru_stime) : 0
        let pages = (try? Files.read("/proc/self/statm")).map { $0.split(separator: UInt8(ascii: " ")) } ?? []
        virtualBytes = ProcessFigures.bytes(pages.first)
        residentBytes = ProcessFigures.bytes(pages.dropFirst().first)
        openDescriptors = try? Machine.openDescriptorCount()
        descriptorLimit = try? Machine.descriptorLimit()
    }

    /// The Prometheus text format; what is not known is left out.
    package var prometheusText: String {
        var text = ""
        func add(_ name: String, _ kind: String, _ help: String, _ value: String?) {
            guard let value else { return }
            text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n\(name) \(value)\n"
        }
        let cpu = "Total user and system CPU time spent in seconds."
        add("process_cpu_seconds_total", "counter", cpu, "\(cpuSeconds)")
        let resident = "Resident memory size in bytes."
        add("process_resident_memory_bytes", "gauge", resident, residentBytes.map(String.init))
        add("process_virtual_memory_bytes", "gauge", "Virtual memory size in bytes.", virtualBytes.map(String.init))
        add("process_open_fds", "gauge", "Number of open file descriptors.", openDescriptors.map(String.init))
        let limit = "Maximum number of open file descriptors."
        add("process_max_fds", "gauge", limit, descriptorLimit.map(String.init))
        return text
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }

    private static func bytes(_ pages: ArraySlice<UInt8>?) -> Int? {
        pages.flatMap { Int(String(decoding: $0, as: UTF8.self)) }.map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    }
}
