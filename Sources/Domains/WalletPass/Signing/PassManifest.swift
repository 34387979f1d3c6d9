import Cryptography
import Primitives
import StrictJSON

/// The list of a pass's files with their digests, which is what is signed.
enum PassManifest {
    /// The digest of a content as the list has it: SHA-1, in lower case; phones take no other.
    static func digest(of bytes: [UInt8]) -> String { Hex.encode(DigestAlgorithm.sha1.digest(of: bytes)) }

    /// The list of a pass, in the order of the names.
    static func bytes(_ template: PassTemplate, json: [UInt8]) -> [UInt8] {
        var members = template.files.map { JSONMember($0.name, .string($0.sha1)) }
        members.append(JSONMember(PassFileName.pass, .string(digest(of: json))))
        var output: [UInt8] = []
        JSONValue.object(members).appendSorted(to: &output)
        return output
    }
}
