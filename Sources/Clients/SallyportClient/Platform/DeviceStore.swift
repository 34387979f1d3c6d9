#if canImport(UIKit)
import Foundation
import UIKit

extension FileCheckoutStore {
    /// The store of an app on its device: a file among its own, in no backup, gone with the app.
    ///
    /// - Throws: Where the folder cannot be made.
    public static func onDevice() throws -> FileCheckoutStore {
        // A device that is set up from a backup has another web view, whose cookies know nothing of the checkout.
        FileCheckoutStore(try folder("Checkout").appendingPathComponent("checkout.json"))
    }
}

extension FileSpendStore {
    /// The store of an app on its device, for one of the accounts that sign in there.
    ///
    /// - Parameter account: Any name of the account that stays the same.
    /// - Throws: Where the folder cannot be made.
    public static func onDevice(of account: String) throws -> FileSpendStore {
        let name = Data(account.utf8).base64EncodedString().replacingOccurrences(of: "/", with: "_")
        return FileSpendStore(try folder("Purchases").appendingPathComponent("spends-\(name).json"))
    }
}

extension FileAttestKeyStore {
    /// The store of an app on its device, for one of the accounts that sign in there.
    ///
    /// - Parameter account: Any name of the account that stays the same.
    /// - Throws: Where the folder cannot be made.
    public static func onDevice(of account: String) throws -> FileAttestKeyStore {
        // A device that is set up from a backup does not have the keys of the one before.
        let name = Data(account.utf8).base64EncodedString().replacingOccurrences(of: "/", with: "_")
        return FileAttestKeyStore(try folder("Devices").appendingPathComponent("key-\(name).json"))
    }
}

/// A folder of the app, in no backup.
private func folder(_ name: String) throws -> URL {
    let support = try FileManager.default.url(
        for: .applicationSupportDirectory,
        in: .userDomainMask,
        appropriateFor: nil,
        create: true
    )
    var folder = support.appendingPathComponent(name, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var values = URLResourceValues()
    values.isExcludedFromBackup = true
    try folder.setResourceValues(values)
    return folder
}
#endif
