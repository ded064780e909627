import Foundation

/// An element of the JSON files, which are arrays of records.
public struct Record: Codable, Sendable, Equatable {
    /// A number.
    public var id: Int

    /// A name.
    public var name: String

    /// An address.
    public var email: String

    /// An amount.
    public var balance: Double

    /// A choice.
    public var isActive: Bool

    /// Words.
    public var tags: [String]

    /// Creates the record with a number; the same number always yields the same record.
    public init(id: Int) {
        self.id = id
        name = "Person number \(id)"
        email = "person.\(id)@example.com"
        balance = Double(id * 37 % 10_000) / 4
        isActive = id % 3 == 0
        tags = ["first", "second", "tag\(id % 10)"]
    }

    /// Returns a JSON array of records with exactly this many bytes, padded with spaces.
    public static func json(bytes: Int) throws -> Data {
        let encoder = JSONEncoder()
        var text = Data("[".utf8)
        var id = 0
        while true {
            let record = try encoder.encode(Record(id: id))
            guard text.count + record.count + 2 <= bytes else { break }
            if id > 0 { text.append(UInt8(ascii: ",")) }
            text.append(record)
            id += 1
        }
        text.append(UInt8(ascii: "]"))
        guard text.count <= bytes else { throw BenchmarkError("\(bytes) bytes are too few for a record") }
        text.append(Data(repeating: UInt8(ascii: " "), count: bytes - text.count))
        return text
    }
}
