import HTTP1
import HTTPCore
import Primitives
import Testing

@Suite("Writing a response")
struct SerializerTests {
    private let date = DateLine(WallTime(seconds: 784_111_777))

    private func write(
        _ response: HTTPResponse,
        _ method: HTTPMethod = .get,
        _ persistence: HTTP1Persistence = .usual
    ) -> String {
        var output: [UInt8] = []
        HTTP1Serializer.append(response, answering: method, persistence: persistence, date: date, to: &output)
        var other: [UInt8] = []
        let fixed = StaticResponse(response)
        HTTP1Serializer.append(fixed, answering: method, persistence: persistence, date: date, to: &other)
        #expect(output == other)
        return String(decoding: output, as: UTF8.self)
    }

    private let dateText = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"

    @Test func `a response has length, date and content`() {
        let response = HTTPResponse(.ok, fields: [MediaType.json.field], body: .bytes(Array("{}".utf8)))
        #expect(
            write(response)
                == "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 2\r\n"
                + dateText + "\r\n{}"
        )
    }

    @Test func `an answer to HEAD says the length and ends there`() {
        let response = HTTPResponse(.ok, body: .bytes(Array("{}".utf8)))
        #expect(write(response, .head) == "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + dateText + "\r\n")
    }

    @Test(arguments: [HTTPStatus.noContent, .notModified])
    func `a status without content has neither length nor content`(status: HTTPStatus) {
        let text = write(HTTPResponse(status, body: .bytes([65])))
        #expect(text == "HTTP/1.1 \(status)\r\n" + dateText + "\r\n")
    }

    @Test func `the last response says so`() {
        let text = write(HTTPResponse(.badRequest), .get, .close)
        #expect(text == "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n" + dateText + "Connection: close\r\n\r\n")
    }

    @Test func `a response to a client that asked for it says that it may go on`() {
        let text = write(HTTPResponse(.noContent), .get, .keepAlive)
        #expect(text == "HTTP/1.1 204 No Content\r\n" + dateText + "Connection: keep-alive\r\n\r\n")
    }

    @Test func `responses are appended one behind the other`() {
        var output = HTTP1Serializer.continueResponse
        for _ in 0..<2 {
            HTTP1Serializer.append(
                HTTPResponse(.noContent),
                answering: .get,
                persistence: .usual,
                date: date,
                to: &output
            )
        }
        let one = "HTTP/1.1 204 No Content\r\n" + dateText + "\r\n"
        #expect(String(decoding: output, as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n" + one + one)
    }

    @Test func `the date line moves with the second`() {
        var line = DateLine(WallTime(seconds: 0))
        line.update(WallTime(microseconds: 999_999))
        #expect(String(decoding: line.bytes, as: UTF8.self) == "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n")
        line.update(WallTime(microseconds: 1_000_000))
        #expect(String(decoding: line.bytes, as: UTF8.self) == "Date: Thu, 01 Jan 1970 00:00:01 GMT\r\n")
        #expect(line.bytes.count == 37)
    }

    @Test(arguments: ["/ok\r\nSet-Cookie: a=b", "x\n\r\n<html>", "\r", "\0", "\u{85}", "\u{2028}"])
    func `a response cannot be split through any value`(hostile: String) throws {
        #expect(HTTPField(.location, hostile) == nil)
        #expect(SetCookie("a", hostile, sameSite: .lax, maxAge: 1) == nil)
        #expect(SetCookie(hostile, "a", sameSite: .lax, maxAge: 1) == nil)
        #expect(SetCookie("a", "b", path: "/" + hostile, sameSite: .lax, maxAge: 1) == nil)
        #expect(EntityTag(hostile) == nil)
        #expect(HTTPFieldName(hostile) == nil)
    }
}
