import Primitives
import TLS
import TestKit
import Testing

@Suite("An established TLS session")
struct SessionTests {
    private func connected() throws -> SessionPair {
        let pair = try SessionPair()
        try pair.connect()
        return pair
    }

    @Test(arguments: [1, 100, 16_383, 16_384, 16_385, 200_000])
    func `carries bytes both ways`(count: Int) throws {
        let pair = try connected()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try pair.send(bytes, from: pair.client, to: pair.server) == bytes)
        #expect(try pair.send(bytes, from: pair.server, to: pair.client) == bytes)
        #expect(pair.server.pendingCiphertext == 0)
    }

    @Test func `gives nothing before a record is complete`() throws {
        let pair = try connected()
        try pair.client.write([1, 2, 3].span)
        var bytes: [UInt8] = []
        pair.client.takeCiphertext(into: &bytes)
        try pair.server.feed(bytes.span.extracting(..<(bytes.count - 1)))
        #expect(try pair.server.readAll().bytes.isEmpty)
        try pair.server.feed(bytes.span.extracting((bytes.count - 1)...))
        #expect(try pair.server.readAll().bytes == [1, 2, 3])
    }

    @Test func `reads what came before a close, then the close`() throws {
        let pair = try connected()
        try pair.client.write([5, 6].span)
        pair.client.close()
        try pair.transfer(from: pair.client, to: pair.server)
        let read = try pair.server.readAll()
        #expect(read.bytes == [5, 6])
        #expect(read.isClosed)
        #expect(try pair.send([8], from: pair.server, to: pair.client) == [8], "one side may close and still read")
    }

    @Test func `fails on a damaged record, sends an alert, and stays failed`() throws {
        let pair = try connected()
        try pair.client.write([1, 2, 3, 4].span)
        var bytes: [UInt8] = []
        pair.client.takeCiphertext(into: &bytes)
        bytes[bytes.count - 1] ^= 1
        try pair.server.feed(bytes.span)
        let refused = #expect(throws: TLSError.self) { try pair.server.readAll() }
        #expect(refused?.code == .sessionFailed)
        #expect(pair.server.pendingCiphertext > 0)
        let write = #expect(throws: TLSError.self) { try pair.server.write([1].span) }
        #expect(write?.code == .sessionOver)
        pair.server.close()
    }

    @Test func `refuses plaintext before the handshake`() throws {
        let pair = try SessionPair()
        let refused = #expect(throws: TLSError.self) { try pair.server.write([1].span) }
        #expect(refused?.code == .sessionOver)
        let read = #expect(throws: TLSError.self) { try pair.server.readAll() }
        #expect(read?.code == .sessionOver)
    }

    @Test func `takes nothing from an empty feed and an empty write`() throws {
        let pair = try connected()
        let nothing: [UInt8] = []
        try pair.server.feed(nothing.span)
        try pair.server.write(nothing.span)
        #expect(pair.server.pendingCiphertext == 0)
    }
}

@Suite("A TLS context")
struct ContextTests {
    @Test func `is made of a chain`() throws {
        let chain = TestCertificates.first + Array("\n".utf8) + TestCertificates.authority
        _ = try SessionPair.serverContext(certificate: chain)
    }

    /// Pairs of certificate and key that make no context.
    enum Misfit: CaseIterable {
        case foreignKey, foreignKind, lockedKey, certificateAsKey, noKey
        case noCertificate, wordsAsCertificate, keyAsCertificate, cutCertificate, cutIssuer

        var certificate: [UInt8] {
            switch self {
            case .noCertificate: []
            case .wordsAsCertificate: Array("no certificate".utf8)
            case .keyAsCertificate: TestCertificates.firstKey
            case .cutCertificate: Array(TestCertificates.first.prefix(300))
            case .cutIssuer: TestCertificates.first + Array("\n".utf8) + TestCertificates.authority.prefix(300)
            case .foreignKey, .foreignKind, .lockedKey, .certificateAsKey, .noKey: TestCertificates.first
            }
        }

        var key: [UInt8] {
            switch self {
            case .foreignKey: TestCertificates.secondKey
            case .foreignKind: TestCertificates.rsaKey
            case .lockedKey: TestCertificates.lockedKey
            case .certificateAsKey: TestCertificates.first
            case .noKey: []
            default: TestCertificates.firstKey
            }
        }

        var code: TLSError.Code {
            switch self {
            case .foreignKey, .foreignKind: .keyMismatch
            case .lockedKey, .certificateAsKey, .noKey: .keyUnreadable
            default: .certificateUnreadable
            }
        }
    }

    @Test(arguments: Misfit.allCases)
    func `refuses what does not fit together`(misfit: Misfit) throws {
        let refused = #expect(throws: TLSError.self) {
            try SessionPair.serverContext(certificate: misfit.certificate, key: misfit.key)
        }
        #expect(refused?.code == misfit.code)
        #expect(refused?.description == "TLSError.\(misfit.code)")
    }

    @Test(arguments: [[""], [String(repeating: "x", count: 256)], ["http/1.1", ""]])
    func `refuses an impossible protocol name`(names: [String]) {
        let refused = #expect(throws: TLSError.self) { try SessionPair.serverContext(alpn: names) }
        #expect(refused?.code == .settingRefused)
        #expect(throws: TLSError.self) { try SessionPair.clientContext(alpn: names) }
    }

    @Test func `of a client trusts somebody`() {
        #expect(throws: TLSError.self) { try TLSContext(trustedPEM: []) }
    }
}
