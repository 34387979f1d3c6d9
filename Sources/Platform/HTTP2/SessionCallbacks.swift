import CNGHTTP2

/// The functions that the library calls; each finds the session and forwards to it.
///
/// They run inside `receive` and `send` of that session and never call the library's own versions of these two.
enum SessionCallbacks {
    private static let failure = NGHTTP2_ERR_CALLBACK_FAILURE.rawValue

    static func install(in callbacks: OpaquePointer) {
        unsafe nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, frameBegins)
        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, headBegins)
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks, fieldCame)
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, contentCame)
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frameCame)
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, streamClosed)
        unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, frameSent)
        unsafe nghttp2_session_callbacks_set_send_data_callback(callbacks, sendContent)
        unsafe nghttp2_session_callbacks_set_unpack_extension_callback(callbacks) { _, _, _, _ in
            NGHTTP2_ERR_CANCEL.rawValue
        }
    }

    private static func session(_ user: UnsafeMutableRawPointer?) -> HTTP2Session? {
        guard let user = unsafe user else { return nil }
        return unsafe Unmanaged<HTTP2Session>.fromOpaque(user).takeUnretainedValue()
    }

    // MARK: In

    private static let frameBegins: nghttp2_on_begin_frame_callback = { _, frame, user in
        guard let frame = unsafe frame, let session = unsafe session(user) else { return failure }
        return unsafe session.frameBegins(frame.pointee) ? 0 : failure
    }

    private static let headBegins: nghttp2_on_begin_headers_callback = { _, frame, user in
        guard let frame = unsafe frame, let session = unsafe session(user) else { return failure }
        guard unsafe frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else {
            session.trailersBegin()
            return 0
        }
        let isTaken = unsafe session.headBegins(frame.pointee.hd.stream_id)
        return isTaken ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }

    private static let fieldCame: nghttp2_on_header_callback = { _, _, name, nameLength, value, valueLength, _, user in
        guard let session = unsafe session(user) else { return failure }
        let name = unsafe UnsafeBufferPointer(start: name, count: nameLength)
        let value = unsafe UnsafeBufferPointer(start: value, count: valueLength)
        return unsafe session.fieldCame(name.span, value.span) ? 0 : failure
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
        case NGHTTP2_HEADERS.rawValue: session.headEnds(head.stream_id, endsRequest: head.endsStream)
        case NGHTTP2_DATA.rawValue: if head.endsStream { session.contentEnds(head.stream_id) }
        default: unsafe session.controlCame(frame)
        }
        return 0
    }

    // MARK: Out

    private static let streamClosed: nghttp2_on_stream_close_callback = { _, id, _, user in
        guard let session = unsafe session(user) else { return failure }
        session.streamClosed(id)
        return 0
    }

    private static let frameSent: nghttp2_on_frame_send_callback = { _, frame, user in
        guard let frame = unsafe frame, let session = unsafe session(user) else { return failure }
        unsafe session.frameSent(frame.pointee.hd)
        return 0
    }

    /// Says how much content comes next; it is appended when the frame is sent.
    static let readContent: nghttp2_data_source_read_callback = { _, _, _, length, flags, source, user in
        guard let flags = unsafe flags, let source = unsafe source, let pointer = unsafe source.pointee.ptr,
            let session = unsafe session(user)
        else { return Int(failure) }
        let stream = unsafe Unmanaged<HTTP2Stream>.fromOpaque(pointer).takeUnretainedValue()
        let left = session.contentLeft(stream)
        unsafe flags.pointee |= NGHTTP2_DATA_FLAG_NO_COPY.rawValue
        if left <= length { unsafe flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return min(left, length)
    }

    /// Nine bytes of head, and the content from where it lies.
    private static let sendContent: nghttp2_send_data_callback = { _, _, head, length, source, user in
        guard let head = unsafe head, let pointer = unsafe source?.pointee.ptr, let session = unsafe session(user)
        else { return failure }
        let stream = unsafe Unmanaged<HTTP2Stream>.fromOpaque(pointer).takeUnretainedValue()
        let bytes = unsafe UnsafeBufferPointer(start: head, count: 9)
        return unsafe session.appendContent(bytes.span, stream, length) ? 0 : NGHTTP2_ERR_PAUSE.rawValue
    }
}
