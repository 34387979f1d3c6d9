import HTTPServer
import Postgres
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
            let server = ServerLimits()
            connections = read.number("limits.connections", 1...1_000_000, server.connections, "open connections")
            connectionsPerAddress = read.number(
                "limits.connections_per_address",
                1...1_000_000,
                server.connectionsPerAddress,
                "open connections per address"
            )
            requestsPerConnection = read.number(
                "limits.requests_per_connection",
                1...1_000_000_000,
                server.requestsPerConnection,
                "then the connection closes"
            )
            headerBytes = read.number(
                "limits.header_bytes",
                1024...65536,
                server.headerBytes,
                "request line and fields"
            )
            headerFields = read.number("limits.header_fields", 8...256, server.headerCount, "fields of a request")
            bodyBytes = read.number("limits.body_bytes", 1024...1_048_576, server.bodyBytes, "body of a request")
            contentBytes = read.number(
                "limits.content_bytes",
                1_048_576...1_099_511_627_776,
                ContentBudget.usualLimit,
                "bodies of all requests together, beyond 4 KB of each connection; what would be more gets 503"
            )
            headerDeadline = read.duration(
                "limits.header_deadline",
                1...120,
                server.headerDeadline,
                "for a whole request head"
            )
            bodyDeadline = read.duration(
                "limits.body_deadline",
                1...120,
                server.bodyDeadline,
                "for a whole request body"
            )
            handshakeDeadline = read.duration(
                "limits.handshake_deadline",
                1...60,
                server.handshakeDeadline,
                "for a TLS handshake"
            )
            writeDeadline = read.duration(
                "limits.write_deadline",
                1...600,
                server.writeDeadline,
                "for a reader that takes nothing of a response"
            )
            idle = read.duration("limits.idle", 1...3600, server.idleDeadline, "for an idle connection")
            drain = read.duration(
                "limits.drain",
                1...600,
                ServerConfiguration.usualDrainDeadline,
                "for what is in flight when the program stops; longer than any call that moves money"
            )
            queue = read.number(
                "limits.queue",
                16...100_000,
                PostgresConfiguration.usualPending,
                "statements that wait on a database connection"
            )
            let wait = read.number(
                "limits.queue_wait_ms",
                1...10_000,
                PostgresConfiguration.usualQueueWaitMilliseconds,
                "longest wait that a request which begins something may expect there; above it gets 503"
            )
            queueWait = .milliseconds(wait)
            queueDeadline = read.duration(
                "limits.queue_deadline",
                1...60,
                PostgresConfiguration.usualPendingAge,
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
            let server = ServerLimits()
            isOffered = read.flag("http2.offered", true, "HTTP/2 on the TLS listener, beside HTTP/1.1")
            isAcceptedInClear = read.flag("http2.clear", false, "HTTP/2 with prior knowledge on the clear listener")
            streams = read.number(
                "http2.streams",
                1...1000,
                server.streamsPerConnection,
                "requests of a connection at the same time"
            )
            streamWindow = read.number(
                "http2.stream_window",
                16384...1_048_576,
                server.streamWindow,
                "body bytes of a request on their way"
            )
            connectionWindow = read.number(
                "http2.connection_window",
                262_144...16_777_216,
                server.connectionWindow,
                "body bytes of a connection's requests that are not answered"
            )
            controlBurst = read.number(
                "http2.control_burst",
                20...10000,
                server.controlFrameBurst,
                "frames without a request at once, by kind"
            )
            controlRate = read.number(
                "http2.control_rate",
                1...10000,
                server.controlFramesPerSecond,
                "how many of them come back in a second"
            )
            responseDeadline = read.duration(
                "http2.response_deadline",
                1...3600,
                server.responseDeadline,
                "for a reader to take a whole response"
            )
        }
    }
}
