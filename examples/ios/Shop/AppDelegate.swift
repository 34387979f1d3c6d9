import UIKit

/// The app; its window is in ``SceneDelegate``, which `Info.plist` names.
@main
final class AppDelegate: UIResponder, UIApplicationDelegate {}
