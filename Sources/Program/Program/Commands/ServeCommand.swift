import EventIO
import Operations

/// `sallyport serve`: the broker, with the settings of a deployment.
enum ServeCommand {
    static let command = Command(
        name: "serve",
        operands: "",
        summary: "run the broker",
        details: """
            It needs a certificate (or only a clear listener behind a balancer) and a database with the current schema; `doctor`
            says which features are off, and which settings switch them on. On SIGTERM and SIGINT it answers the requests in flight and exits; on SIGHUP it reads
            certificate and key again, and files of features such as the products of the App Store.
            """,
        options: [],
        examples: [
            "sallyport serve --config /etc/sallyport/sallyport.json"
        ],
        answersSignals: true,
        run: { input in
            await input.withConfiguration { configuration in
                try Application.check(configuration)
                let logger = configuration.logger
                let database = try DatabaseAccess(configuration, logger: logger)
                defer { database.close() }
                try await database.prepareSchema(configuration.storage.migrationsDirectory)
                var parts = ApplicationParts(databaseURL: database.serviceURL)
                parts.serviceManager = ServiceManager(input.environment)
                let application = try await Application.start(configuration, parts, logger: logger)
                try await application.runUntilTold(
                    configuration,
                    beside: [database.companion].compactMap(\.self)
                )
                return 0
            }
        }
    )
}
