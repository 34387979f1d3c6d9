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
        let deadlines: Deadlines
        let drain: Duration
        let queue: StatementQueue

        init(_ read: inout SettingReader) {
            let server = ServerLimits()
            connections = read.number(
                "limits.connections",
                1...1_000_000,
                server.connections,
                "open connections; a network, /24 or /48, gets no more than are free, so half at most, unless one address may have half"
            )
            connectionsPerAddress = read.number(
                "limits.connections_per_address",
                1...1_000_000,
                server.connectionsPerAddress,
                "open connections per address, trusted_proxies apart"
            )
            requestsPerConnection = read.number(
                "limits.requests_per_connection",
                1...1_000_000_000,
                server.requestsPerConnection,
                "requests after which a connection closes"
            )
            headerBytes = read.number(
                "limits.header_bytes",
                1024...65536,
                server.headerBytes,
                "bytes of a request line with its header fields, over HTTP/2 those that they would have over HTTP/1.1"
            )
            headerFields = read.number(
                "limits.header_fields",
                8...256,
                server.headerCount,
                "header fields of a request; Host is one, and so is a cookie that HTTP/2 brings in pieces"
            )
            bodyBytes = read.number(
                "limits.body_bytes",
                1024...1_048_576,
                server.bodyBytes,
                "bytes of a request body; /ipn/amazon-pay and /v1 have limits of their own"
            )
            contentBytes = read.number(
                "limits.content_bytes",
                1_048_576...1_099_511_627_776,
                ContentBudget.usualLimit,
                "bytes of all request bodies together, and for each connection of request heads beyond one of limits.header_bytes and of HTTP/2 answers that the client does not take beyond 64 KB, not counting the first 4 KB of each connection; a request beyond this limit gets 503, or its HTTP/2 stream is refused or reset; an address gets a quarter at most and a network, /24 or /48, half, unless one address may have half of limits.connections"
            )
            deadlines = Deadlines(&read)
            drain = read.duration(
                "limits.drain",
                1...600,
                ServerConfiguration.usualDrainDeadline,
                "time for requests and payments in flight when the program stops; has to be longer than any call that moves money"
            )
            queue = StatementQueue(&read)
        }
    }

    /// How long a connection waits for each of the things that it waits for.
    struct Deadlines: Sendable {
        let header: Duration
        let body: Duration
        let handler: Duration
        let handshake: Duration
        let write: Duration
        let idle: Duration

        init(_ read: inout SettingReader) {
            let server = ServerLimits()
            header = read.duration(
                "limits.header_deadline",
                1...120,
                server.headerDeadline,
                "time for a whole request head"
            )
            body = read.duration(
                "limits.body_deadline",
                1...120,
                server.bodyDeadline,
                "time for a whole request body"
            )
            handler = read.duration(
                "limits.handler_deadline",
                1...600,
                server.handlerDeadline,
                "time for a response after a whole request; then 503, and a payment that is under way goes on; has to be longer than any call that moves money"
            )
            handshake = read.duration(
                "limits.handshake_deadline",
                1...60,
                server.handshakeDeadline,
                "time for a TLS handshake"
            )
            write = read.duration(
                "limits.write_deadline",
                1...600,
                server.writeDeadline,
                "time after which a client that reads nothing of a response is disconnected"
            )
            idle = read.duration(
                "limits.idle",
                1...3600,
                server.idleDeadline,
                "time after which an idle connection closes"
            )
        }
    }

    /// Bounds on the statements that wait for a connection to the database.
    struct StatementQueue: Sendable {
        let statements: Int
        let longestWait: Duration
        let deadline: Duration

        init(_ read: inout SettingReader) {
            statements = read.number(
                "limits.queue",
                16...100_000,
                PostgresConfiguration.usualPending,
                "waiting statements of a database connection, and requests under way on a loop, of which 1024 at least; an address gets a quarter of these at most and a network, /24 or /48, half, unless one address may have half of limits.connections"
            )
            let wait = read.number(
                "limits.queue_wait_ms",
                1...10_000,
                PostgresConfiguration.usualQueueWaitMilliseconds,
                "expected wait of a statement in milliseconds above which its request gets 503, unless it ends what the request has begun"
            )
            longestWait = .milliseconds(wait)
            deadline = read.duration(
                "limits.queue_deadline",
                1...60,
                PostgresConfiguration.usualPendingAge,
                "time after which a statement that still waits gets 503"
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
                "simultaneous requests of a connection"
            )
            streamWindow = read.number(
                "http2.stream_window",
                16384...1_048_576,
                server.streamWindow,
                "flow-control window of a request's body, in bytes"
            )
            connectionWindow = read.number(
                "http2.connection_window",
                262_144...16_777_216,
                server.connectionWindow,
                "flow-control window of all request bodies of a connection, in bytes"
            )
            controlBurst = read.number(
                "http2.control_burst",
                20...10000,
                server.controlFrameBurst,
                "burst of frames of one kind that belong to no request"
            )
            controlRate = read.number(
                "http2.control_rate",
                1...10000,
                server.controlFramesPerSecond,
                "frames a second of one kind that belong to no request"
            )
            responseDeadline = read.duration(
                "http2.response_deadline",
                1...3600,
                server.responseDeadline,
                "time for a client to read a whole response"
            )
        }
    }
}
