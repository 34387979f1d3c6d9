import Primitives

/// A file of an archive.
package struct ZIPEntry: Sendable {
    /// The name, with `/` between folders; as octets of UTF-8, damaged ones replaced.
    package let name: String
    /// The content.
    package let bytes: [UInt8]
}

/// Something in an archive that a strict reader refuses.
package struct ZIPFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// What it is.
    package enum Kind: Sendable, Hashable {
        /// No archive, one in several parts, in the 64-bit form, or with bytes before or behind it.
        case notAnArchive
        /// Two entries of one name, letter case aside.
        case repeatedName
        /// Compressed in another way than by deflate.
        case method
        /// Encrypted.
        case encrypted
        /// Two places of the archive say different things, or entries lie over each other.
        case contradiction
        /// The content is cut or damaged.
        case damaged
        /// A name that leads elsewhere on some system, or a symbolic link.
        case unsafeName
        /// An entry for a folder; harmless.
        case folder
        /// More bytes or entries than the limits allow.
        case tooLarge
    }

    /// What it is.
    package let kind: Kind
    /// The entry, empty for the archive itself; a sender chose it: bound and escape it where it is shown.
    package let name: String
    /// A sentence for people, without a full stop; nothing of it comes from the archive.
    package let sentence: String

    package var description: String { name.isEmpty ? sentence : "\(name): \(sentence)" }
}

/// How much of an archive is read.
package struct ZIPLimits: Sendable {
    /// Bytes of the archive.
    package var archive = 20 << 20
    /// Bytes of all contents together.
    package var contents = 60 << 20
    /// Entries, folders among them.
    package var entries = 1_000

    /// Limits for a file that is kept in memory.
    package init() {}
}

/// The files of an archive that somebody else made, and all that is wrong with it.
///
/// Contents are read within the limits, whatever the archive claims about itself. Descriptors behind contents are accepted.
package struct ZIPArchive: Sendable {
    /// The files that could be read, in the order of the directory; of two with one name the first.
    package let entries: [ZIPEntry]
    /// All that is wrong; none for an archive that a strict reader takes.
    package let faults: [ZIPFault]

    /// Reads an archive as far as that goes.
    package init(reading bytes: [UInt8], limits: ZIPLimits = ZIPLimits()) {
        var reader = ZIPReader(bytes, limits)
        reader.read()
        entries = reader.entries
        faults = reader.faults
    }

    /// Reads an archive with nothing wrong; entries for folders are passed over.
    ///
    /// - Throws: The first fault.
    package init(strict bytes: [UInt8], limits: ZIPLimits = ZIPLimits()) throws(ZIPFault) {
        self.init(reading: bytes, limits: limits)
        if let fault = faults.first(where: { $0.kind != .folder }) { throw fault }
    }
}

/// An entry as the directory has it.
private struct DirectoryEntry {
    let name: String
    let rawName: ArraySlice<UInt8>
    let flags: UInt16
    let method: UInt16
    let checksum: UInt32
    let packedSize: Int
    let size: Int
    let offset: Int
    let isLink: Bool
}

private struct ZIPReader {
    private let bytes: [UInt8]
    private let limits: ZIPLimits
    private(set) var entries: [ZIPEntry] = []
    private(set) var faults: [ZIPFault] = []
    private var names: Set<OctetText> = []
    private var foldedNames: Set<OctetText> = []
    private var spans: [Range<Int>] = []
    private var total = 0

    init(_ bytes: [UInt8], _ limits: ZIPLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func read() {
        guard bytes.count <= limits.archive else {
            return refuse(.tooLarge, "the archive has more than \(limits.archive) bytes")
        }
        guard let directory = readDirectory() else { return }
        for entry in directory {
            guard total <= limits.contents else { break }
            read(entry)
        }
        checkOverlaps()
    }

    private mutating func refuse(_ kind: ZIPFault.Kind, _ sentence: String, of name: String = "") {
        faults.append(ZIPFault(kind: kind, name: name, sentence: sentence))
    }

    private func number16(at offset: Int) -> UInt16? {
        guard offset >= 0, offset <= bytes.count - 2 else { return nil }
        return UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
    }

    private func number32(at offset: Int) -> UInt32? {
        guard let low = number16(at: offset), let high = number16(at: offset + 2) else { return nil }
        return UInt32(low) | UInt32(high) << 16
    }
}

// MARK: - The directory

extension ZIPReader {
    private mutating func readDirectory() -> [DirectoryEntry]? {
        guard let end = findEnd(), let comment = number16(at: end + 20), let count = number16(at: end + 10),
            let size = number32(at: end + 12), let start = number32(at: end + 16)
        else {
            refuse(.notAnArchive, "no record at the end of a ZIP archive")
            return nil
        }
        if number32(at: 0) != ZIPFormat.localHeader { refuse(.notAnArchive, "does not begin with a file") }
        if end + ZIPFormat.endCount + Int(comment) != bytes.count { refuse(.notAnArchive, "bytes behind the archive") }
        if number32(at: end + 4) != 0 || number16(at: end + 8) != count {
            refuse(.notAnArchive, "an archive in several parts")
        }
        guard count != .max, start != .max else {
            refuse(.notAnArchive, "an archive in the 64-bit form")
            return nil
        }
        guard count <= limits.entries else {
            refuse(.tooLarge, "more than \(limits.entries) entries")
            return nil
        }
        if Int(start) + Int(size) != end {
            refuse(.contradiction, "the directory does not stand before its end record")
        }
        return readEntries(Int(count), from: Int(start), size: Int(size))
    }

