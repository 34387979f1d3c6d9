import CBOR

/// CBOR: the reader against `CBORGrammar`, and the writer.
let cborTarget = FuzzTarget(
    name: "cbor",
    examine: { unit in
        let value = try? CBORValue(unit)
        let canonical = CBORGrammar.canonical(unit)
        check((value == nil) == (canonical == nil), "both readers take \(shown(unit)) or refuse it")
        guard let value, let canonical else { return }
        check(value.encoded == canonical, "both readers read the same")
        check((try? CBORValue(canonical))?.encoded == canonical, "a value is read as it was written")
    },
    read: { unit in _ = try? CBORValue(unit) }
)

/// RFC 8949 section 3, as far as it is read: by copies of the rest, from the bytes to their shortest form.
enum CBORGrammar {
    /// The shortest form of the one value that bytes hold; `nil` where they hold another number of values, or one that is not read.
    static func canonical(_ unit: [UInt8]) -> [UInt8]? {
        var values = 1_024
        guard unit.count <= 1 << 16, let (value, rest) = item(unit[...], 8, &values), rest.isEmpty else { return nil }
        return value
    }

    private typealias Item = (value: [UInt8], rest: ArraySlice<UInt8>)

    private static func item(_ bytes: ArraySlice<UInt8>, _ depth: Int, _ values: inout Int) -> Item? {
        guard depth > 0, values > 0, let first = bytes.first else { return nil }
        values -= 1
        if [0xF4, 0xF5, 0xF6].contains(first) { return ([first], bytes.dropFirst()) }
        if first & 31 == 31 { return open(first >> 5, bytes.dropFirst(), depth, &values) }
        guard first >> 5 < 6, let (number, rest) = head(bytes) else { return nil }
        let front = written(first >> 5, number)
        switch first >> 5 {
        case 0, 1: return (front, rest)
        case 2, 3:
            guard let count = Int(exactly: number), count <= rest.count else { return nil }
            let content = Array(rest.prefix(count))
            guard first >> 5 == 2 || String(validating: content, as: UTF8.self) != nil else { return nil }
            return (front + content, rest.dropFirst(count))
        default:
            var list: [[UInt8]] = []
            var rest = rest
            let count = first >> 5 == 4 ? number : number.multipliedReportingOverflow(by: 2).partialValue
            guard first >> 5 == 4 || number <= UInt64.max / 2 else { return nil }
            while UInt64(list.count) < count {
                guard let next = item(rest, depth - 1, &values) else { return nil }
                list.append(next.value)
                rest = next.rest
            }
            return closed(first >> 5, list).map { ($0, rest) }
        }
    }

    /// A value of indefinite length, behind its first byte.
    private static func open(_ major: UInt8, _ bytes: ArraySlice<UInt8>, _ depth: Int, _ values: inout Int) -> Item? {
        guard (2...5).contains(major) else { return nil }
        var rest = bytes
        var list: [[UInt8]] = []
        while rest.first != 0xFF {
            let isString = major < 4
            guard let first = rest.first, !isString || first >> 5 == major && first & 31 != 31,
                let next = item(rest, isString ? 1 : depth - 1, &values)
            else { return nil }
            // Of a piece only the content counts.
            list.append(isString ? content(next.value) : next.value)
            rest = next.rest
        }
        let ended = rest.dropFirst()
        guard major < 4 else { return closed(major, list).map { ($0, ended) } }
        let content = list.flatMap(\.self)
        return (written(major, UInt64(content.count)) + content, ended)
    }

    private static func closed(_ major: UInt8, _ list: [[UInt8]]) -> [UInt8]? {
        guard major == 5 else { return written(major, UInt64(list.count)) + list.flatMap(\.self) }
        guard list.count.isMultiple(of: 2) else { return nil }
        let keys = stride(from: 0, to: list.count, by: 2).map { list[$0] }
        guard Set(keys).count == keys.count, keys.allSatisfy({ $0[0] >> 5 < 4 }) else { return nil }
        return written(major, UInt64(keys.count)) + list.flatMap(\.self)
    }

    private static func content(_ string: [UInt8]) -> [UInt8] {
        head(string[...]).map { Array($0.rest) } ?? []
    }

    private static func head(_ bytes: ArraySlice<UInt8>) -> (number: UInt64, rest: ArraySlice<UInt8>)? {
        guard let first = bytes.first else { return nil }
        let widths: [UInt8: Int] = [24: 1, 25: 2, 26: 4, 27: 8]
        guard let width = widths[first & 31] else {
            return first & 31 < 24 ? (UInt64(first & 31), bytes.dropFirst()) : nil
        }
        let digits = bytes.dropFirst().prefix(width)
        guard digits.count == width else { return nil }
        return (digits.reduce(0) { $0 * 256 + UInt64($1) }, bytes.dropFirst(1 + width))
    }

    private static func written(_ major: UInt8, _ number: UInt64) -> [UInt8] {
        var digits: [UInt8] = []
        var rest = number
        while rest > 0 {
            digits.insert(UInt8(rest % 256), at: 0)
            rest /= 256
        }
        guard number >= 24 else { return [major * 32 + UInt8(number)] }
        let width = [1, 2, 4, 8].first { $0 >= digits.count } ?? 8
        let information: [Int: UInt8] = [1: 24, 2: 25, 4: 26, 8: 27]
        return [major * 32 + (information[width] ?? 0)] + [UInt8](repeating: 0, count: width - digits.count) + digits
    }
}
