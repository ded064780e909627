import TestSupport
import Testing

@testable import FerrySession

/// Resume data is either valid or refused; nothing ends the process, which is a child process
/// here.
@Suite(.timeLimit(.minutes(10)), .ownThreads)
struct ResumeDataFuzzTests {
    @Test("Damaged resume data is refused with an error, or is valid") func resumeData() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let folder = URL(fileURLWithPath: "/tmp/ferry-fuzz", isDirectory: true)
                let file = folder.appendingPathComponent("ferry-\(UUID().uuidString).download")
                let url = try #require(URL(string: "http://user@a.test:8080/file?x=1"))
                let magic = Data("ferry-resume-data\n".utf8)
                let headers = ["Accept": "*/*", "X-Long": String(repeating: "x", count: 40)]
                let samples = try ["\"one\"", "Sun, 06 Nov 1994 08:49:37 GMT"].map { validator in
                    let record = ResumeData(
                        url: url,
                        originalURL: url,
                        headers: headers,
                        file: file,
                        offset: 1000,
                        expectedTotal: 2000,
                        validator: validator
                    )
                    return [UInt8](try #require(record.encoded()).dropFirst(magic.count))
                }
                var random = SeededGenerator(0xFE44)
                var (accepted, refused) = (0, 0)
                for round in 0..<Mutations.count {
                    let sample = samples[round % samples.count]
                    let isValue = round % 3 == 0
                    let bytes =
                        isValue
                        ? Mutations.replaceValue(sample, &random) : random.damage(sample)
                    do throws(CurlSessionError) {
                        let record = try ResumeData(magic + Data(bytes), folder: folder)
                        accepted += 1
                        let request = record.request
                        let fields = request.allHTTPHeaderFields ?? [:]
                        let texts = fields.map { $0.key + $0.value } + [record.validator]
                        let isSound =
                            record.offset > 0 && (record.expectedTotal ?? .max) >= record.offset
                            && record.file.path.hasPrefix(folder.path)
                            && texts.allSatisfy { $0.utf8.allSatisfy { $0 != 0x0D && $0 != 0x0A } }
                        try? Child.expect(isSound, "\(record)")
                        if !isSound { accepted = -1_000_000 }
                    } catch {
                        refused += 1
                        if error.code != .invalidResumeData { accepted = -1_000_000 }
                    }
                    ResumeData.discard(URLError(.cancelled).withResumeData(Data(bytes)))
                }
                try Child.expect(accepted > 0 && refused > 0, "\(accepted) accepted, \(refused) refused")
            }
        }
        Child.check(result?.standardOutputContent)
    }
}