    /// The last record of its kind that may be the end, or `nil`.
    private func findEnd() -> Int? {
        guard bytes.count >= ZIPFormat.endCount else { return nil }
        let last = bytes.count - ZIPFormat.endCount
        for offset in stride(from: last, through: max(0, last - 0xFFFF), by: -1)
        where number32(at: offset) == ZIPFormat.end {
            return offset
        }
        return nil
    }

    private mutating func readEntries(_ count: Int, from start: Int, size: Int) -> [DirectoryEntry]? {
        var directory: [DirectoryEntry] = []
        var offset = start
        for _ in 0..<count {
            guard let (entry, next) = readEntry(at: offset) else {
                refuse(.notAnArchive, "a damaged directory")
                return nil
            }
            directory.append(entry)
            offset = next
        }
        if offset != start + size { refuse(.contradiction, "the directory has another size than it says") }
        return directory
    }

    private mutating func readEntry(at offset: Int) -> (DirectoryEntry, Int)? {
        guard number32(at: offset) == ZIPFormat.directoryHeader, let madeBy = number16(at: offset + 4),
            let flags = number16(at: offset + 8), let method = number16(at: offset + 10),
            let checksum = number32(at: offset + 16), let packedSize = number32(at: offset + 20),
            let size = number32(at: offset + 24), let nameCount = number16(at: offset + 28),
            let extraCount = number16(at: offset + 30), let commentCount = number16(at: offset + 32),
            let attributes = number32(at: offset + 38), let local = number32(at: offset + 42)
        else { return nil }
        let nameStart = offset + ZIPFormat.directoryCount
        let nameEnd = nameStart + Int(nameCount)
        let next = nameEnd + Int(extraCount) + Int(commentCount)
        guard next <= bytes.count else { return nil }
        let rawName = bytes[nameStart..<nameEnd]
        let name = String(decoding: rawName, as: UTF8.self)
        let isUnix = madeBy >> 8 == 3
        let entry = DirectoryEntry(
            name: name,
            rawName: rawName,
            flags: flags,
            method: method,
            checksum: checksum,
            packedSize: Int(packedSize),
            size: Int(size),
            offset: Int(local),
            isLink: isUnix && attributes >> 28 == 0xA
        )
        return (entry, next)
    }
}

// MARK: - Files

extension ZIPReader {
    private mutating func read(_ entry: DirectoryEntry) {
        guard let start = contentStart(of: entry) else { return }
        spans.append(entry.offset..<(start + entry.packedSize))
        guard entry.flags & (ZIPFormat.Flag.encrypted | ZIPFormat.Flag.stronglyEncrypted) == 0 else {
            return refuse(.encrypted, "encrypted", of: entry.name)
        }
        if entry.name.utf8.last == UInt8(ascii: "/") {
            refuse(.folder, "an entry for a folder", of: entry.name)
            if entry.size != 0 { refuse(.contradiction, "a folder with a content", of: entry.name) }
            return
        }
        checkName(of: entry)
        guard let content = content(of: entry, from: start) else { return }
        guard names.insert(entry.name.octets).inserted else {
            return refuse(.repeatedName, "a second entry of this name", of: entry.name)
        }
        if !foldedNames.insert(ZIPName.folded(entry.name).octets).inserted {
            refuse(.repeatedName, "differs from another entry in letter case only", of: entry.name)
        }
        entries.append(ZIPEntry(name: entry.name, bytes: content))
    }

