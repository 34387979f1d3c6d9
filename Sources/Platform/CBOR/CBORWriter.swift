extension CBORValue {
    /// The value in its shortest form, with definite lengths and the entries of maps as they stand.
    ///
    /// It is read back as the same value, unless a map has a key twice.
    package var encoded: [UInt8] {
        var output: [UInt8] = []
        append(to: &output)
        return output
    }

    private func append(to output: inout [UInt8]) {
        switch self {
        case .unsigned(let number): CBORValue.append(0, number, to: &output)
        case .negative(let number): CBORValue.append(1, number, to: &output)
        case .bytes(let bytes):
            CBORValue.append(2, UInt64(bytes.count), to: &output)
            output += bytes
        case .text(let text):
            CBORValue.append(3, UInt64(text.utf8.count), to: &output)
            output += text.utf8
        case .array(let elements):
            CBORValue.append(4, UInt64(elements.count), to: &output)
            for element in elements { element.append(to: &output) }
        case .map(let entries):
            CBORValue.append(5, UInt64(entries.count), to: &output)
            for entry in entries {
                entry.key.append(to: &output)
                entry.value.append(to: &output)
            }
        case .bool(let truth): output.append(truth ? 0xF5 : 0xF4)
        case .null: output.append(0xF6)
        }
    }

    private static func append(_ major: UInt8, _ number: UInt64, to output: inout [UInt8]) {
        let head = major << 5
        guard number >= 24 else { return output.append(head | UInt8(truncatingIfNeeded: number)) }
        let width = number < 1 << 8 ? 0 : number < 1 << 16 ? 1 : number < 1 << 32 ? 2 : 3
        output.append(head | UInt8(24 + width))
        for shift in stride(from: 8 * (1 << width) - 8, through: 0, by: -8) {
            output.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
    }
}
