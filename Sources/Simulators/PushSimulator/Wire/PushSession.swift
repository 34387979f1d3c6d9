import CNGHTTP2
import SimulatorCore

/// One HTTP/2 connection of the push service as bytes in, bytes out; unlike a server's session it can misbehave on purpose.
///
/// The library gets a pointer to this object that keeps nothing alive; it is used during calls of this object only.
@safe final class PushSession {
    /// What has come of received bytes.
    enum Event: Sendable {
        /// A request is complete.
        case request(PushStream)
        /// The peer has sent what it should not; the connection goes on.
        case violation(String)
    }

    private var library: OpaquePointer?
    private var streams: [Int32: PushStream] = [:]
    private var answers: [Int32: PushAnswerContent] = [:]
    private var events: [Event] = []
    /// Most streams that were open at once.
    private(set) var mostStreams = 0

    private static let none = UInt8(NGHTTP2_FLAG_NONE.rawValue)

    /// A session that has its settings to send.
    ///
    /// - Parameters:
    ///   - streams: How many the peer may have open.
    /// - Returns: `nil` where the library has no memory.
    init?(streams: Int) {
        var callbacks: OpaquePointer?
        guard unsafe nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks = unsafe callbacks else {
            return nil
        }
        defer { unsafe nghttp2_session_callbacks_del(callbacks) }
        unsafe PushSessionCallbacks.install(in: callbacks)
        let user = unsafe Unmanaged.passUnretained(self).toOpaque()
        guard unsafe nghttp2_session_server_new(&library, callbacks, user) == 0 else { return nil }
        limitStreams(to: streams)
    }

    deinit { unsafe nghttp2_session_del(library) }

    /// How many streams are open.
    var openStreams: Int { streams.count }

    /// Whether nothing further will come or go.
    var isOver: Bool { unsafe nghttp2_session_want_read(library) == 0 && nghttp2_session_want_write(library) == 0 }

    // MARK: In

    /// Takes what the peer has sent.
    ///
    /// - Returns: Whether the session can go on; where not, it has a GOAWAY to send.
    func receive(_ bytes: [UInt8]) -> Bool {
        let count = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe nghttp2_session_mem_recv(library, bytes.baseAddress, bytes.count)
        }
        if count < 0 { _ = unsafe nghttp2_session_terminate_session(library, NGHTTP2_PROTOCOL_ERROR.rawValue) }
        return count >= 0
    }

    /// What has come since the last call.
    func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    // MARK: Out

    /// Tells the peer how many streams it may have open from now on.
    func limitStreams(to count: Int) {
        let entry = nghttp2_settings_entry(
            settings_id: Int32(bitPattern: NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue),
            value: UInt32(clamping: count)
        )
        _ = unsafe nghttp2_submit_settings(library, PushSession.none, [entry], 1)
    }

    /// Answers a request.
    ///
    /// - Parameter id: Of its stream; one that is closed is left alone.
    func respond(_ id: Int32, _ answer: SimulatorAnswer) {
        guard streams[id] != nil, answers[id] == nil else { return }
        let fields = [SimulatorAnswer.Field(name: ":status", value: String(answer.status))] + answer.fields
        // The library copies names and values; they lie in one buffer for the call.
        var bytes: [UInt8] = []
        var lengths: [(name: Int, value: Int)] = []
        for field in fields {
            bytes += field.name.utf8
            bytes += field.value.utf8
            lengths.append((field.name.utf8.count, field.value.utf8.count))
        }
        let content = answer.body.isEmpty ? nil : PushAnswerContent(answer.body)
        answers[id] = content
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            guard var next = buffer.baseAddress else { return }
            var pairs: [nghttp2_nv] = unsafe []
            for length in lengths {
                let (name, value) = unsafe (next, next + length.name)
                unsafe pairs.append(
                    nghttp2_nv(
                        name: name,
                        value: value,
                        namelen: length.name,
                        valuelen: length.value,
                        flags: PushSession.none
                    )
                )
                unsafe next += length.name + length.value
            }
            unsafe submit(id, pairs, content)
        }
    }

    private func submit(_ id: Int32, _ pairs: [nghttp2_nv], _ content: PushAnswerContent?) {
        guard let content else {
            _ = unsafe nghttp2_submit_response(library, id, pairs, pairs.count, nil)
            return
        }
        var provider = unsafe nghttp2_data_provider(
            source: nghttp2_data_source(ptr: Unmanaged.passUnretained(content).toOpaque()),
            read_callback: PushSessionCallbacks.readContent
        )
        _ = unsafe nghttp2_submit_response(library, id, pairs, pairs.count, &provider)
    }

    /// Ends a stream instead of an answer.
    func reset(_ id: Int32, code: UInt32) {
        _ = unsafe nghttp2_submit_rst_stream(library, PushSession.none, id, code)
    }

    /// Takes no streams beyond the last one; those up to it are answered.
    ///
    /// - Parameters:
    ///   - code: 0 for no error.
    ///   - debug: What the peer may log.
    func goAway(last: Int32, code: UInt32, debug: [UInt8]) {
        _ = unsafe nghttp2_submit_goaway(library, PushSession.none, last, code, debug, debug.count)
    }

    /// Moves what is to be sent to the end of a buffer.
    ///
    /// - Returns: False where the session cannot go on.
    func send(into output: inout [UInt8]) -> Bool {
        while true {
            var frame: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(library, &frame)
            guard count > 0, let frame = unsafe frame else { return count == 0 }
            unsafe output.append(contentsOf: UnsafeBufferPointer(start: frame, count: count))
        }
    }

    // MARK: Called by the library

    fileprivate func headBegins(_ id: Int32) {
        streams[id] = PushStream(id: id)
        mostStreams = max(mostStreams, streams.count)
    }

    fileprivate func fieldCame(_ id: Int32, _ name: String, _ value: String) -> Bool {
        streams[id]?.add(name, value) ?? true
    }

    fileprivate func contentCame(_ id: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe streams[id]?.add(bytes)
    }

    fileprivate func requestEnds(_ id: Int32) {
        if let stream = streams[id] { events.append(.request(stream)) }
    }

    fileprivate func note(_ violation: String) { events.append(.violation(violation)) }

    fileprivate func streamClosed(_ id: Int32) {
        streams[id] = nil
        answers[id] = nil
    }
}

