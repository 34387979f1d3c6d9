package import Primitives
import ZIP

/// Several finished passes in one file, which a browser offers together.
package enum PassBundle {
    /// The greatest number of passes.
    package static let limit = 10
    /// The greatest number of bytes.
    package static let byteLimit = 150_000_000

    /// Makes the file of a bundle.
    ///
    /// - Parameters:
    ///   - passes: Named `*.pkpass`, 1 to 10 of them, no pass twice.
    ///   - time: The time stamp of the entries.
    /// - Returns: The `.pkpasses`.
    package static func package(_ passes: [PassFile], at time: WallTime) throws(PassPackageError) -> [UInt8] {
        guard (1...limit).contains(passes.count) else { throw .tooLarge }
        var archive = ZIPWriter(time: time)
        do throws(ZIPWriteError) {
            for pass in passes {
                guard pass.name.octets.ends(with: ".pkpass"), !pass.name.utf8.contains(UInt8(ascii: "/")) else {
                    throw .badName(pass.name)
                }
                try archive.add(pass.name, ZIPBody(pass.bytes))
            }
        } catch {
            throw .archive(error)
        }
        let bytes = archive.finish()
        guard bytes.count <= byteLimit else { throw .tooLarge }
        return bytes
    }
}
