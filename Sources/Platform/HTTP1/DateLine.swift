import HTTPCore
package import Primitives

/// The Date field as a finished line, made anew at most once a second; one for each loop.
package struct DateLine: Sendable {
    /// `Date: Sun, 06 Nov 1994 08:49:37 GMT` and CR LF: 37 bytes.
    package private(set) var bytes: [UInt8] = []
    /// Where the value lies in `bytes`.
    package static let valueRange = 6..<35
    private var second: Int64

    /// The line of a point in time.
    ///
    /// - Parameter time: Read to the second.
    package init(_ time: WallTime) {
        second = time.seconds
        write(time)
    }

    /// Moves the line on.
    ///
    /// - Parameter time: Read to the second; within the same second nothing happens.
    package mutating func update(_ time: WallTime) {
        guard time.seconds != second else { return }
        second = time.seconds
        write(time)
    }

    private mutating func write(_ time: WallTime) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(text: "Date: ")
        HTTPDate.append(time, to: &bytes)
        bytes.append(text: "\r\n")
    }
}
