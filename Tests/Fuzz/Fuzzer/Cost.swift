import Glibc

/// Finds readers that take more than their share of time for a unit: no clock decides, only ratios of the thread's CPU time.
///
/// Most units are short. So a piece of the unit is repeated up to 4, 8 and 16 KB, plain, counted or nested, and the
/// readers get all three. Work that grows with the length doubles each time; work that grows with its square is four times as much.
/// What looks like that is measured again until it either passes once or was slow every time.
enum Cost {
    private static let sizes = [4_096, 8_192, 16_384]
    /// Between twice and four times as much.
    private static let growth = 2.9
    /// How often something slow is measured before it is called slow: often, since other work of the machine slows a few in a row.
    private static let rounds = 24
    /// How much longer than the reference reading may take.
    private static let bound = 4_000.0

    nonisolated(unsafe) private static var runs = 0

    /// Examines one unit.
    static func examine(_ unit: [UInt8], _ read: ([UInt8]) -> Void) {
        unsafe runs += 1
        if unit.count >= sizes[0] { examineAlone(unit, read) }
        var choice = Choice(unit)
        // Always for the corpus and for a unit that is run by itself; now and then for the others, since three long readings
        // take longer than a hundred short ones, and in a long run seldom.
        let pause = unsafe runs <= 200_000 ? 48 : 1_000
        guard unit.count >= 2, unsafe runs <= 64 || choice.below(pause) == 0 else { return }
        for _ in 0..<2 { examineRepeated(Repetition(unit, &choice), read) }
    }

    /// A long unit as it is.
    private static func examineAlone(_ unit: [UInt8], _ read: ([UInt8]) -> Void) {
        var ratio = Double.infinity
        for _ in 0..<rounds {
            ratio = min(ratio, time { read(unit) } / max(1, time { touch(unit) }))
            guard ratio > bound else { return }
        }
        check(false, "a unit of \(unit.count) bytes costs as much as looking at it \(Int(ratio)) times")
    }

    private static func examineRepeated(_ repetition: Repetition, _ read: ([UInt8]) -> Void) {
        let units = sizes.map { repetition.unit(of: $0) }
        var best = [Double](repeating: .infinity, count: units.count)
        for _ in 0..<rounds {
            // The longest first: most are cheap, and then the others need no look.
            best[2] = min(best[2], time { read(units[2]) })
            guard best[2] > 40 * reference else { return }
            for index in 0...1 { best[index] = min(best[index], time { read(units[index]) }) }
            guard best[2] > growth * best[1], best[1] > growth * best[0] else { return }
        }
        let times = best.map { "\(Int($0 / 1_000)) us" }.joined(separator: ", ")
        check(false, "twice the length costs twice the time: \(times) for 4, 8 and 16 KB of \(repetition)")
    }

    /// What looking at each byte of the longest unit costs.
    private static let reference: Double = {
        let unit = [UInt8](repeating: 1, count: sizes[2])
        return (0..<20).map { _ in time { touch(unit) } }.min() ?? 0
    }()

    @inline(never)
    private static func touch(_ unit: [UInt8]) {
        var hash: UInt64 = 0
        for byte in unit { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        unsafe sink = hash
    }

    nonisolated(unsafe) private static var sink: UInt64 = 0

    /// Nanoseconds of the thread's CPU time.
    private static func time(_ body: () -> Void) -> Double {
        let start = now()
        body()
        return Double(now() - start)
    }

    private static func now() -> Int {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

/// Choices that follow from a unit alone, so that a unit which found something finds it again.
private struct Choice {
    private var state: UInt64

    init(_ unit: [UInt8]) {
        state = unit.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    mutating func below(_ count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % max(1, count)
    }
}

/// A piece of a unit, many times.
private struct Repetition: CustomStringConvertible {
    private enum Way: CaseIterable {
        case plain
        /// With a number in it, so that no two pieces are the same.
        case counted
        /// In a closing order of its last byte: `[[[]]]`.
        case nested
    }

    private let way: Way
    private let front: [UInt8]
    private let piece: [UInt8]
    private let back: [UInt8]
    private let place: Int

    init(_ unit: [UInt8], _ choice: inout Choice) {
        // The first byte may select a reader.
        let start = 1 + choice.below(unit.count - 1)
        let length = 1 + choice.below(min(48, unit.count - start))
        way = Way.allCases[choice.below(Way.allCases.count)]
        front = Array(unit[..<start])
        piece = Array(unit[start..<start + length])
        back = Array(unit[(start + length)...])
        place = choice.below(length + 1)
    }

    /// The unit of about a length.
    func unit(of length: Int) -> [UInt8] {
        let room = max(0, length - front.count - back.count)
        switch way {
        case .plain: return front + (0..<room / piece.count).flatMap { _ in piece } + back
        case .counted:
            return front
                + (0..<room / (piece.count + 5)).flatMap { number in
                    piece[..<place] + Array(String(10_000 + number).utf8) + piece[place...]
                } + back
        case .nested:
            let times = room / (piece.count + 1)
            let open = (0..<times).flatMap { _ in piece }
            return front + open + Array(repeating: closing, count: times) + back
        }
    }

    private var closing: UInt8 {
        switch piece.last {
        case UInt8(ascii: "["): UInt8(ascii: "]")
        case UInt8(ascii: "{"): UInt8(ascii: "}")
        case UInt8(ascii: "("): UInt8(ascii: ")")
        default: piece.last ?? 0
        }
    }

    var description: String { "\(way) \(shown(piece)) at byte \(front.count)" }
}
