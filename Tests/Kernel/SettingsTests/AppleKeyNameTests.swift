import EventIO
import Foundation
import Settings
import TestKit
import Testing

@Suite("The id in the name of Apple's key file")
struct AppleKeyNameTests {
    @Test func `stands between what Apple puts around it`() {
        #expect(AppleKeyName.id(at: "/etc/keys/AuthKey_2X9R4HXF34.p8", as: [.auth]) == "2X9R4HXF34")
        #expect(AppleKeyName.id(at: "SubscriptionKey_AB.p8", as: [.subscription, .auth]) == "AB")
        #expect(AppleKeyName.id(at: "SubscriptionKey_AB.p8", as: [.auth]) == nil)
        for name in ["AuthKey_.p8", "AuthKey_AB.pem", "authkey_AB.p8", "AuthKey_A B.p8", "key.p8", ".p8", "", "/"] {
            #expect(AppleKeyName.id(at: "/nowhere/" + name, as: [.auth, .subscription]) == nil, "\(name)")
        }
    }

    @Test func `is that of the file that a link leads to`() async throws {
        try await withTemporaryFolder { folder in
            try Files.write(folder + "/AuthKey_SECOND.p8", [])
            let link = folder + "/current.p8"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "AuthKey_SECOND.p8")
            #expect(AppleKeyName.id(at: folder + "/current.p8", as: [.auth]) == "SECOND")
        }
    }
}
