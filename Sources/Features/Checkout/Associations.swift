import AppLinks
import SessionBroker
package import Settings

/// The association files of a deployment, made from the settings alone.
package struct Associations: Sendable {
    /// The file for iOS; `nil` without an iOS app.
    let apple: [UInt8]?
    /// The file for Android; `nil` without an Android app.
    let android: [UInt8]?

    /// Makes both files.
    ///
    /// - Parameter checkout: Names the apps; profile compat opens the app for any query.
    /// - Throws: Every malformed app at once.
    package init(_ checkout: CheckoutSettings) throws(ConfigurationError) {
        var problems: [String] = []
        let rules = Associations.rules(checkout)
        var appleApps: [AppleApp] = []
        for (index, app) in checkout.apps.ios.enumerated() {
            do throws(AppLinkError) {
                appleApps.append(
                    try AppleApp(prefix: app.prefix, bundle: app.bundle, services: app.services, isClip: app.isClip)
                )
            } catch {
                problems += error.problems.map { "apps.ios[\(index)]: \($0)" }
            }
        }
        var androidApps: [AndroidApp] = []
        for (index, app) in checkout.apps.android.enumerated() {
            do throws(AppLinkError) {
                androidApps.append(
                    try AndroidApp(package: app.package, fingerprints: app.fingerprints, isDynamic: app.isDynamic)
                )
            } catch {
                problems += error.problems.map { "apps.android[\(index)]: \($0)" }
            }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        apple = appleApps.isEmpty ? nil : AssociationDocument.apple(appleApps, rules)
        android = androidApps.isEmpty ? nil : AssociationDocument.android(androidApps, rules)
    }

    /// Which addresses of the link host open the apps.
    static func rules(_ checkout: CheckoutSettings) -> LinkRules {
        LinkRules(checkout.policy.profile == .compat ? .returnPath : .returnLink)
    }
}
