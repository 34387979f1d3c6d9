import FoundationEssentials

/// Finds members that come twice in one object of a JSON text; the toolchain's decoder keeps one of them and says nothing.
struct DuplicateKeys {
    /// One object or array that has begun and not ended.
    private struct Level {
        let path: String
        let isObject: Bool
        var seen: Set<String> = []
        /// The member that is being read.
        var key = ""
        /// The element that is being read.
        var index = 0

        /// The path of what is being read.
        var current: String {
            guard isObject else { return "\(path)[\(index)]" }
            return path.isEmpty ? key : "\(path).\(key)"
        }
    }

    private let bytes: [UInt8]
    private var position = 0
    private var levels: [Level] = []
    private var found: [String] = []

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The members that come twice.
    ///
    /// - Parameter bytes: A JSON text that a decoder has accepted.
    /// - Returns: Their paths, for example `session.idle` or `ios[0].bundle`, in the order of the text.
    static func all(in bytes: [UInt8]) -> [String] {
        var search = DuplicateKeys(bytes)
        while search.position < bytes.count { search.step() }
        return search.found
    }

    private mutating func step() {
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            levels.append(Level(path: levels.last?.current ?? "", isObject: byte == UInt8(ascii: "{")))
        case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = levels.popLast()
        case UInt8(ascii: ","): if let last = levels.indices.last { levels[last].index += 1 }
        case UInt8(ascii: "\""): readString()
        default: break
        }
    }

    /// Reads the rest of a string, which is a member's name where a colon follows.
    private mutating func readString() {
        let start = position - 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position += 1
        let next = bytes[min(position, bytes.count)...].first { !" \t\r\n".utf8.contains($0) }
        guard next == UInt8(ascii: ":"), let last = levels.indices.last else { return }
        let name = try? JSONDecoder().decode(String.self, from: Data(bytes[start..<min(position, bytes.count)]))
        levels[last].key = name ?? ""
        if !levels[last].seen.insert(levels[last].key).inserted { found.append(levels[last].current) }
    }
}
