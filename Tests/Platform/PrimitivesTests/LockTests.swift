import Primitives
import Testing

@Suite struct `A lock` {
    private final class Shared: Sendable {
        let numbers = Lock<[Int]>([])
    }

    @Test func `lets one in at a time`() async {
        let shared = Shared()
        await withTaskGroup(of: Void.self) { group in
            for start in 0..<8 {
                group.addTask { @concurrent in
                    for number in 0..<1_000 { shared.numbers.withLock { $0.append(start * 1_000 + number) } }
                }
            }
        }
        let all = shared.numbers.withLock { $0 }
        #expect(all.sorted() == Array(0..<8_000))
    }

    @Test func `passes results and errors through`() {
        struct Refusal: Error {}
        let shared = Shared()
        #expect(shared.numbers.withLock { $0.count } == 0)
        #expect(throws: Refusal.self) {
            try shared.numbers.withLock { numbers throws(Refusal) in
                numbers.append(1)
                throw Refusal()
            }
        }
        #expect(shared.numbers.withLock { $0 } == [1])
    }
}
