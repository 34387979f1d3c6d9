import Foundation
import Primitives

/// Reads the certificates under `Vectors`.
enum ChainFiles {
    static let name = "sns.amazonaws.com"
    /// 2026-03-14T02:00:05Z.
    static let now = WallTime(seconds: 1_773_453_605)
    /// 2026-01-01T00:00:00Z, when all of them begin.
    static let begin = WallTime(seconds: 1_767_225_600)
    /// 2026-02-01T00:00:00Z, when the short one ends.
    static let earlyEnd = WallTime(seconds: 1_769_904_000)
    /// 2046-01-01T00:00:00Z, when the others end.
    static let end = WallTime(seconds: 2_398_377_600)

    static func path(_ name: String) -> String {
        Bundle.module.bundleURL.appendingPathComponent("Vectors").appendingPathComponent("sns-\(name).pem").path
    }

    static func pem(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }
}