/// A request as it comes.
struct PushStream: Sendable {
    let id: Int32
    /// In the order in which they came, pseudo-fields among them.
    private(set) var fields: [SimulatorAnswer.Field] = []
    private(set) var body: [UInt8] = []
    /// Length of the whole content, of which `body` has the begin.
    private(set) var bodyBytes = 0
    private var fieldBytes = 0

    private static let fieldLimit = 65_536
    private static let bodyLimit = 8_192

    init(id: Int32) {
        self.id = id
    }

    /// - Returns: False where the head is too large.
    mutating func add(_ name: String, _ value: String) -> Bool {
        fieldBytes += name.utf8.count + value.utf8.count + 32
        guard fieldBytes <= PushStream.fieldLimit else { return false }
        fields.append(.init(name: name, value: value))
        return true
    }

    mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        bodyBytes += bytes.count
        unsafe body.append(contentsOf: bytes.prefix(PushStream.bodyLimit - body.count))
    }
}

/// The content of an answer while it goes out; its session holds it.
private final class PushAnswerContent {
    private let bytes: [UInt8]
    private var sent = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isOver: Bool { sent == bytes.count }

    /// Copies the next bytes.
    func read(into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let part = bytes[sent...].prefix(target.count)
        for (index, byte) in part.enumerated() { unsafe target[index] = byte }
        sent += part.count
        return part.count
    }
}

/// The functions that the library calls; each finds the session and forwards to it.
private enum PushSessionCallbacks {
    private static let failure = NGHTTP2_ERR_CALLBACK_FAILURE.rawValue

    static func install(in callbacks: OpaquePointer) {
        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, headBegins)
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks, fieldCame)
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, contentCame)
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frameCame)
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, streamClosed)
    }

    private static func session(_ user: UnsafeMutableRawPointer?) -> PushSession? {
        guard let user = unsafe user else { return nil }
        return unsafe Unmanaged<PushSession>.fromOpaque(user).takeUnretainedValue()
    }

    private static let headBegins: nghttp2_on_begin_headers_callback = { _, frame, user in
        guard let frame = unsafe frame, let session = unsafe session(user) else { return failure }
        // Trailers are no request of their own.
        if unsafe frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
            unsafe session.headBegins(frame.pointee.hd.stream_id)
        }
        return 0
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
        let name = unsafe String(decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self)
        let value = unsafe String(decoding: UnsafeBufferPointer(start: value, count: valueLength), as: UTF8.self)
        let isTaken = unsafe session.fieldCame(frame.pointee.hd.stream_id, name, value)
        return isTaken ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }

    private static let contentCame: nghttp2_on_data_chunk_recv_callback = { _, _, id, data, count, user in
        guard let session = unsafe session(user) else { return failure }
        unsafe session.contentCame(id, UnsafeBufferPointer(start: data, count: count))
        return 0
    }

    private static let frameCame: nghttp2_on_frame_recv_callback = { _, frame, user in
        guard let frame = unsafe frame, let session = unsafe session(user) else { return failure }
        let head = unsafe frame.pointee.hd
        switch UInt32(head.type) {
        case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
            if head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { session.requestEnds(head.stream_id) }
        case NGHTTP2_PRIORITY.rawValue: session.note("a PRIORITY frame")
        default: break
        }
        return 0
    }

    private static let streamClosed: nghttp2_on_stream_close_callback = { _, id, _, user in
        guard let session = unsafe session(user) else { return failure }
        session.streamClosed(id)
        return 0
    }

    static let readContent: nghttp2_data_source_read_callback = { _, _, buffer, length, flags, source, _ in
        guard let flags = unsafe flags, let pointer = unsafe source?.pointee.ptr else { return Int(failure) }
        let content = unsafe Unmanaged<PushAnswerContent>.fromOpaque(pointer).takeUnretainedValue()
        let count = unsafe content.read(into: UnsafeMutableBufferPointer(start: buffer, count: length))
        if content.isOver { unsafe flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return count
    }
}
