/// The transfers of a queue: its journal, the records that were read from it, and which transfers run.
///
/// The journal and the records are used on a dispatch queue of their own, since that may wait for the disk.
///
/// `@unchecked Sendable`: the variables are used only on the queue.
final class QueueStore: @unchecked Sendable {
    private let queue = FileQueue(convert: TransferQueueError.init)
    private let journal: Journal
    private let limits: QueueLimits
    private var records = QueueRecords()
    /// The transfers that wait and are not claimed.
    private var line = QueueLine()
    /// The transfers that this process runs, or will run again after a delay.
    private var claimed: Set<Int> = []
    private var damaged = 0

    let folder: String
    var runPath: String { folder + "/run.lock" }

    /// Opens the folder of a queue, or creates it, and reads the journal.
    init(folder: String, limits: QueueLimits = QueueLimits()) async throws {
        (self.folder, self.limits) = (folder, limits)
        journal = Journal(path: folder + "/journal", maximumBytes: limits.journalBytes)
        try await run { store in
            try PrivateFolder.prepare(folder)
            try store.update()
        }
    }

    private func run<Value: Sendable>(_ work: @escaping @Sendable (QueueStore) throws -> Value) async throws -> Value {
        try await queue.run { [self] in try work(self) }
    }

    // MARK: - The journal

    /// Reads the records of other processes, and writes, adopts and returns the records that `change` returns.
    ///
    /// If `synchronized`, they are on the disk then. Throws a ``TransferQueueError`` if the last records of all
    /// transfers would have more than `maximumBytes`.
    @discardableResult
    private func update(
        synchronized: Bool = false,
        maximumBytes: Int64 = .max,
        _ change: () throws -> [QueueRecord] = { [] }
    ) throws -> [QueueRecord] {
        var new: [QueueRecords.Written] = []
        try journal.update(synchronized: synchronized) { changes in
            if changes.isFromStart { (records, line) = (QueueRecords(), QueueLine()) }
            for record in changes.records.compactMap(QueueRecords.Written.init) { take(record) }
            damaged += changes.damaged
            new = try change().map(QueueRecords.Written.init)
            guard !new.isEmpty else { return .none }
            let live = records.bytes(with: new)
            guard live <= maximumBytes else {
                let text = "The transfers of a queue need at most \(maximumBytes) bytes, and these would need \(live)"
                throw TransferQueueError.invalidTransfer(text)
            }
            let size = new.reduce(changes.size) { $0 + $1.bytes }
            if size <= limits.sizeOfReplacement(live) { return .append(new.map(\.data)) }
            return .replace(try records.compacted(with: new))
        }
        for record in new { take(record) }
        return new.map(\.record)
    }

    private func take(_ new: QueueRecords.Written) {
        if let old = records.take(new) { line.remove(old) }
        let record = new.record
        if record.state == .waiting, !claimed.contains(record.id) { line.insert(record) }
    }

    /// Changes the record of a transfer, unless it was removed.
    private func amend(_ id: Int, _ change: (inout QueueRecord) -> Void) throws {
        try update {
            guard var record = records[id] else { return [] }
            change(&record)
            return [record]
        }
    }

    private func record(_ id: Int) throws(TransferQueueError) -> QueueRecord {
        guard let record = records[id] else { throw .unknownTransfer(id) }
        return record
    }

    // MARK: - The user's side

    /// Adds transfers with the next numbers, and returns the numbers when the transfers are on the disk.
    ///
    /// `note` is called with the numbers before a transfer can begin.
    func add(_ new: [QueueRecord], note: @escaping @Sendable ([Int]) -> Void) async throws -> [Int] {
        try await run { store in
            let added = try store.update(synchronized: true, maximumBytes: store.limits.liveBytes) {
                let most = store.limits.transfers
                guard store.records.count + new.count <= most else {
                    throw TransferQueueError.invalidTransfer("A queue has at most \(most) transfers")
                }
                return zip(new, (store.records.lastID + 1)...).map { record, id in
                    var record = record
                    record.id = id
                    return record
                }
            }
            let ids = added.map(\.id)
            note(ids)
            return ids
        }
    }

