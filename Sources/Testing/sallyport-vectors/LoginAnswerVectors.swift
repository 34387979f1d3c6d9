import Foundation
import OpenID
import StrictJSON

/// Answers of the authorization endpoint, as an app or a server receives them.
enum AuthorizationAnswerVectors: VectorKind {
    static let fileName = "callback.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        try LoginCase.judge(document["cases"]?.elements ?? []) { item in
            guard let settings = item["settings"],
                let type = ResponseType(try LoginCase.text(settings, "response_type"))
            else { throw VectorError(description: "a case without settings") }
            var context = AuthorizationContext(
                type,
                mode: settings["response_mode"]?.text.flatMap { AuthorizationContext.Mode(rawValue: $0) },
                redirect: try LoginCase.text(settings, "redirect_uri"),
                state: .text(try LoginCase.text(settings, "state")),
                issuer: try LoginCase.text(settings, "issuer")
            )
            context.needsIssuer = settings["require_iss_parameter"]?.flag ?? false
            do throws(AuthorizationRefusal) {
                if let url = item["url"]?.text {
                    _ = try AuthorizationAnswer(url: url, context)
                } else {
                    _ = try AuthorizationAnswer(received: item["form_body"]?.text ?? "", context)
                }
                return nil
            } catch {
                return error.reason.rawValue
            }
        }
    }
}

/// Answers of the token endpoint, with what is done about each.
enum TokenAnswerVectors: VectorKind {
    static let fileName = "token_response.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        try LoginCase.judge(document["cases"]?.elements ?? []) { item in
            do throws(TokenRefusal) {
                _ = try TokenAnswer(
                    status: item["http"]?["status"]?.integer ?? 0,
                    contentType: item["http"]?["content_type"]?.text,
                    body: Array((item["http"]?["body"]?.text ?? "").utf8),
                    for: item["grant"]?.text == "refresh_token" ? .refresh : .code
                )
                return nil
            } catch {
                guard error.action.rawValue == item["action"]?.text else { return "action " + error.action.rawValue }
                return error.reason.rawValue
            }
        }
    }
}

/// Answers of the userinfo endpoint.
enum UserInfoVectors: VectorKind {
    static let fileName = "userinfo.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        try LoginCase.judge(document["cases"]?.elements ?? []) { item in
            do throws(UserInfoRefusal) {
                _ = try UserInfo(
                    status: item["http"]?["status"]?.integer ?? 0,
                    challenge: item["http"]?["headers"]?["WWW-Authenticate"]?.text,
                    body: Array((item["http"]?["body"]?.text ?? "").utf8),
                    of: item["id_token_sub"]?.text ?? ""
                )
                return nil
            } catch {
                return error.reason.rawValue
            }
        }
    }
}
