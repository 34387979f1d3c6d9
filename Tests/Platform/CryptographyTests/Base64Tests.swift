import Cryptography
import Testing

@Suite("Standard Base64")
struct Base64Tests {
    /// RFC 4648 section 10, and the two letters in which the URL-safe alphabet differs.
    @Test(
        arguments: [
            ([], ""), ([0x66], "Zg=="), ([0x66, 0x6F], "Zm8="), ([0x66, 0x6F, 0x6F], "Zm9v"),
            ([0xFB, 0xFF, 0xBF], "+/+/"),
            ([0x66, 0x6F, 0x6F, 0x62, 0x61, 0x72], "Zm9vYmFy"),
        ] as [([UInt8], String)]
    )
    func `encodes and decodes`(bytes: [UInt8], text: String) {
        #expect(Base64.encode(bytes) == text)
        #expect(Base64.decode(text) == bytes)
    }

    @Test func `comes back from every length`() {
        for count in 0...100 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "=", "==", "====", "Z===", "Zg==Zg==", "-_-_", "Zm9v\n", " Zm9v", "Zm 9v",
        "@@@@",
        "Zm9v=", "Zm8=Zm8=", "あ", "Zg==\u{0}\u{0}\u{0}\u{0}",
    ])
    func `refuses what is not canonical`(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
