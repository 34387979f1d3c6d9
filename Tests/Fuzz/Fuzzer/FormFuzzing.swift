import HTTPCore

/// Every byte as an escape, so that nothing in it has a meaning.
private func encode(_ text: String) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return text.utf8.flatMap { [UInt8(ascii: "%"), digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
}

/// What was decoded, encoded and decoded again is the same; nothing traps.
func fuzzForm(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let parameters = try? HTTPParameters(bytes.span, limit: 16) else { return 0 }
    precondition(parameters.count <= 16, "the number of parameters has a limit")
    for name in parameters.names {
        guard let value = try? parameters.value(name) else { continue }
        let forbidden = (name + value).utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
        precondition(!forbidden, "no control character comes through")
        let pair = encode(name) + [UInt8(ascii: "=")] + encode(value)
        let again = try? HTTPParameters(pair.span).value(name)
        precondition(again == value, "a value survives a round trip")
    }
    return 0
}