    private mutating func checkName(of entry: DirectoryEntry) {
        let isASCII = entry.rawName.allSatisfy { $0 < 0x80 }
        let isUTF8 = entry.flags & ZIPFormat.Flag.utf8 != 0 && Array(entry.name.utf8) == Array(entry.rawName)
        if !isASCII && !isUTF8 {
            refuse(.unsafeName, "a name that is neither ASCII nor marked as UTF-8", of: entry.name)
        }
        if !ZIPName.isSafe(entry.name) { refuse(.unsafeName, "a name that leads elsewhere", of: entry.name) }
        if entry.isLink { refuse(.unsafeName, "a symbolic link", of: entry.name) }
    }

    /// Where the content begins, once the header before it is compared with the directory.
    private mutating func contentStart(of entry: DirectoryEntry) -> Int? {
        let offset = entry.offset
        guard number32(at: offset) == ZIPFormat.localHeader, let flags = number16(at: offset + 6),
            let method = number16(at: offset + 8), let checksum = number32(at: offset + 14),
            let packedSize = number32(at: offset + 18), let size = number32(at: offset + 22),
            let nameCount = number16(at: offset + 26), let extraCount = number16(at: offset + 28)
        else {
            refuse(.contradiction, "no header where the directory says", of: entry.name)
            return nil
        }
        let nameStart = offset + ZIPFormat.localCount
        let start = nameStart + Int(nameCount) + Int(extraCount)
        guard start <= bytes.count, bytes.count - start >= entry.packedSize else {
            refuse(.damaged, "cut", of: entry.name)
            return nil
        }
        let names = bytes[nameStart..<(nameStart + Int(nameCount))]
        let compared = ZIPFormat.Flag.encrypted | ZIPFormat.Flag.descriptor | ZIPFormat.Flag.utf8
        let sizes = (UInt32(truncatingIfNeeded: entry.packedSize), UInt32(truncatingIfNeeded: entry.size))
        let isSame = checksum == entry.checksum && packedSize == sizes.0 && size == sizes.1
        let isOpen = flags & ZIPFormat.Flag.descriptor != 0
        let hasNone = checksum == 0 && packedSize == 0 && size == 0
        if !names.elementsEqual(entry.rawName) || method != entry.method || (flags ^ entry.flags) & compared != 0
            || !(isSame || isOpen && hasNone)
        {
            refuse(.contradiction, "header and directory differ", of: entry.name)
        }
        if isOpen, !hasDescriptor(entry, at: start + entry.packedSize) {
            refuse(.contradiction, "no descriptor behind the content", of: entry.name)
        }
        return start
    }

    /// Whether checksum and sizes stand at an offset, with or without the mark before them.
    private func hasDescriptor(_ entry: DirectoryEntry, at offset: Int) -> Bool {
        func matches(_ place: Int) -> Bool {
            number32(at: place) == entry.checksum
                && number32(at: place + 4) == UInt32(truncatingIfNeeded: entry.packedSize)
                && number32(at: place + 8) == UInt32(truncatingIfNeeded: entry.size)
        }
        return number32(at: offset) == ZIPFormat.descriptor && matches(offset + 4) || matches(offset)
    }

    private mutating func content(of entry: DirectoryEntry, from start: Int) -> [UInt8]? {
        total += entry.size
        guard total <= limits.contents else {
            refuse(.tooLarge, "the contents have more than \(limits.contents) bytes", of: entry.name)
            return nil
        }
        guard entry.method == ZIPFormat.Method.stored || entry.method == ZIPFormat.Method.deflated else {
            refuse(.method, "compressed by method \(entry.method)", of: entry.name)
            return nil
        }
        guard let content = expanded(entry, from: start), CRC32.checksum(of: content.span) == entry.checksum else {
            refuse(.damaged, "a damaged content", of: entry.name)
            return nil
        }
        return content
    }

    private func expanded(_ entry: DirectoryEntry, from start: Int) -> [UInt8]? {
        let packed = start..<(start + entry.packedSize)
        if entry.method == ZIPFormat.Method.deflated {
            return Deflate.expand(bytes.span.extracting(packed), count: entry.size)
        }
        return packed.count == entry.size ? Array(bytes[packed]) : nil
    }

    private mutating func checkOverlaps() {
        let ordered = spans.sorted { $0.lowerBound < $1.lowerBound }
        for (one, next) in zip(ordered, ordered.dropFirst()) where next.lowerBound < one.upperBound {
            return refuse(.contradiction, "two entries lie over each other")
        }
    }
}
