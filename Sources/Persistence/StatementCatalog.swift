package import Postgres

/// Every statement that the stores of this target declare, by store.
package enum StatementCatalog {
    /// Those of sessions, of messages of the provider, of partitions.
    package static let ofCheckout: [Statement] = sessions + notifications + partitions
    /// Those of orders, payments, and comparisons with the provider.
    package static let ofMerchants: [Statement] = creation + orders + polls + reports + operators

    private static let sessions: [Statement] =
        PostgresSessionStore.hotStatements + PostgresSessionStore.batchedStatements
        + PostgresSessionStore.longStatements
        + [
            PostgresSessionStore.floorStatement,
            PostgresSessionStore.rightsStatement,
            PostgresSessionStore.sweptStatement,
            PostgresSessionStore.noteSweptStatement,
            PostgresSessionStore.outcome,
            PostgresSessionStore.postponeStatement,
            PostgresSessionStore.namedStatement,
            PostgresSessionStore.numberedStatement,
            PostgresSessionStore.claimStuckStatement,
            PostgresSessionStore.paymentStatement,
            PostgresSessionStore.reclaimStatement,
            PostgresSessionStore.policyStatement,
            PostgresSessionStore.missingStatement,
        ]

    private static let creation: [Statement] = [
        PostgresSessionCreation.openStatement,
        PostgresSessionCreation.cancelStatement,
        PostgresSessionCreation.holderStatement,
    ]

    private static let orders: [Statement] =
        PostgresOrderStore.listStatements
        + [
            PostgresOrderStore.givenUpStatement,
            PostgresOrderStore.reopenStatement,
            PostgresOrderStore.beginStatement,
            PostgresOrderStore.settleStatement,
            PostgresOrderStore.reusedStatement,
            PostgresOrderStore.claimStatement,
            PostgresOrderStore.postponeStatement,
            PostgresOrderStore.takeOverStatement,
            PostgresOrderStore.expireLeaseStatement,
            PostgresOrderStore.adoptStatement,
            PostgresOrderStore.recordStatement,
            PostgresOrderStore.newestAccountStatement,
            PostgresOrderStore.ownStatement,
            PostgresOrderStore.observeStatement,
            PostgresOrderStore.readStatement,
            PostgresOrderStore.objectStatement,
            PostgresOrderStore.objectsStatement,
        ]

    private static let notifications: [Statement] = [
        PostgresNotificationStore.receiveStatement,
        PostgresNotificationStore.unmatchedStatement,
        PostgresNotificationStore.wakeStatement,
        PostgresNotificationStore.unpaidStatement, PostgresNotificationStore.followedStatement,
        PostgresNotificationStore.refundedStatement,
        PostgresNotificationStore.pruneStatement,
    ]

    private static let polls: [Statement] = [
        PostgresPollStore.claimStatement,
        PostgresPollStore.againStatement,
        PostgresPollStore.missingStatement,
        PostgresPollStore.expiringStatement,
        PostgresPollStore.releaseStatement,
        PostgresPollStore.endStatement,
    ]

    private static let reports: [Statement] = [
        PostgresReconciliationStore.unfinishedStatement,
        PostgresReconciliationStore.beginStatement,
        PostgresReconciliationStore.resumeStatement,
        PostgresReconciliationStore.advanceStatement,
        PostgresReconciliationStore.newestStatement,
        PostgresReconciliationStore.paidStatement,
        PostgresReconciliationStore.operatedStatement,
        PostgresReconciliationStore.notifiedStatement,
        PostgresReconciliationStore.sampleStatement,
    ]

    private static let operators: [Statement] = [
        PostgresUnsettledStore.countStatement,
        PostgresUnsettledStore.listStatement,
    ]

    private static let partitions: [Statement] = [
        PostgresPartitionStore.makeStatement,
        PostgresPartitionStore.marginStatement,
        PostgresPartitionStore.dropWebviewSessionsStatement,
        PostgresPartitionStore.dropOrdersStatement,
    ]
}
