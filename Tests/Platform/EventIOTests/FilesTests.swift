import Glibc
import TestKit
import Testing

@testable import EventIO

@Suite struct `Files and folders` {
    @Test func `are read up to a limit`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/file"
            try Files.write(path, Array(repeating: 7, count: 200_000))
            #expect(try Files.read(path).count == 200_000)
            #expect(try Files.read(path, limit: 200_000).count == 200_000)
            #expect(throws: IOError(code: IOError.tooLarge, operation: "read")) { try Files.read(path, limit: 199_999) }
            #expect(throws: IOError(code: IOError.notFound, operation: "open")) { try Files.read(folder + "/none") }
            #expect(try Files.size(path) == 200_000)
        }
    }

    @Test(arguments: [true, false])
    func `are replaced whole`(atomically: Bool) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/file"
            try Files.write(path, Array("first and longer".utf8), mode: 0o640, atomically: atomically)
            try Files.write(path, Array("second".utf8), mode: 0o640, atomically: atomically)
            #expect(try Files.read(path) == Array("second".utf8))
            #expect(try Files.permissions(path).mode == 0o640)
            #expect(try Files.permissions(path).owner == SystemUser.current)
            #expect(try Files.list(folder) == ["file"])
            try Files.append(path, Array(" more".utf8))
            #expect(try Files.read(path) == Array("second more".utf8))
        }
    }

    @Test func `keep their old content when the new one cannot be written`() async throws {
        try await withTemporaryFolder { folder in
            #expect(throws: IOError.self) { try Files.write(folder + "/no/folder/file", [1]) }
            try Files.makeDirectory(folder + "/taken")
            #expect(throws: IOError.self) { try Files.write(folder + "/taken", [1]) }
            #expect(try Files.list(folder) == ["taken"])
        }
    }

    @Test func `live in folders that are made and removed with all above and below them`() async throws {
        try await withTemporaryFolder { folder in
            try Files.makeDirectory(folder + "/a/b/c", mode: 0o750)
            try Files.makeDirectory(folder + "/a/b/c")
            #expect(try Files.permissions(folder + "/a/b").mode == 0o750)
            try Files.write(folder + "/a/file", [1])
            #expect(throws: IOError(code: IOError.exists, operation: "mkdir")) {
                try Files.makeDirectory(folder + "/a/file")
            }
            #expect(try Files.kind(folder + "/a/file") == .file)
            #expect(try Files.kind(folder + "/a") == .folder)
            #expect(try Files.kind(folder + "/none") == nil)
            #expect(try Files.kind("/dev/null") == .other)
            try Files.move(folder + "/a/file", to: folder + "/a/b/moved")
            #expect(Files.exists(folder + "/a/b/moved"))
            #expect(try Files.list(folder + "/a/b") == ["c", "moved"])
            try Files.setPermissions(folder + "/a/b/moved", mode: 0o400)
            #expect(try Files.permissions(folder + "/a/b/moved").mode == 0o400)
            try Files.removeTree(folder + "/a")
            try Files.removeTree(folder + "/a")
            #expect(try Files.list(folder) == [])
        }
    }

    @Test(arguments: [("/a/b", "/a"), ("/a", "/"), ("a", "."), ("a/b", "a"), ("/", "/")])
    func `have a folder above them`(path: String, parent: String) {
        #expect(Files.parent(of: path) == parent)
    }

    @Test func `can be held by one at a time`() async throws {
        try await withTemporaryFolder { folder in
            let lock = try FileLock(folder + "/lock")
            do {
                _ = try FileLock(folder + "/lock")
                Issue.record("the lock is held")
            } catch let error as IOError {
                #expect(error.isHeldByAnother)
            }
            lock.release()
            let again = try FileLock(folder + "/lock")
            again.release()
        }
    }

    @Test func `say who holds them`() async throws {
        try await withTemporaryFolder { folder in
            #expect(FileLock.signer(of: folder + "/lock") == nil)
            try Files.write(folder + "/lock", Array("123456789\n".utf8))
            let lock = try FileLock(folder + "/lock")
            try lock.sign()
            #expect(FileLock.signer(of: folder + "/lock") == Int(getpid()))
            lock.release()
        }
    }

    @Test func `are let go of although a child has a copy of the lock`() async throws {
        try await withTemporaryFolder { folder in
            let lock = try FileLock(folder + "/lock")
            // What a fork does to every descriptor.
            let copy = Descriptor(owning: try systemCall("dup") { dup(lock.file.raw) })
            lock.release()
            let again = try FileLock(folder + "/lock")
            again.release()
            _ = consume copy
        }
    }
}

@Suite struct `A descriptor` {
    @Test func `closes itself once, wherever it ends`() throws {
        // Numbers are shared with other tests, so the file behind the number is what counts.
        let folder = try Files.makeTemporaryDirectory(prefix: "/tmp/sallyport-test-")
        defer { #expect(throws: Never.self) { try Files.removeTree(folder) } }
        func openCount() throws -> Int { try Machine.openPaths().filter { $0.hasPrefix(folder) }.count }
        do {
            let lock = try FileLock(folder + "/held")
            #expect(try openCount() == 1)
            lock.release()
        }
        #expect(try openCount() == 0)
        var socket = try Socket.listen(on: SocketAddress(v4: 0x7F00_0001, port: 0))
        #expect(socket.raw >= 0)
        socket.closeInPlace()
        socket.closeInPlace()
        #expect(socket.raw == -1)
        do {
            _ = try Socket.localAddress(socket)
            Issue.record("it is closed")
        } catch {
            #expect(error.name == "EBADF")
        }
    }
}

@Suite struct `The machine` {
    @Test func `has processors, threads and descriptors`() throws {
        #expect(Machine.coreCount >= 1)
        #expect(try Machine.threadCount() >= 1)
        #expect(try Machine.openDescriptorCount() >= 3)
        let raised = try Machine.raiseDescriptorLimit()
        #expect(try Machine.descriptorLimit() == raised)
    }
}
