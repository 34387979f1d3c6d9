import Primitives
import TestKit
import Testing

@testable import Operators

@Suite("Keys of the staff")
struct OperatorKeyTests {
    @Test("A key is 47 characters, and printing it shows none of them")
    func form() {
        let key = OperatorKey.make(random: SeededRandom(seed: 7))
        #expect(key.text.utf8.count == 47)
        #expect(key.text.hasPrefix("sok_"))
        var dumped = ""
        dump(key, to: &dumped)
        for shown in ["\(key)", String(reflecting: key), dumped] { #expect(!shown.contains(key.text.dropFirst(4))) }
    }
}
