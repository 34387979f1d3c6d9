import Primitives

/// Numbers of the format, APPNOTE.TXT 6.3.
enum ZIPFormat {
    static let localHeader: UInt32 = 0x0403_4B50
    static let directoryHeader: UInt32 = 0x0201_4B50
    static let end: UInt32 = 0x0605_4B50
    static let descriptor: UInt32 = 0x0807_4B50
    static let localCount = 30
    static let directoryCount = 46
    static let endCount = 22
    /// 2.0: folders and deflate.
    static let version: UInt16 = 20

    enum Method {
        static let stored: UInt16 = 0
        static let deflated: UInt16 = 8
    }

    enum Flag {
        static let encrypted: UInt16 = 1
        static let descriptor: UInt16 = 1 << 3
        static let stronglyEncrypted: UInt16 = 1 << 6
        static let utf8: UInt16 = 1 << 11
    }
}

/// Names of entries.
enum ZIPName {
    /// Whether a name means the same file, inside the folder it is unpacked to, on every system.
    static func isSafe(_ name: String) -> Bool {
        let octets = Array(name.utf8)
        guard !octets.isEmpty, octets.count <= 1_024,
            octets.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") })
        else { return false }
        let hasDrive = octets.count > 1 && octets[1] == UInt8(ascii: ":")
        let parts = name.octets.parts(between: UInt8(ascii: "/"))
        return !hasDrive && parts.allSatisfy { !$0.isEmpty && $0.octets != "." && $0.octets != ".." }
    }

    /// The same for names that a system which ignores letter case takes for one.
    static func folded(_ name: String) -> String { name.lowercased() }
}
