import Foundation

/// A file that only its user may read, and that is there as a whole or not at all.
struct PrivateFile: Sendable {
    private let url: URL

    init(_ url: URL) { self.url = url }

    /// What was written last; `nil` where there is nothing.
    func read() throws -> Data? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        return try Data(contentsOf: url)
    }

    /// Writes it anew, before it comes back.
    func write(_ data: Data) throws {
        let fresh = url.appendingPathExtension("new")
        try? FileManager.default.removeItem(at: fresh)
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: fresh.path, contents: nil, attributes: attributes) else {
            throw CheckoutError("the file \(url.lastPathComponent) cannot be written")
        }
        let handle = try FileHandle(forWritingTo: fresh)
        #if os(iOS)
        // Cannot be read while the phone is locked; what is open already can be written then too.
        let protection: [FileAttributeKey: Any] = [.protectionKey: FileProtectionType.completeUnlessOpen]
        try FileManager.default.setAttributes(protection, ofItemAtPath: fresh.path)
        #endif
        try handle.write(contentsOf: data)
        try handle.synchronize()
        try handle.close()
        guard rename(fresh.path, url.path) == 0 else {
            throw CheckoutError("the file \(url.lastPathComponent) cannot be replaced")
        }
    }
}
