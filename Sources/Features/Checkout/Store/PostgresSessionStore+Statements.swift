package import Postgres

extension PostgresSessionStore {
    /// Every statement that it sends.
    static let statements: [Statement] =
        hotStatements + batchedStatements + longStatements
        + [
            floorStatement.statement,
            newestAccountStatement.statement,
            sweptStatement.statement,
            noteSweptStatement.statement,
            verifyCommitStatement.statement,
            postponeStatement.statement,
            putBackStuckStatement.statement,
            namedStatement.statement,
            orderNumberedStatement.statement,
            numberedStatement.statement,
            claimStuckStatement.statement,
            paymentStatement.statement,
            reclaimStatement.statement,
            policyStatement.statement,
            missingStatement.statement,
            nextSessionStatement.statement,
            trailPageStatement.statement,
            noteSkippedStatement.statement,
            dueSkippedStatement.statement,
            forgetSkippedStatement.statement,
            skippedStatement.statement,
        ]

    /// The statements that a crossing runs: each names one webview session in `$1`, and must touch one partition by its primary
    /// key.
    ///
    /// For tests and tools that ask the database how it would run them.
    package static let hotStatements: [Statement] = [
        issueStatement.statement, openFirstStatement.statement, openStatement.statement, readTabStatement,
        readSealedTabStatement, touchTabStatement.statement, reviewStatement.statement, placeStatement.statement,
        unplaceStatement.statement, declineStatement.statement, cancelStatement.statement, beginStatement.statement,
        checkStatement.statement, meetStatement.statement, pendingStatement.statement, releaseStatement.statement,
        settleStatement.statement, takeUpStatement.statement, putBackStatement.statement,
        giveUpStatement.statement, readMobileReturnStatement.statement,
        arriveStatement.statement, expireLeaseStatement.statement, resumeStatement.statement,
        receiptStatement.statement, statusStatement.statement, observeStatement.statement, revokeStatement.statement,
        auditStatement.statement,
    ]

    /// The statements that answer several webview sessions at once, named by an array in `$1`; each must find them by primary
    /// keys.
    package static let batchedStatements: [Statement] = [readTabsStatement, readSealedTabsStatement]

    /// The statements that walk over many webview sessions: upkeep, counts and operators' work.
    package static let longStatements: [Statement] = [
        revokeSomeStatement.statement, liveAmongStatement.statement, countLiveStatement.statement,
        sweepStatement.statement, claimStatement.statement, stuckStatement.statement, alertsStatement.statement,
    ]
}
