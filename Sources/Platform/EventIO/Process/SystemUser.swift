import Glibc

/// A user of the machine.
package struct SystemUser: Sendable, Equatable {
    /// The user's number; 0 is the superuser.
    package let id: UInt32
    /// The number of the user's group.
    package let groupID: UInt32

    /// A user with known numbers.
    package init(id: UInt32, groupID: UInt32) {
        self.id = id
        self.groupID = groupID
    }

    /// The user with a name, or `nil` where the machine has none.
    ///
    /// Blocks while the machine looks it up.
    ///
    /// - Parameter name: For example `postgres`.
    package init?(named name: String) {
        var record = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        let status = unsafe getpwnam_r(name, &record, &buffer, buffer.count, &found)
        guard status == 0, unsafe found != nil else { return nil }
        self.init(id: unsafe record.pw_uid, groupID: unsafe record.pw_gid)
    }

    /// The user this process acts as.
    package static var current: SystemUser { SystemUser(id: geteuid(), groupID: getegid()) }
}
