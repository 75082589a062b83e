import Foundation
import TestSupport
import Testing

/// What `inspect --json` printed.
struct Inspection {
    let outcome: CommandRunner.Outcome
    let object: [String: Any]

    init(_ outcome: CommandRunner.Outcome) throws {
        self.outcome = outcome
        object = try #require(try JSONSerialization.jsonObject(with: Data(outcome.bytes)) as? [String: Any])
    }

    var verdict: [String: Any] { object["verdict"] as? [String: Any] ?? [:] }
    var contents: [String: Any]? { object["contents"] as? [String: Any] }
    var fields: [[String: Any]] { object["fields"] as? [[String: Any]] ?? [] }

    func field(_ name: String) -> [String: Any]? { fields.first { $0["name"] as? String == name } }

    func fault(_ name: String) -> String? { field(name)?["fault"] as? String }
}

extension CofferSession {
    /// Inspects a file both ways, and checks that both end alike and keep to the width of a terminal.
    func inspect(_ path: String, _ options: [String] = []) throws -> (text: CommandRunner.Outcome, json: Inspection) {
        let text = try runner.run(["inspect", path] + options)
        let json = try Inspection(runner.run(["inspect", path, "--json"] + options))
        #expect(text.code == json.outcome.code && text.messages == json.outcome.messages)
        #expect(json.verdict["exitCode"] as? Int == Int(text.code))
        let name = json.verdict["class"] as? String ?? ""
        #expect(text.output.hasSuffix("\nverdict: \(name), exit code \(text.code)\n"))
        #expect(text.output.components(separatedBy: "exit code").count == 2)
        #expect((json.verdict["message"] as? String != nil) == (text.code != 0))
        for line in text.output.split(separator: "\n") where !line.contains(path) {
            #expect(line.count <= 80, "\(line)")
        }
        return (text, json)
    }
}
