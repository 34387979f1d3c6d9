import CNGHTTP2

/// The functions that the library calls for a client's session; each finds the session and forwards to it.
///
/// They run inside `receive` and `send` of that session and never call the library's own versions of these two.
enum ClientCallbacks {
    static let none = UInt8(NGHTTP2_FLAG_NONE.rawValue)
    private static let failure = NGHTTP2_ERR_CALLBACK_FAILURE.rawValue

    /// The library's part of a session.
    ///
    /// - Parameter user: The session, which owns what is returned.
    static func makeSession(_ user: UnsafeMutableRawPointer) throws(HTTP2Error) -> OpaquePointer {
        var callbacks: OpaquePointer?
        var options: OpaquePointer?
        var session: OpaquePointer?
        try unsafe HTTP2Error.check(nghttp2_session_callbacks_new(&callbacks))
        // Both are copied into the session.
        defer { unsafe nghttp2_session_callbacks_del(callbacks) }
        try unsafe HTTP2Error.check(nghttp2_option_new(&options))
        defer { unsafe nghttp2_option_del(options) }
        unsafe install(callbacks)
        unsafe nghttp2_option_set_no_closed_streams(options, 1)
        unsafe nghttp2_option_set_max_continuations(options, 8)
        unsafe nghttp2_option_set_max_settings(options, 16)
        unsafe nghttp2_option_set_max_outbound_ack(options, 200)
        unsafe HTTP2Common.reportUnknownFrames(options)
        try unsafe HTTP2Error.check(nghttp2_session_client_new2(&session, callbacks, user, options))
        guard let session = unsafe session else { throw HTTP2Error(NGHTTP2_ERR_NOMEM.rawValue) }
        return unsafe session
    }

    private static func install(_ callbacks: OpaquePointer?) {
        unsafe nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, frameBegins)
        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, headBegins)
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks, fieldCame)
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, contentCame)
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frameCame)
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, streamClosed)
        unsafe nghttp2_session_callbacks_set_unpack_extension_callback(callbacks) { _, _, _, _ in
            NGHTTP2_ERR_CANCEL.rawValue
        }
    }

    private static func session(_ user: UnsafeMutableRawPointer?) -> HTTP2ClientSession? {
        guard let user = unsafe user else { return nil }
        return unsafe Unmanaged<HTTP2ClientSession>.fromOpaque(user).takeUnretainedValue()
    }

    /// Lays a head out for the library, which copies it.
    static func withPairs<Result>(
        _ fields: [HTTP2Request.Field],
        _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result
    ) -> Result {
        var bytes = fields.flatMap { Array($0.name.utf8) + Array($0.value.utf8) }
        return unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            var position = bytes.baseAddress
            let pairs = unsafe fields.map { field in
                let (nameLength, valueLength) = (field.name.utf8.count, field.value.utf8.count)
                defer { unsafe position = position.map { unsafe $0 + nameLength + valueLength } }
                return unsafe nghttp2_nv(
                    name: position,
                    value: position.map { unsafe $0 + nameLength },
                    namelen: nameLength,
                    valuelen: valueLength,
                    flags: UInt8(field.isIndexed ? 0 : NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
                )
            }
            return unsafe pairs.withUnsafeBufferPointer { unsafe body($0.baseAddress, $0.count) }
        }
    }

    // MARK: In

    private static let frameBegins: nghttp2_on_begin_frame_callback = { _, frame, user in
        guard let frame = unsafe frame, let session = unsafe session(user) else { return failure }
        return unsafe session.frameBegins(frame.pointee) ? 0 : failure
    }

    private static let headBegins: nghttp2_on_begin_headers_callback = { _, frame, user in
        guard let frame = unsafe frame, let session = unsafe session(user) else { return failure }
        let isWanted = unsafe session.knows(frame.pointee.hd.stream_id)
        return isWanted ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }

    private static let fieldCame: nghttp2_on_header_callback = {
        _,
        frame,
        name,
        nameLength,
        value,
        valueLength,
        _,
        user in
        guard let frame = unsafe frame, let session = unsafe session(user) else { return failure }
        let name = unsafe UnsafeBufferPointer(start: name, count: nameLength)
        let value = unsafe UnsafeBufferPointer(start: value, count: valueLength)
        unsafe session.fieldCame(frame.pointee.hd.stream_id, name.span, value.span)
        return 0
    }

    private static let contentCame: nghttp2_on_data_chunk_recv_callback = { _, _, id, data, count, user in
        guard let session = unsafe session(user) else { return failure }
        unsafe session.contentCame(id, UnsafeBufferPointer(start: data, count: count).span)
        return 0
    }

    private static let frameCame: nghttp2_on_frame_recv_callback = { _, frame, user in
        guard let frame = unsafe frame, let session = unsafe session(user) else { return failure }
        let head = unsafe frame.pointee.hd
        switch UInt32(head.type) {
        case NGHTTP2_HEADERS.rawValue: session.headEnded(head.stream_id, endsAnswer: head.endsStream)
        case NGHTTP2_DATA.rawValue: if head.endsStream { session.contentEnded(head.stream_id) }
        case NGHTTP2_SETTINGS.rawValue: if !head.isAcknowledgement { session.settingsCame() }
        case NGHTTP2_PING.rawValue: if head.isAcknowledgement { session.pongCame() }
        case NGHTTP2_GOAWAY.rawValue:
            let goAway = unsafe frame.pointee.goaway
            let reason = unsafe UnsafeBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len)
            unsafe session.goAwayCame(goAway.last_stream_id, goAway.error_code, reason.span)
        default: break
        }
        return 0
    }

    private static let streamClosed: nghttp2_on_stream_close_callback = { _, id, code, user in
        guard let session = unsafe session(user) else { return failure }
        session.streamClosed(id, code)
        return 0
    }

    // MARK: Out

    static let readContent: nghttp2_data_source_read_callback = { _, id, buffer, length, flags, _, user in
        guard let flags = unsafe flags, let session = unsafe session(user) else { return Int(failure) }
        let room = unsafe UnsafeMutableBufferPointer(start: buffer, count: length)
        guard let (count, isLast) = unsafe session.takeContent(id, into: room) else {
            return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
        }
        if isLast { unsafe flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return count
    }
}
