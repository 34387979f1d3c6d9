import StrictJSON
import Testing

@testable import Settings

/// What one text setting, one list and one array come out as.
private func read(_ source: SettingSource) -> (name: String, hosts: [String], items: [String?], problems: [String]) {
    var reader = SettingReader(source)
    let name = reader.text("sample.name", "fallback", "a name")
    let hosts = reader.list("sample.hosts", "", "hosts")
    let items = reader.objects("sample.items", "[{name}]").map { $0["name"]?.text }
    return (name, hosts, items, reader.problems(of: .everything))
}

private func source(_ file: String?, _ environment: [String: String] = [:]) -> SettingSource {
    SettingSource(file: file.map { Array($0.utf8) }, path: "sample.json", environment: environment)
}

@Suite struct `A source of settings` {
    @Test func `prefers the environment to the file, the file to a command's defaults, and these to a setting's`() {
        let file = #"{"sample":{"name":"file","items":[{"name":"file"}]}}"#
        let environment = ["SALLYPORT_SAMPLE_NAME": "variable", "SALLYPORT_SAMPLE_ITEMS": #"[{"name":"variable"}]"#]
        func filled(_ source: SettingSource) -> SettingSource {
            source.fillingIn(["sample.name": "first", "sample.items": [["name": "first"]]])
                .fillingIn(["sample.name": "second", "sample.items": [["name": "second"]]])
        }
        #expect(read(.empty).name == "fallback")
        #expect(read(filled(.empty)).name == "first")
        #expect(read(filled(source(file))).name == "file")
        #expect(read(filled(source(file, environment))).name == "variable")
        #expect(read(.empty).items.isEmpty)
        #expect(read(filled(.empty)).items == ["first"])
        #expect(read(filled(source(file))).items == ["file"])
        #expect(read(filled(source(file, environment))).items == ["variable"])
    }

    @Test func `has room for a further file below its own, of which unknown members are passed over`() throws {
        let file = #"{"sample":{"name":"lower","hosts":["l"],"items":[{"name":"lower"}]},"unknown":{"a":1}}"#
        let lower = Array(file.utf8)
        func over(_ source: SettingSource) throws -> SettingSource {
            try source.over(lower, path: "lower.json").fillingIn(["sample.name": "default"])
        }
        let alone = read(try over(.empty))
        #expect(alone.name == "lower" && alone.hosts == ["l"] && alone.items == ["lower"] && alone.problems.isEmpty)
        #expect(read(try over(source(#"{"sample":{"name":"file"}}"#))).name == "file")
        #expect(read(try over(source(nil, ["SALLYPORT_SAMPLE_NAME": "variable"]))).name == "variable")
        #expect(try over(.empty).isSet("sample.name"))
        for broken in ["[]", "{"] {
            #expect(throws: ConfigurationError.self) { try SettingSource.empty.over(Array(broken.utf8), path: "x") }
        }
    }

    @Test func `gives what is set as a file that sets the same elsewhere, without secrets`() throws {
        var reader = SettingReader(.empty)
        _ = reader.text("sample.name", "fallback", "a name")
        _ = reader.list("sample.hosts", "", "hosts")
        _ = reader.objects("sample.items", "[{name}]")
        _ = reader.secret("sample.secret", "a secret")
        _ = reader.file("sample.file", "a file")
        _ = reader.folder("sample.folder", "./there", "a folder")
        let environment = [
            "SALLYPORT_SAMPLE_HOSTS": "a,b", "SALLYPORT_SAMPLE_ITEMS": #"[{"name":"x"}]"#,
            "SALLYPORT_SAMPLE_SECRET": "s3cret", "SALLYPORT_SAMPLE_FILE": "here/file.pem",
        ]
        let set = source(#"{"sample":{"name":"file","secret":"s3cret"}}"#, environment)
        let document = set.document(of: reader.settings, in: "/work", adding: ["sample.more": "text"])
        let told = #""name":"file","hosts":"a,b","items":[{"name":"x"}],"file":"/work/here/file.pem""#
        #expect(document.description == #"{"sample":{"more":"text",\#(told)}}"#)
        let again = read(source(document.description))
        #expect(again.name == "file" && again.hosts == ["a", "b"] && again.items == ["x"])
    }

    @Test func `tells what is set from what is filled in, and an empty text from none`() {
        let filled = source(nil, ["SALLYPORT_SAMPLE_NAME": "", "PATH": "x"]).fillingIn(["sample.hosts": "a"])
        #expect(filled.isSet("sample.name") && !filled.isSet("sample.hosts"))
        #expect(source(#"{"sample":{"hosts":[]}}"#).isSet("sample.hosts"))
        let (name, hosts, _, problems) = read(filled)
        #expect(name.isEmpty && hosts == ["a"] && problems.isEmpty)
    }

    @Test(arguments: [
        (#"{"sample":{"name":"x"}}"#, "x"), (#"{"sample.name":"x"}"#, "x"), (#"{"sample":{"name":1.50}}"#, "1.50"),
        (#"{"sample":{"name":true}}"#, "true"), (#"{"sample":{"name":null}}"#, ""),
    ])
    func `takes scalars of a file as they are written`(file: String, text: String) {
        #expect(read(source(file)).name == text)
        #expect(read(source(file)).problems.isEmpty)
    }

    @Test func `takes lists as arrays or with commas`() {
        #expect(read(source(#"{"sample":{"hosts":["a"," b ",3]}}"#)).hosts == ["a", "b", "3"])
        #expect(read(source(#"{"sample":{"hosts":"a, b,,"}}"#)).hosts == ["a", "b"])
    }

    @Test(arguments: [
        ("[1]", "sample.json: the document is not an object"), ("{", "sample.json: not JSON at line 1, column 2"),
        (#"{"a":1,"a":2}"#, "sample.json: a is there twice"),
        (#"{"sample":{"items":{}}}"#, "sample.items: not a single value"),
        (#"{"sample":1}"#, "sample: no such setting"), (#"{"sample":{"name":[]}}"#, "sample.name: not a single value"),
    ])
    func `says what is wrong with a file`(file: String, problem: String) {
        #expect(read(source(file)).problems == [problem])
    }

    @Test func `refuses a default of a command for a setting that nobody reads`() {
        let filled = SettingSource.empty.fillingIn(["sample.nmae": "x", "sample.itmes": []])
        #expect(read(filled).problems == ["sample.itmes: no such setting", "sample.nmae: no such setting"])
    }
}
