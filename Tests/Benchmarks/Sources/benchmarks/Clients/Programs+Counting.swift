import BenchmarkSupport
import Foundation

/// A command that counts something while it runs, and the file that it writes the number to.
struct Counting {
    let command: [String]
    var environment: [String: String] = [:]
    /// The text before the number in the file.
    var label = ""
    let file: URL

    /// Returns the number of the last run.
    func number() throws -> Int {
        let text = try String(contentsOf: file, encoding: .utf8)
        let digits = text.components(separatedBy: label).last ?? text
        guard let number = Int(digits.prefix { !$0.isNewline }.trimmingCharacters(in: .whitespaces)) else {
            throw BenchmarkError("\(file.lastPathComponent) has no number")
        }
        return number
    }
}

extension Programs {
    /// Throws the reason why a counter cannot be used on this machine.
    func prepare(_ counter: Counter) throws {
        switch counter {
        case .allocations: _ = try allocationCounter.get()
        case .instructions:
            do {
                _ = try Command.run(["valgrind", "--version"], in: folder.makeFolder("valgrind"), seconds: 20)
            } catch {
                throw BenchmarkError("valgrind is not installed")
            }
        }
    }

    /// Returns the command that runs a client and counts.
    func counting(_ counter: Counter, _ command: [String], writingTo file: URL) throws -> Counting {
        switch counter {
        case .allocations:
            let environment = [
                "LD_PRELOAD": try allocationCounter.get().path, "FERRY_ALLOCATIONS_FILE": file.path,
            ]
            return Counting(command: command, environment: environment, file: file)
        case .instructions:
            let options = ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=\(file.path)"]
            let program = try stripped(URL(fileURLWithPath: command.first ?? ""))
            let words = ["valgrind"] + options + [program.path] + command.dropFirst()
            return Counting(command: words, label: "Collected : ", file: file)
        }
    }

    /// Returns a copy of a program without debugging information, which valgrind 3.19 cannot read.
    private func stripped(_ program: URL) throws -> URL {
        let copy = folder.url.appending(path: program.lastPathComponent + ".stripped")
        if !FileManager.default.fileExists(atPath: copy.path) {
            let words = ["strip", "--strip-debug", "-o", copy.path, program.path]
            _ = try Command.run(words, in: folder.makeFolder("strip"), seconds: 60)
        }
        return copy
    }
}
