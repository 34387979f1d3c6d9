package import ServerCore

extension ServiceFeature {
    package static let card = FeatureCard(
        "service",
        commands: [KeysCommand.command],
        statements: .own(PostgresKeyStore.statements)
    )
}
