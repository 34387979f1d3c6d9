package import Primitives

/// The content of an entry, compressed once and written any number of times.
package struct ZIPBody: Sendable {
    /// How many bytes the content has.
    package let size: Int
    /// How many bytes it takes in an archive, without its name.
    package var packedSize: Int { packed.count }
    let checksum: UInt32
    let isDeflated: Bool
    let packed: [UInt8]

    /// Compresses a content, or keeps it where that does not make it smaller.
    package init(_ bytes: [UInt8]) {
        size = bytes.count
        checksum = CRC32.checksum(of: bytes.span)
        let deflated = Deflate.compress(bytes)
        isDeflated = deflated != nil
        packed = deflated ?? bytes
    }
}

/// Why an archive cannot be written.
package enum ZIPWriteError: Error, Sendable, Equatable {
    /// The name is empty, leads out of the archive, or has a character that systems read differently.
    case badName(String)
    /// There is an entry of that name, letter case aside.
    case repeatedName(String)
    /// More bytes or entries than the format has room for without its 64-bit form.
    case tooLarge
}

/// Writes an archive of files: nothing but names and contents, so that equal input gives equal bytes.
package struct ZIPWriter: Sendable {
    private let stamp: DOSTime
    private var output: [UInt8] = []
    private var directory: [UInt8] = []
    private var names: Set<OctetText> = []

    /// An archive without entries.
    ///
    /// - Parameter time: The time stamp of every entry, UTC, to two seconds.
    package init(time: WallTime) {
        stamp = DOSTime(time)
    }

    /// Adds a file.
    ///
    /// - Parameters:
    ///   - name: Relative, with `/` between folders.
    /// - Throws: Nothing was added then.
    package mutating func add(_ name: String, _ body: ZIPBody) throws(ZIPWriteError) {
        guard ZIPName.isSafe(name), let count = UInt16(exactly: name.utf8.count) else { throw .badName(name) }
        guard !names.contains(ZIPName.folded(name).octets) else { throw .repeatedName(name) }
        guard names.count < 0xFFFE, let offset = UInt32(exactly: output.count), UInt32(exactly: body.size) != nil,
            output.count + body.packed.count + directory.count < Int(UInt32.max) - 0x1_0000
        else { throw .tooLarge }
        names.insert(ZIPName.folded(name).octets)
        let facts = facts(of: name, body, nameCount: count)
        output.append(littleEndian: ZIPFormat.localHeader)
        output += facts
        output += name.utf8
        output += body.packed
        directory.append(littleEndian: ZIPFormat.directoryHeader)
        directory.append(littleEndian: ZIPFormat.version)
        directory += facts
        // No comment, disk 0, no attributes.
        directory += [UInt8](repeating: 0, count: 10)
        directory.append(littleEndian: offset)
        directory += name.utf8
    }

    /// The finished archive.
    package func finish() -> [UInt8] {
        let count = UInt16(truncatingIfNeeded: names.count)
        var archive = output
        archive.reserveCapacity(output.count + directory.count + ZIPFormat.endCount)
        archive += directory
        archive.append(littleEndian: ZIPFormat.end)
        archive.append(littleEndian: UInt32(0))
        archive.append(littleEndian: count)
        archive.append(littleEndian: count)
        // Both fit: `add` made sure.
        archive.append(littleEndian: UInt32(truncatingIfNeeded: directory.count))
        archive.append(littleEndian: UInt32(truncatingIfNeeded: output.count))
        archive.append(littleEndian: UInt16(0))
        return archive
    }

    /// What both headers of an entry say in the same words.
    private func facts(of name: String, _ body: ZIPBody, nameCount: UInt16) -> [UInt8] {
        var facts: [UInt8] = []
        facts.append(littleEndian: ZIPFormat.version)
        let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        facts.append(littleEndian: isASCII ? UInt16(0) : ZIPFormat.Flag.utf8)
        facts.append(littleEndian: body.isDeflated ? ZIPFormat.Method.deflated : ZIPFormat.Method.stored)
        facts.append(littleEndian: stamp.time)
        facts.append(littleEndian: stamp.date)
        facts.append(littleEndian: body.checksum)
        facts.append(littleEndian: UInt32(truncatingIfNeeded: body.packed.count))
        facts.append(littleEndian: UInt32(truncatingIfNeeded: body.size))
        facts.append(littleEndian: nameCount)
        facts.append(littleEndian: UInt16(0))
        return facts
    }
}

/// A time stamp of the format: years from 1980 to 2107.
private struct DOSTime: Sendable {
    let time: UInt16
    let date: UInt16

    init(_ wallTime: WallTime) {
        let calendar = CalendarDate(wallTime)
        guard (1980...2107).contains(calendar.year) else {
            (time, date) = (0, 1 << 5 | 1)
            return
        }
        time = UInt16(calendar.hour << 11 | calendar.minute << 5 | calendar.second / 2)
        date = UInt16((calendar.year - 1980) << 9 | calendar.month << 5 | calendar.day)
    }
}

extension [UInt8] {
    fileprivate mutating func append(littleEndian number: UInt16) {
        append(UInt8(truncatingIfNeeded: number))
        append(UInt8(truncatingIfNeeded: number >> 8))
    }

    fileprivate mutating func append(littleEndian number: UInt32) {
        append(littleEndian: UInt16(truncatingIfNeeded: number))
        append(littleEndian: UInt16(truncatingIfNeeded: number >> 16))
    }
}
