#if canImport(UIKit)
import Foundation
import UIKit

extension FileCheckoutStore {
    /// The store of an app on its device: a file among its own, in no backup, gone with the app.
    ///
    /// - Throws: Where the folder cannot be made.
    public static func onDevice() throws -> FileCheckoutStore {
        let support = try FileManager.default.url(
            for: .applicationSupportDirectory,
            in: .userDomainMask,
            appropriateFor: nil,
            create: true
        )
        var folder = support.appendingPathComponent("Checkout", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A device that is set up from a backup has another web view, whose cookies know nothing of the checkout.
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try folder.setResourceValues(values)
        return FileCheckoutStore(folder.appendingPathComponent("checkout.json"))
    }
}
#endif
