import Cryptography
import Primitives

/// Names the file of a pass: the same name is the same file.
struct PassFileName: Hashable, Sendable {
    let passType: OctetText
    let serial: OctetText
    let version: Int
    let template: Digest32
    let certificate: Digest32

    init(_ pass: PassVersion, template: Digest32, certificate: Digest32) {
        passType = pass.passType.octets
        serial = pass.serial.octets
        version = pass.number
        self.template = template
        self.certificate = certificate
    }
}

/// Finished files in memory, by generations: when the young ones fill half of the room the old ones are forgotten.
struct PassCache {
    private var young: [PassFileName: [UInt8]] = [:]
    private var old: [PassFileName: [UInt8]] = [:]
    private var youngSize = 0
    private let half: Int

    /// An empty cache.
    ///
    /// - Parameter byteCount: How much it holds.
    init(byteCount: Int) {
        half = byteCount / 2
    }

    /// A file; one that is asked for stays.
    mutating func file(_ name: PassFileName) -> [UInt8]? {
        if let file = young[name] { return file }
        guard let file = old[name] else { return nil }
        insert(file, name)
        return file
    }

    /// Holds a file.
    mutating func insert(_ file: [UInt8], _ name: PassFileName) {
        if youngSize + file.count > half {
            old = young
            young = [:]
            youngSize = 0
        }
        guard file.count <= half, young.updateValue(file, forKey: name) == nil else { return }
        youngSize += file.count
    }
}
