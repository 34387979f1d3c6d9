import EventIO

/// The user that a private cluster runs as.
struct ClusterOwner {
    /// `nil` when it runs as the user of this process.
    let user: SystemUser?

    /// The user for a cluster: only root has a choice, and must not choose itself.
    ///
    /// - Returns: `nil` inside means: the user of this process.
    /// - Throws: `cluster` when the machine has no user for it.
    static func choose(for paths: ClusterPaths) throws(PostgresError) -> ClusterOwner {
        guard SystemUser.current.id == 0 else { return ClusterOwner(user: nil) }
        if let owner = try? Files.permissions(paths.data).owner, owner.id != 0 { return ClusterOwner(user: owner) }
        guard let user = SystemUser(named: "postgres") ?? SystemUser(named: "nobody") else {
            throw PostgresError(.cluster, "PostgreSQL does not run as root, and there is no user postgres or nobody")
        }
        return ClusterOwner(user: user)
    }

    /// A child that runs as this user.
    func plan(_ program: String, _ arguments: [String], _ paths: ClusterPaths) -> ChildPlan {
        let environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": paths.base]
        var plan = ChildPlan(program, arguments, environment: environment)
        plan.user = user
        plan.workingDirectory = paths.base
        return plan
    }

    /// Gives a file or folder to this user.
    func own(_ path: String) throws(IOError) {
        guard let user else { return }
        try Files.setOwner(path, user)
    }

    /// Makes the folder of the socket and checks that the user gets to the data.
    ///
    /// The base stays ours, so that nobody else decides which file the lock and the log are.
    func prepare(_ paths: ClusterPaths, _ installation: PostgresInstallation) throws {
        try checkPassage(paths, installation)
        try Files.makeDirectory(paths.socketFolder, mode: 0o700)
        // One in /tmp may have been put there by somebody else; root must not give away what is not its own to give.
        let isLink = try Files.kind(paths.socketFolder) != .folder
        let current = try Files.permissions(paths.socketFolder)
        let expected = (user ?? SystemUser.current).id
        guard !isLink, current.owner.id == expected || current.owner.id == SystemUser.current.id else {
            throw PostgresError(.cluster, "\(paths.socketFolder) belongs to somebody else; remove it")
        }
        try own(paths.socketFolder)
        try Files.setPermissions(paths.socketFolder, mode: 0o700)
    }

    /// Tries to enter the folder as the user, and names the first folder on the way that is closed.
    private func checkPassage(_ paths: ClusterPaths, _ installation: PostgresInstallation) throws {
        guard user != nil, !canEnter(paths.base, paths, installation) else { return }
        var closed = paths.base
        while closed != "/", !canEnter(Files.parent(of: closed), paths, installation) {
            closed = Files.parent(of: closed)
        }
        throw PostgresError(
            .cluster,
            """
            PostgreSQL runs as an unprivileged user, who may not enter \(closed): let others pass (chmod o+x), \
            or choose another data folder
            """
        )
    }

    private func canEnter(_ folder: String, _ paths: ClusterPaths, _ installation: PostgresInstallation) -> Bool {
        var attempt = plan(installation.program("postgres"), ["--version"], paths)
        attempt.workingDirectory = folder
        return (try? attempt.run(atMost: .seconds(10)))?.exit.isSuccess == true
    }
}
