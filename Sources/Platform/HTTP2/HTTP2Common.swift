import CNGHTTP2

/// What the sessions of one loop share: the library's settings, finished fields, and streams that are not in use.
@safe package final class HTTP2Common {
    /// What a connection may ask for.
    package let limits: HTTP2Limits
    let fields = ResponseFields()
    let callbacks: OpaquePointer
    let options: OpaquePointer
    private var idle: [HTTP2Stream] = []
    private static let keptStreams = 256

    /// The common part of one loop's sessions.
    ///
    /// - Throws: When the library has no memory.
    package init(_ limits: HTTP2Limits) throws(HTTP2Error) {
        self.limits = limits
        var callbacks: OpaquePointer?
        var options: OpaquePointer?
        try unsafe HTTP2Error.check(nghttp2_session_callbacks_new(&callbacks))
        try unsafe HTTP2Error.check(nghttp2_option_new(&options))
        guard let callbacks = unsafe callbacks, let options = unsafe options else {
            throw HTTP2Error(NGHTTP2_ERR_NOMEM.rawValue)
        }
        unsafe self.callbacks = callbacks
        unsafe self.options = options
        unsafe SessionCallbacks.install(in: callbacks)
        // Windows open when content has been used, not when it has come.
        unsafe nghttp2_option_set_no_auto_window_update(options, 1)
        // Closed streams matter to the old priority tree only, which is not in use.
        unsafe nghttp2_option_set_no_closed_streams(options, 1)
        // A blank around a value is no offence, as in HTTP/1.1: an empty token leaves `Bearer ` and is owed an answer. The
        // builder cuts it off.
        unsafe nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(options, 1)
        unsafe nghttp2_option_set_max_continuations(options, 8)
        unsafe nghttp2_option_set_max_settings(options, 16)
        unsafe HTTP2Common.reportUnknownFrames(options)
        // The library counts resets however many requests were answered meanwhile; `FrameRateLimiter` does it instead.
        unsafe nghttp2_option_set_stream_reset_rate_limit(options, 1_000_000_000, 1_000_000_000)
        unsafe nghttp2_option_set_max_outbound_ack(options, max(64, limits.frameBurst * 2))
    }

    /// The library reports frames of unknown types only where a handler for them is set; they are counted, no more.
    static func reportUnknownFrames(_ options: OpaquePointer?) {
        for type in UInt8(NGHTTP2_CONTINUATION.rawValue + 1)...UInt8.max {
            unsafe nghttp2_option_set_user_recv_extension_type(options, type)
        }
    }

    deinit {
        unsafe nghttp2_session_callbacks_del(callbacks)
        unsafe nghttp2_option_del(options)
    }

    func takeStream() -> HTTP2Stream {
        idle.popLast() ?? HTTP2Stream()
    }

    func giveStream(_ stream: HTTP2Stream) {
        stream.reset()
        if idle.count < HTTP2Common.keptStreams { idle.append(stream) }
    }
}

extension HTTP2Error {
    init(_ code: Int32) {
        self.code = code
        description = unsafe String(cString: nghttp2_strerror(code))
    }

    /// Turns the library's result into an error where it is one.
    static func check(_ result: Int32) throws(HTTP2Error) {
        guard result >= 0 else { throw HTTP2Error(result) }
    }
}
