import EventIO
import Testing

@Suite struct `A socket address` {
    @Test(arguments: [
        ("127.0.0.1:8443", "127.0.0.1:8443"), ("0.0.0.0:0", "0.0.0.0:0"),
        ("255.255.255.255:65535", "255.255.255.255:65535"),
        ("[::1]:0", "[::1]:0"), ("[::]:80", "[::]:80"), ("[2001:DB8::1]:443", "[2001:db8::1]:443"),
        ("[2001:db8:0:0:1:0:0:1]:1", "[2001:db8::1:0:0:1]:1"), ("[1:2:3:4:5:6:7:8]:9", "[1:2:3:4:5:6:7:8]:9"),
        ("[2001:db8:0:1:1:1:1:1]:1", "[2001:db8:0:1:1:1:1:1]:1"), ("[1::]:1", "[1::]:1"),
        ("[::ffff:192.0.2.1]:1", "[::ffff:192.0.2.1]:1"), ("[64:ff9b::192.0.2.33]:1", "[64:ff9b::c000:221]:1"),
        ("unix:/run/sallyport.sock", "unix:/run/sallyport.sock"),
    ])
    func `reads text and writes the canonical form`(text: String, canonical: String) {
        #expect(SocketAddress(text)?.description == canonical)
    }

    @Test(arguments: [
        "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:08", "127.0.0.1:-1", "127.0.0.1:+1",
        "127.0.0:1",
        "127.0.0.0.1:1", "127.0.0.256:1", "127.0.0.01:1", "localhost:1", "::1:1", "[::1]", "[::1:1", "::1]:1", "[]:1",
        "[:::]:1", "[1:2:3:4:5:6:7]:1", "[1:2:3:4:5:6:7:8:9]:1", "[1:2:3:4::5:6:7:8]:1", "[12345::]:1", "[g::]:1",
        "[::1%eth0]:1", "[1.2.3.4::]:1", "[::1.2.3]:1", "[1::2::3]:1", "[+1::]:1", "unix:",
    ])
    func `refuses what is none`(text: String) {
        #expect(SocketAddress(text) == nil)
    }

    @Test func `refuses a path that the kernel has no room for`() {
        #expect(SocketAddress(path: String(repeating: "a", count: 107)) != nil)
        #expect(SocketAddress(path: String(repeating: "a", count: 108)) == nil)
        #expect(SocketAddress(path: "a\0b") == nil)
    }

    @Test(arguments: [
        ("127.0.0.1:1", true), ("127.255.0.9:1", true), ("128.0.0.1:1", false), ("[::1]:1", true), ("[::2]:1", false),
        ("[::ffff:127.0.0.1]:1", true), ("[::ffff:10.0.0.1]:1", false), ("unix:/x", true),
    ])
    func `knows its own machine`(text: String, isLocal: Bool) {
        #expect(SocketAddress(text)?.isLocal == isLocal)
    }

    @Test(
        arguments: [
            ("192.0.2.1:1", [192, 0, 2, 1]), ("[::ffff:192.0.2.1]:1", [192, 0, 2, 1]),
            ("[2001:db8::5]:1", [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5]), ("unix:/x", []),
        ] as [(String, [UInt8])]
    )
    func `gives its bytes`(text: String, bytes: [UInt8]) {
        #expect(SocketAddress(text)?.addressBytes == bytes)
    }
}
