import Operations

/// `sallyport serve`: the broker, with the settings of a deployment.
enum ServeCommand {
    static let command = Command(
        name: "serve",
        operands: "",
        summary: "run the broker",
        details: """
            Needs a certificate (or only a clear listener behind a balancer), a database with the current schema, and an Amazon
            Pay account. SIGTERM and SIGINT drain and end it, SIGHUP reads the certificate again.
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
                let parts = ApplicationParts(databaseURL: database.serviceURL)
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
