import Foundation
import Testing

@testable import FerryCore

@Suite("Random UUIDs") struct UUIDTests {
    @Test("Random UUIDs have the bits of version 4, and differ") func random() {
        let made = (0..<1_000).map { _ in UUID.random }
        #expect(Set(made).count == made.count)
        for uuid in made {
            let bytes = uuid.uuid
            #expect(bytes.6 >> 4 == 4 && bytes.8 >> 6 == 2)
        }
        // The other bits take both values.
        let text = made.map(\.uuidString)
        #expect(Set(text.map { $0.prefix(1) }).count == 16 && Set(text.map { $0.suffix(1) }).count == 16)
    }
}
