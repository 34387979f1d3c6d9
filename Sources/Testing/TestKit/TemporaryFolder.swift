import EventIO
import Testing

/// Runs a body with a new folder, which is removed with everything in it afterwards.
///
/// - Parameter body: Takes the path, which starts with a slash and has mode 0700.
/// - Throws: What the body throws, or `IOError`.
package func withTemporaryFolder<Result>(
    _ body: nonisolated(nonsending) (String) async throws -> Result
) async throws -> Result {
    let path = try ProcessFolder.makeFolder("folder")
    defer {
        do {
            try Files.removeTree(path)
        } catch {
            Issue.record(error, "the folder \(path) stays behind")
        }
    }
    return try await body(path)
}
