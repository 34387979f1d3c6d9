import ServerCore

/// What `demo` prints when it is ready.
enum Walkthrough {
    /// The commands to try first; README.md has the rest.
    static func text(_ configuration: Configuration, simulator: String, _ keys: DevelopmentKeys) -> String {
        let web = configuration.listeners.web.text
        let ca = keys.authorityPath
        let settings = DemoFolder.settingsPath(configuration.storage.dataDirectory)
        return """

            In a browser:   \(web)/browser/cart   (certificate: \(ca), or \(web)/crt/sample.crt)
            A whole purchase with curl, as the iOS app and its tab would make it:

              CA=\(ca) WEB=\(web) SIM=\(simulator) scripts/walkthrough iosApp

            One step at a time:

              curl --cacert \(ca) -c app.jar -o /dev/null \(web)/iosApp/cart
              curl --cacert \(ca) -b app.jar -d 'client=iosApp&hd8=1&hd10=1' \(web)/secureWebviewSession
              curl --cacert \(ca) -c tab.jar -L "\(web)/button?secureWebviewSessionId=THE_TICKET"

            Other commands in this folder (keys, reconcile, audit, doctor) know this demo by \(settings).
            Ctrl-C stops everything. The data stays in \(places(configuration.storage)).
            """
    }

    private static func places(_ storage: Configuration.Storage) -> String {
        let cluster = storage.clusterDirectory
        let isInside = storage.databaseURL != nil || cluster.hasPrefix(storage.dataDirectory)
        return isInside ? storage.dataDirectory : "\(storage.dataDirectory), the database in \(cluster)"
    }
}
