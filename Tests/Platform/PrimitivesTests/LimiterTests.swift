import Primitives
import TestKit
import Testing

private let second: Int64 = 1_000_000

@Suite("A rate limiter")
struct RateLimiterTests {
    @Test func `lets a burst through and then one at a time`() {
        var limiter = RateLimiter(perMinute: 20, capacity: 100)
        for _ in 0..<20 {
            #expect(limiter.wait(1, at: 0) == nil)
            limiter.count(1, at: 0)
        }
        #expect(limiter.wait(1, at: 0) == 3)
        #expect(limiter.wait(1, at: 2 * second) == 1)
        #expect(limiter.wait(1, at: 3 * second) == nil)
        limiter.count(1, at: 3 * second)
        #expect(limiter.wait(1, at: 3 * second) == 3)
        #expect(limiter.wait(2, at: 3 * second) == nil)
    }

    @Test func `says how many it lets through at once, and when it is as good as new`() {
        var limiter = RateLimiter(perMinute: 20, capacity: 100)
        #expect(limiter.room(1, at: 0) == (20, 0))
        for left in (0..<20).reversed() {
            limiter.count(1, at: 0)
            #expect(limiter.room(1, at: 0) == (left, 60 - left * 3))
        }
        #expect(limiter.room(1, at: 3 * second) == (1, 57))
        #expect(limiter.room(1, at: -86_400 * second) == (0, 60))
        #expect(limiter.room(1, at: 60 * second) == (20, 0))
        #expect(limiter.room(2, at: 0) == (20, 0))
    }

    @Test func `is as good as new after a quiet minute`() {
        var limiter = RateLimiter(perMinute: 5, capacity: 100)
        for _ in 0..<50 { limiter.count(1, at: 0) }
        #expect(limiter.wait(1, at: 11 * second) == 1)
        for _ in 0..<5 {
            #expect(limiter.wait(1, at: 60 * second) == nil)
            limiter.count(1, at: 60 * second)
        }
        #expect(limiter.wait(1, at: 60 * second) == 12)
    }

    @Test func `holds ten million a minute, as much as the settings allow`() {
        var limiter = RateLimiter(perMinute: 10_000_000, capacity: 100)
        for _ in 0..<1_000_001 { limiter.count(1, at: 0) }
        #expect(limiter.wait(1, at: 0) == nil)
    }

    @Test func `never makes anybody wait longer than for one event`() {
        var limiter = RateLimiter(perMinute: 1, capacity: 100)
        for _ in 0..<1_000 { limiter.count(1, at: 0) }
        #expect(limiter.wait(1, at: 0) == 60)
        // A clock that is set back does not lock anybody out.
        #expect(limiter.wait(1, at: -86_400 * second) == 60)
    }

    @Test func `holds its memory when more keys come than there is room for`() {
        var limiter = RateLimiter(perMinute: 20, capacity: 1_000)
        for key in 0..<100_000 { limiter.count(UInt64(key), at: Int64(key)) }
        #expect(limiter.count <= 2_000)
    }

    @Test(arguments: [Int64.min / 2, 0, Int64.max / 2])
    func `works at any time`(time: Int64) {
        var limiter = RateLimiter(perMinute: 2, capacity: 10)
        limiter.count(1, at: time)
        #expect(limiter.wait(1, at: time) == nil)
        limiter.count(1, at: time)
        #expect(limiter.wait(1, at: time) == 30)
    }
}

@Suite("A limiter of addresses")
struct AddressLimiterTests {
    private func limiter() -> AddressLimiter {
        AddressLimiter(address: .init(perMinute: 20), network: .init(perMinute: 200), capacity: 1_000)
    }

    @Test func `does not let one address use up its network's rate`() {
        var limiter = limiter()
        for _ in 0..<10_000 { limiter.count(ClientKeys(address: 1, network: 7), at: 0) }
        #expect(limiter.wait(ClientKeys(address: 1, network: 7), at: 0) == 3)
        #expect(limiter.wait(ClientKeys(address: 2, network: 7), at: 0) == nil)
    }

    @Test func `lets a network have no more than its rate, however many addresses take turns`() {
        var limiter = limiter()
        var passed = 0
        for address in 0..<65_536 where limiter.take(ClientKeys(address: UInt64(address), network: 7), at: 0) == nil {
            passed += 1
        }
        #expect(passed == 200)
        #expect(limiter.wait(ClientKeys(address: 1, network: 8), at: 0) == nil)
    }

    @Test func `remembers no more addresses of a network than it lets through`() {
        var limiter = limiter()
        for _ in 0..<20 { limiter.count(ClientKeys(address: 99, network: 8), at: 0) }
        for address in 100..<65_536 { limiter.count(ClientKeys(address: UInt64(address), network: 7), at: 0) }
        #expect(limiter.wait(ClientKeys(address: 99, network: 8), at: 0) == 3)
        #expect(limiter.count <= 203)
    }
}

@Suite("A cache of generations")
struct GenerationCacheTests {
    @Test func `holds a value for one life at least and two at most`() {
        var cache = GenerationCache<Int, String>(capacity: 10, life: 60)
        cache.set("a", for: 1, at: 0)
        #expect(cache.value(for: 1, at: 59) == "a")
        #expect(cache.value(for: 1, at: 119) == "a")
        #expect(cache.value(for: 1, at: 180) == nil)
    }

    @Test func `forgets everything after two quiet lives`() {
        var cache = GenerationCache<Int, String>(capacity: 10, life: 60)
        cache.set("a", for: 1, at: 0)
        #expect(cache.value(for: 1, at: 120) == nil)
    }

    @Test func `takes the newest value of a key`() {
        var cache = GenerationCache<Int, String>(capacity: 10, life: 60)
        cache.set("a", for: 1, at: 0)
        cache.set("b", for: 1, at: 70)
        #expect(cache.value(for: 1, at: 70) == "b")
        #expect(cache.value(for: 1, at: 130) == "b")
    }

    @Test func `never holds more than two generations`() {
        var cache = GenerationCache<Int, Int>(capacity: 100, life: 1_000_000)
        for key in 0..<10_000 {
            cache.set(key, for: key, at: Int64(key))
            #expect(cache.count <= 200)
        }
        #expect(cache.value(for: 9_999, at: 10_000) == 9_999)
        #expect(cache.value(for: 0, at: 10_000) == nil)
    }

    @Test func `agrees with a plain dictionary as long as nothing is forgotten`() {
        let random = SeededRandom(seed: 11)
        var cache = GenerationCache<Int, Int>(capacity: 1_000, life: 1_000_000)
        var model: [Int: Int] = [:]
        for step in 0..<5_000 {
            let key = random.below(500)
            if random.below(2) == 0 {
                cache.set(step, for: key, at: Int64(step))
                model[key] = step
            }
            #expect(cache.value(for: key, at: Int64(step)) == model[key])
        }
    }
}
