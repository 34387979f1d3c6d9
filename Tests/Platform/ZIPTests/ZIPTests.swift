import Primitives
import TestKit
import Testing
import ZIP

@Suite("An archive")
struct ZIPTests {
    private static let time = WallTime(seconds: 1_795_600_000)
    private static let text = Array("hello hello hello hello hello hello".utf8)

    private func archive(_ files: [(String, [UInt8])] = [("a.txt", text), ("b/c.bin", [1, 2, 3])]) throws -> [UInt8] {
        var writer = ZIPWriter(time: ZIPTests.time)
        for (name, bytes) in files { try writer.add(name, ZIPBody(bytes)) }
        return writer.finish()
    }

    private func kinds(_ bytes: [UInt8], _ limits: ZIPLimits = ZIPLimits()) -> Set<ZIPFault.Kind> {
        Set(ZIPArchive(reading: bytes, limits: limits).faults.map(\.kind))
    }

    /// The offset of a run of bytes, from the end where asked.
    private func offset(of run: [UInt8], in bytes: [UInt8], last: Bool = false) throws -> Int {
        let places = (0...(bytes.count - run.count)).filter { Array(bytes[$0..<($0 + run.count)]) == run }
        return try #require(last ? places.last : places.first)
    }

    private static let directoryMark: [UInt8] = [0x50, 0x4B, 1, 2]

    @Test func `is read as it was written`() throws {
        let long = [UInt8](repeating: 7, count: 100_000)
        let random = SeededRandom(seed: 3).bytes(5_000)
        let files = [("a.txt", ZIPTests.text), ("日本.txt", long), ("x/y/z", random), ("empty", []), ("one", [0])]
        let opened = try ZIPArchive(strict: archive(files))
        #expect(opened.faults.isEmpty)
        #expect(opened.entries.map(\.name) == files.map(\.0))
        #expect(opened.entries.map(\.bytes) == files.map(\.1))
    }

    @Test func `is the same bytes for the same files, and a content is compressed once`() throws {
        #expect(try archive() == archive())
        let body = ZIPBody(ZIPTests.text)
        #expect(body.size == ZIPTests.text.count && body.packedSize < body.size)
        var writer = ZIPWriter(time: ZIPTests.time)
        try writer.add("a.txt", body)
        try writer.add("b/c.bin", ZIPBody([1, 2, 3]))
        #expect(writer.finish() == (try archive()))
    }

    @Test(arguments: ["", "/a", "a/", "a//b", "../a", "a/./b", "a\\b", "c:x", "a\u{0}b", "a\nb"])
    func `is not written with a name that leads elsewhere`(name: String) {
        #expect(throws: ZIPWriteError.badName(name)) { try archive([(name, [1])]) }
    }

    @Test func `is not written with a name twice, letter case aside`() {
        #expect(throws: ZIPWriteError.repeatedName("A.TXT")) { try archive([("a.txt", [1]), ("A.TXT", [2])]) }
    }

    @Test func `that is empty or none is refused`() {
        for bytes: [UInt8] in [[], [1, 2, 3], Array("PK".utf8), [UInt8](repeating: 0, count: 4_000)] {
            #expect(kinds(bytes) == [.notAnArchive])
        }
    }

    @Test func `with bytes before or behind it is refused`() throws {
        let bytes = try archive()
        #expect(kinds(bytes + [0]).contains(.notAnArchive))
        #expect(!kinds([0] + bytes).isEmpty)
        #expect(throws: ZIPFault.self) { try ZIPArchive(strict: bytes + [0]) }
    }

