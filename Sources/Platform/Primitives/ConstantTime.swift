/// Whether two byte sequences are equal, in a time that depends on their lengths only.
///
/// - Parameters:
///   - left: Any number of bytes.
///   - right: Any number of bytes; another length is unequal at once, the length is no secret.
/// - Returns: True when every byte agrees.
package func constantTimeEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
}
