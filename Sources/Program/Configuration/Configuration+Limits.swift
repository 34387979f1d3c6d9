import Settings

extension Configuration {
    /// Bounds on what one connection may ask for.
    struct Limits: Sendable {
        let connections: Int
        let connectionsPerAddress: Int
        let requestsPerConnection: Int
        let headerBytes: Int
        let headerFields: Int
        let bodyBytes: Int
        /// Content of all requests together.
        let contentBytes: Int
        let headerDeadline: Duration
        let bodyDeadline: Duration
        let handshakeDeadline: Duration
        let writeDeadline: Duration
        let idle: Duration
        let drain: Duration
        let queue: Int
        let queueWait: Duration
        let queueDeadline: Duration

        init(_ read: inout SettingReader) {
            connections = read.number("limits.connections", 1...1_000_000, 20_000, "open connections")
            connectionsPerAddress = read.number(
                "limits.connections_per_address",
                1...1_000_000,
                1000,
                "open connections per address"
            )
            requestsPerConnection = read.number(
                "limits.requests_per_connection",
                1...1_000_000_000,
                100_000,
                "then the connection closes"
            )
            headerBytes = read.number("limits.header_bytes", 1024...65536, 16384, "request line and fields")
            headerFields = read.number("limits.header_fields", 8...256, 64, "fields of a request")
            bodyBytes = read.number("limits.body_bytes", 1024...1_048_576, 16384, "body of a request")
            contentBytes = read.number(
                "limits.content_bytes",
                1_048_576...1_099_511_627_776,
                67_108_864,
                "bodies of all requests together, beyond 4 KB of each connection; what would be more gets 503"
            )
            headerDeadline = read.duration("limits.header_deadline", 1...120, "10s", "for a whole request head")
            bodyDeadline = read.duration("limits.body_deadline", 1...120, "20s", "for a whole request body")
            handshakeDeadline = read.duration("limits.handshake_deadline", 1...60, "10s", "for a TLS handshake")
            writeDeadline = read.duration(
                "limits.write_deadline",
                1...600,
                "30s",
                "for a reader that takes nothing of a response"
            )
            idle = read.duration("limits.idle", 1...3600, "75s", "for an idle connection")
            drain = read.duration(
                "limits.drain",
                1...600,
                "60s",
                "for what is in flight when the program stops; longer than any call that moves money"
            )
            queue = read.number("limits.queue", 16...100_000, 4096, "statements that wait on a database connection")
            let wait = read.number(
                "limits.queue_wait_ms",
                1...10_000,
                250,
                "longest wait that a request which begins something may expect there; above it gets 503"
            )
            queueWait = .milliseconds(wait)
            queueDeadline = read.duration(
                "limits.queue_deadline",
                1...60,
                "1s",
                "then a statement that still waits gets 503"
            )
        }
    }

    /// What is offered and allowed to clients that speak HTTP/2.
    struct HTTP2: Sendable {
        let isOffered: Bool
        let isAcceptedInClear: Bool
        let streams: Int
        let streamWindow: Int
        let connectionWindow: Int
        let controlBurst: Int
        let controlRate: Int
        let responseDeadline: Duration

        init(_ read: inout SettingReader) {
            isOffered = read.flag("http2.offered", true, "HTTP/2 on the TLS listener, beside HTTP/1.1")
            isAcceptedInClear = read.flag("http2.clear", false, "HTTP/2 with prior knowledge on the clear listener")
            streams = read.number("http2.streams", 1...1000, 100, "requests of a connection at the same time")
            streamWindow = read.number(
                "http2.stream_window",
                16384...1_048_576,
                65536,
                "body bytes of a request on their way"
            )
            connectionWindow = read.number(
                "http2.connection_window",
                262_144...16_777_216,
                262_144,
                "body bytes of a connection's requests that are not answered"
            )
            controlBurst = read.number(
                "http2.control_burst",
                20...10000,
                100,
                "frames without a request at once, by kind"
            )
            controlRate = read.number(
                "http2.control_rate",
                1...10000,
                10,
                "how many of them come back in a second"
            )
            responseDeadline = read.duration(
                "http2.response_deadline",
                1...3600,
                "2m",
                "for a reader to take a whole response"
            )
        }
    }
}
