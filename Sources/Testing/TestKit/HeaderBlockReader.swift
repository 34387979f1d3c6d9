import CNGHTTP2

/// Reads the header blocks that a server sends; one for each connection, since blocks build on those before.
@safe package final class HeaderBlockReader {
    private var inflater: OpaquePointer?

    /// A reader at the start of a connection.
    package init() {
        _ = unsafe nghttp2_hd_inflate_new(&inflater)
    }

    deinit { unsafe nghttp2_hd_inflate_del(inflater) }

    /// The fields of a block.
    ///
    /// - Returns: `nil` where it is no header block.
    package func read(_ block: [UInt8]) -> [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        var position = 0
        while true {
            var field = unsafe nghttp2_nv()
            var flags: Int32 = 0
            let used = unsafe block.withUnsafeBufferPointer { bytes in
                let start = unsafe bytes.baseAddress.map { unsafe $0 + position }
                return unsafe nghttp2_hd_inflate_hd2(inflater, &field, &flags, start, block.count - position, 1)
            }
            guard used >= 0 else { return nil }
            position += used
            if UInt32(flags) & NGHTTP2_HD_INFLATE_EMIT.rawValue != 0 {
                let name = unsafe UnsafeBufferPointer(start: field.name, count: field.namelen)
                let value = unsafe UnsafeBufferPointer(start: field.value, count: field.valuelen)
                unsafe fields.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
            }
            if UInt32(flags) & NGHTTP2_HD_INFLATE_FINAL.rawValue != 0 {
                _ = unsafe nghttp2_hd_inflate_end_headers(inflater)
                return fields
            }
        }
    }
}
