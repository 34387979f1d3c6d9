import Primitives

/// A line that a phone writes to the log of a web service, in the shapes that phones use.
struct DeviceLogLine: Sendable, Equatable {
    /// What went wrong.
    enum Problem: Sendable, Equatable {
        case register(device: String, serial: String, String)
        case unregister(device: String, serial: String, String)
        case list(device: String, tag: String?, String)
        case get(serial: String, ifModifiedSince: String?, String)
        case service(String)
    }

    let type: String
    /// As the pass has it.
    let webService: String
    let problem: Problem

    /// Sense of an answer that a task cannot use.
    static func unexpected(_ status: Int) -> String { "Unexpected response code \(status)" }

    /// As it is posted.
    ///
    /// - Parameter time: Shown as in Tokyo.
    func text(at time: WallTime) -> String {
        let date = CalendarDate(time + .seconds(9 * 3_600)).extendedText
        let start = "[\(date.prefix(10)) \(date.dropFirst(11).prefix(8)) +0900] "
        let end = "; with web service url \(webService)) encountered error: "
        switch problem {
        case .register(let device, let serial, let message):
            return start + "Register task (for device \(device), pass type \(type), serial number \(serial)" + end
                + message
        case .unregister(let device, let serial, let message):
            return start + "Unregister task (for device \(device), pass type \(type), serial number \(serial)" + end
                + message
        case .list(let device, let tag, let message):
            let tag = tag ?? "(null)"
            return start + "Get serial #s task (for device \(device), pass type \(type), last updated \(tag)" + end
                + message
        case .get(let serial, let since, let message):
            let since = since ?? "(null)"
            return start + "Get pass task (pass type \(type), serial number \(serial), if-modified-since \(since)" + end
                + message
        case .service(let message):
            return start + "Web service error for \(type) (\(webService)): " + message
        }
    }
}