    /// Returns all transfers in order, and the numbers of those that this process runs.
    func all() async throws -> (records: [QueueRecord], claimed: Set<Int>) {
        try await run { store in
            if store.journal.hasChanged { try store.update() }
            return (store.records.inOrder, store.claimed)
        }
    }

    /// The number of records that could not be read.
    func damagedRecords() async throws -> Int { try await run { $0.damaged } }

    /// Changes a transfer, or all, where `change` returns a record; the changes are on the disk then.
    func change(_ id: Int?, _ change: @escaping @Sendable (QueueRecord) -> QueueRecord?) async throws {
        _ = try await run { store in
            try store.update(synchronized: true) {
                let chosen = try id.map { [try store.record($0)] } ?? store.records.inOrder
                return chosen.compactMap(change)
            }
        }
    }

    // MARK: - The runner's side

    /// Returns the next transfers to run, at most `count`, and those whose run must end.
    func next(_ count: Int) async throws -> (start: [QueueRecord], stop: [Int]) {
        try await run { store in
            if store.journal.hasChanged { try store.update() }
            var start: [QueueRecord] = []
            while start.count < count, let id = store.line.first, let record = store.records[id] {
                store.line.remove(record)
                store.claimed.insert(id)
                start.append(record)
            }
            return (start, store.claimed.filter { store.records[$0]?.state != .waiting }.sorted())
        }
    }

    /// Ends the run of a transfer, and returns its record as it is now; `nil` if it has been removed.
    ///
    /// `end` changes the record, unless it was removed meanwhile, or paused without having succeeded.
    @discardableResult
    func release(
        _ id: Int,
        isFinished: Bool,
        _ end: @escaping @Sendable (inout QueueRecord) -> Void
    ) async throws -> QueueRecord? {
        try await run { store in
            try store.amend(id) { record in
                if record.state == .waiting || (isFinished && record.state == .paused) { end(&record) }
            }
            // If the record cannot be written, the transfer stays claimed until ``releaseAll()``.
            let record = store.records[id]
            if store.claimed.remove(id) != nil, let record, record.state == .waiting { store.line.insert(record) }
            return record
        }
    }

    /// Ends the runs of all transfers that have not ended, which wait again.
    func releaseAll() async {
        _ = try? await run { store in
            for id in store.claimed {
                if let record = store.records[id], record.state == .waiting { store.line.insert(record) }
            }
            store.claimed = []
        }
    }

    func record(_ id: Int) async throws -> QueueRecord { try await run { try $0.record(id) } }

    /// Records the URL of an upload that the server has created; without it, the upload would begin again.
    func noteLocation(_ location: FileUpload.Location?, of version: FileVersion?, for id: Int) {
        queue.add { [self] in
            // An error is ignored, since writing the end of the upload will fail too.
            try? amend(id) { $0.upload?.note(location, of: version) }
        }
    }

    /// Records a change of a running transfer.
    func note(_ id: Int, _ change: @escaping @Sendable (inout QueueRecord) -> Void) async throws {
        try await run { try $0.amend(id, change) }
    }
}

/// The waiting transfers, sorted by descending priority and then by number.
struct QueueLine {
    private var places: [(priority: Int, id: Int)] = []

    static func isBefore(_ left: QueueRecord, _ right: QueueRecord) -> Bool {
        isBefore((left.priority, left.id), (right.priority, right.id))
    }

    private static func isBefore(_ left: (priority: Int, id: Int), _ right: (priority: Int, id: Int)) -> Bool {
        left.priority != right.priority ? left.priority > right.priority : left.id < right.id
    }

    var first: Int? { places.first?.id }

    mutating func insert(_ record: QueueRecord) { places.insert((record.priority, record.id), at: index(of: record)) }

    mutating func remove(_ record: QueueRecord) {
        let index = index(of: record)
        if index < places.count, places[index].id == record.id { places.remove(at: index) }
    }

    /// Returns the index of the record's place, or the index at which to insert it.
    private func index(of record: QueueRecord) -> Int {
        let place = (record.priority, record.id)
        return places.insertionIndex(isBefore: { Self.isBefore($0, place) })
    }
}
