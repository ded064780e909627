/// The last record of each transfer of a queue, and the size of these records in its journal.
struct QueueRecords: Sendable {
    private struct Entry: Sendable {
        var record: QueueRecord
        var bytes: Int64
    }

    /// A record, and its line in the journal.
    struct Written: Sendable {
        let record: QueueRecord
        let data: Data

        init(_ record: QueueRecord) throws { (self.record, data) = (record, try record.data) }

        /// Reads a record of a journal; `nil` if it is not valid.
        init?(_ data: Data) {
            guard let record = QueueRecord(data) else { return nil }
            (self.record, self.data) = (record, data)
        }

        var bytes: Int64 { Journal.size(of: data) }
        fileprivate var liveBytes: Int64 { record.state == .removed ? 0 : bytes }
    }

    private var entries: [Int: Entry] = [:]
    /// The size in bytes of a journal with only the last records.
    private(set) var bytes: Int64 = 0
    /// The greatest number that a transfer has had, also a removed one.
    private(set) var lastID = 0

    var count: Int { entries.count }
    /// The records in the order in which the transfers begin.
    var inOrder: [QueueRecord] { entries.values.map(\.record).sorted(by: QueueLine.isBefore) }

    subscript(id: Int) -> QueueRecord? { entries[id]?.record }

    /// Replaces the record of a transfer, and returns the earlier one.
    @discardableResult
    mutating func take(_ new: Written) -> QueueRecord? {
        let id = new.record.id
        let old = entries[id]
        entries[id] = new.record.state == .removed ? nil : Entry(record: new.record, bytes: new.bytes)
        bytes += new.liveBytes - (old?.bytes ?? 0)
        lastID = max(lastID, id)
        return old?.record
    }

    /// Returns the value of ``bytes`` after adding new records, at most one for each transfer.
    func bytes(with new: [Written]) -> Int64 {
        new.reduce(bytes) { $0 + $1.liveBytes - (entries[$1.record.id]?.bytes ?? 0) }
    }

    /// Returns the last record of each transfer, and that of the greatest number, so that it is not used again.
    func compacted(with new: [Written]) throws -> [Data] {
        var last = entries.mapValues(\.record)
        for record in new.map(\.record) { last[record.id] = record.state == .removed ? nil : record }
        var kept = last.values.sorted { $0.id < $1.id }
        let highest = max(lastID, new.map(\.record.id).max() ?? 0)
        if highest > 0, last[highest] == nil { kept.append(QueueRecord(id: highest, priority: 0).removed) }
        return try kept.map { try $0.data }
    }
}

/// The limits on the size of a queue and its journal.
///
/// The last records and one change of each fit into a journal, so that the journal of a queue can always be read and
/// replaced.
struct QueueLimits: Sendable {
    var transfers = 1_000_000
    /// The limit on the bytes of the last records when transfers are added.
    var liveBytes: Int64 = 268_435_456
    /// The least and the greatest number of bytes beyond the last records at which a journal is replaced.
    var outdatedBytes: ClosedRange<Int64> = 1_048_576...67_108_864
    var journalBytes = Journal.maximumBytes

    /// Returns the size at which a journal is replaced, given the size of its last records, in bytes.
    func sizeOfReplacement(_ live: Int64) -> Int64 {
        let outdated = max(outdatedBytes.lowerBound, min(3 * live, outdatedBytes.upperBound))
        return min(live + outdated, Int64(journalBytes))
    }
}