    @Test func `in the 64-bit form, or in several parts, is refused`() throws {
        var bytes = try archive()
        let end = bytes.count - 22
        for place in [end + 4, end + 8] {
            var changed = bytes
            changed[place] ^= 1
            #expect(kinds(changed) == [.notAnArchive])
        }
        bytes.replaceSubrange((end + 16)..<(end + 20), with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(kinds(bytes) == [.notAnArchive])
    }

    @Test func `with an encrypted entry, or one of another method, is refused`() throws {
        let bytes = try archive([("a.txt", ZIPTests.text)])
        let directory = try offset(of: ZIPTests.directoryMark, in: bytes)
        var encrypted = bytes
        encrypted[6] |= 1
        encrypted[directory + 8] |= 1
        #expect(kinds(encrypted) == [.encrypted])
        var other = bytes
        other[8] = 14
        other[directory + 10] = 14
        #expect(kinds(other) == [.method])
    }

    @Test func `whose headers contradict each other is refused`() throws {
        let bytes = try archive([("a.txt", ZIPTests.text)])
        // Method, checksum, both sizes and the name of the local header.
        for place in [8, 14, 18, 22, 30] {
            var changed = bytes
            changed[place] ^= 1
            #expect(kinds(changed).contains(.contradiction), "\(place)")
        }
    }

    @Test func `with a damaged content is refused, and its other files are read`() throws {
        var bytes = try archive()
        bytes[37] ^= 0xFF
        let opened = ZIPArchive(reading: bytes)
        #expect(opened.faults.map(\.kind) == [.damaged])
        #expect(opened.entries.map(\.name) == ["b/c.bin"])
    }

    @Test func `that names a file twice keeps the first, and is refused`() throws {
        let bytes = try archive([("a1", [1]), ("a2", [2])])
        let changed = bytes.map { $0 == UInt8(ascii: "2") ? UInt8(ascii: "1") : $0 }
        let opened = ZIPArchive(reading: changed)
        #expect(opened.faults.map(\.kind) == [.repeatedName])
        #expect(opened.entries.map(\.bytes) == [[1]])
    }

    @Test(arguments: ["../x", "ab\\c", "/abc", "a/..", "ab/ "])
    func `with a name that leads elsewhere is refused`(name: String) throws {
        let bytes = try archive([("QQQQ", ZIPTests.text)])
        var changed = bytes
        for start in bytes.indices.dropLast(3) where Array(bytes[start..<(start + 4)]) == Array("QQQQ".utf8) {
            changed.replaceSubrange(start..<(start + 4), with: name.utf8)
        }
        #expect(kinds(changed) == (name == "ab/ " ? [] : [.unsafeName]))
    }

    @Test func `with a symbolic link is refused`() throws {
        var bytes = try archive([("link", Array("/etc/passwd".utf8))])
        let directory = try offset(of: ZIPTests.directoryMark, in: bytes)
        bytes[directory + 5] = 3
        bytes[directory + 41] = 0xA1
        #expect(kinds(bytes) == [.unsafeName])
    }

    @Test func `that claims more than its bytes can hold allocates nothing and is refused`() throws {
        var bytes = try archive([("a.txt", ZIPTests.text)])
        let directory = try offset(of: ZIPTests.directoryMark, in: bytes)
        for place in [22, directory + 24] { bytes.replaceSubrange(place..<(place + 4), with: [0, 0, 0, 2]) }
        #expect(kinds(bytes) == [.damaged])
    }

    @Test func `is read within its limits`() throws {
        let bytes = try archive([
            ("a", [UInt8](repeating: 0, count: 50_000)), ("b", [UInt8](repeating: 1, count: 50_000)),
        ])
        #expect(bytes.count < 1_000)
        var limits = ZIPLimits()
        limits.contents = 60_000
        #expect(kinds(bytes, limits) == [.tooLarge])
        #expect(ZIPArchive(reading: bytes, limits: limits).entries.map(\.name) == ["a"])
        limits.contents = 100_000
        #expect(kinds(bytes, limits).isEmpty)
        limits.entries = 1
        #expect(kinds(bytes, limits) == [.tooLarge])
        limits = ZIPLimits()
        limits.archive = bytes.count - 1
        #expect(kinds(bytes, limits) == [.tooLarge])
    }

    @Test func `whose entries lie over each other is refused`() throws {
        let bytes = try archive([("same", ZIPTests.text), ("same2", ZIPTests.text)])
        var changed = bytes
        // Both entries of the directory name the first file.
        let second = try offset(of: ZIPTests.directoryMark, in: bytes, last: true)
        changed.replaceSubrange((second + 42)..<(second + 46), with: [0, 0, 0, 0])
        #expect(kinds(changed).contains(.contradiction))
    }

    @Test func `with descriptors behind its contents is read`() throws {
        let plain = try archive([("a.txt", ZIPTests.text)])
        let directory = try offset(of: ZIPTests.directoryMark, in: plain)
        let numbers = Array(plain[14..<26])
        for mark: [UInt8] in [[0x50, 0x4B, 7, 8], []] {
            var bytes = plain
            bytes.replaceSubrange((plain.count - 6)..<(plain.count - 4), with: [UInt8(directory + mark.count + 12), 0])
            bytes[directory + 8] |= 8
            bytes.insert(contentsOf: mark + numbers, at: directory)
            bytes[6] |= 8
            bytes.replaceSubrange(14..<26, with: [UInt8](repeating: 0, count: 12))
            let opened = ZIPArchive(reading: bytes)
            #expect(opened.faults.isEmpty, "\(opened.faults)")
            #expect(opened.entries.map(\.bytes) == [ZIPTests.text])
            bytes[directory + mark.count] ^= 1
            #expect(kinds(bytes) == [.contradiction])
        }
    }

    @Test func `of any bytes is read without an end of the process`() throws {
        let good = try archive()
        let random = SeededRandom(seed: 11)
        for _ in 0..<2_000 {
            var bytes = good
            for _ in 0...random.below(6) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            let opened = ZIPArchive(reading: Array(bytes.prefix(random.below(bytes.count + 1))))
            #expect(opened.entries.reduce(0) { $0 + $1.bytes.count } <= ZIPLimits().contents)
        }
    }

    // MARK: Streams

    @Test func `stream with a checksum has a length within a limit`() {
        // `python3 -c 'import zlib; print(list(zlib.compress(bytes(1000))))'`
        let stream: [UInt8] = [120, 156, 99, 96, 24, 5, 163, 96, 20, 12, 119, 0, 0, 3, 232, 0, 1]
        #expect(Deflate.expandedCount(ofZlib: stream, limit: 1_000) == 1_000)
        #expect(Deflate.expandedCount(ofZlib: stream, limit: 999) == nil)
        #expect(Deflate.expandedCount(ofZlib: stream + [0], limit: 1_000) == nil)
        #expect(Deflate.expandedCount(ofZlib: Array(stream.dropLast()), limit: 1_000) == nil)
        #expect(Deflate.expandedCount(ofZlib: [], limit: 1_000) == nil)
    }

    @Test func `checksum is that of the standard`() {
        #expect(CRC32.checksum(of: Array("123456789".utf8).span) == 0xCBF4_3926)
        #expect(CRC32.checksum(of: [UInt8]().span) == 0)
    }
}
