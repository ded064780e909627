/// The journal of a durable session, and the tasks that an earlier process has left.
///
/// Records are written without waiting for the disk, unless the options ask for it: they survive the process, and the
/// file system writes them soon.
final class DurableTasks: Sendable {
    private struct State: Sendable {
        var records: [Int: DurableRecord] = [:]
        /// Records that could not be written, for example because the disk is full; they are written with the next one.
        var unwritten: [DurableRecord] = []
        /// The tasks of an earlier process that are not complete.
        var earlier: Set<Int> = []
        /// Whether the delegate must be notified when no task of an earlier process is left.
        var hasEarlier = false
        var lastID = 0
        /// The number of bytes of the journal when it was last replaced.
        var replacedBytes: Int64 = 0
    }

    let folder: URL
    private let keepsSecrets: Bool
    private let synchronizes: Bool
    private let lock: RegularFile
    private let journal: Journal
    private let state = Mutex(State())

    /// The size in bytes below which the journal is not replaced.
    private static let minimumReplaced: Int64 = 1_048_576

    /// Opens the folder of a session, which no other session may have, and reads the journal.
    init(_ durability: CurlSession.Options.Durability) throws(CurlSessionError) {
        let name = durability.identifier
        guard name.wholeMatch(of: /[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}/) != nil else {
            let rule = "must be 1 to 100 of the characters A-Z a-z 0-9 - _ . and not begin with ."
            throw CurlSessionError(.durabilityUnavailable, "The identifier \(name.debugDescription) \(rule)")
        }
        let parent = durability.directory.standardizedFileURL.path
        (keepsSecrets, synchronizes) = (durability.keepsSecrets, durability.synchronizes)
        folder = URL(fileURLWithPath: parent + "/" + name, isDirectory: true)
        do throws(FileError) {
            for path in [parent, folder.path] { try PrivateFolder.prepare(path) }
            lock = try RegularFile(updating: folder.path + "/lock")
            journal = Journal(path: folder.path + "/journal")
        } catch {
            throw CurlSessionError(.durabilityUnavailable, "The durable session cannot be used: \(error.description)")
        }
        guard lock.tryLock() else {
            let text = "Another session, maybe of another process, has the identifier \(name) in \(parent)"
            throw CurlSessionError(.durabilityUnavailable, text)
        }
        do {
            try load()
        } catch {
            let text = (error as? FileError)?.description ?? error.localizedDescription
            throw CurlSessionError(.durabilityUnavailable, "The journal of the durable session cannot be used: \(text)")
        }
    }

    /// Reads the journal, replaces it by the records that are still needed, and deletes files that belong to no task.
    private func load() throws {
        try state.withLock { state in
            try journal.update(synchronized: false) { changes in
                for record in changes.records.compactMap(DurableRecord.init) {
                    state.records[record.id] = record
                    state.lastID = max(state.lastID, record.id)
                }
                for (id, record) in state.records where record.hasEnded {
                    let path = record.partial.map { folder.path + "/" + $0.name }
                    if path.map({ access($0, F_OK) != 0 }) ?? true { state.records[id] = nil }
                }
                return .none
            }
            state.earlier = Set(state.records.values.filter { !$0.hasEnded }.map(\.id))
            state.hasEarlier = !state.earlier.isEmpty
            let used = Set(state.records.values.compactMap(\.partial?.name))
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for name in names where DownloadFile.isName(name) && !used.contains(name) {
                unlink(folder.path + "/" + name)
            }
            do {
                try journal.update(synchronized: true) { _ in .replace(try Self.replacement(state.records, &state)) }
            } catch let error as FileError where error.code == ENOSPC || error.code == EDQUOT {
                // The longer journal can still be used, and tasks that are cancelled make room.
            }
        }
    }

    /// The greatest identifier of a task in the journal.
    var lastID: Int { state.withLock { $0.lastID } }
    /// The records of the tasks that an earlier process has left, in the order of their creation.
    var earlier: [DurableRecord] {
        state.withLock { state in state.earlier.compactMap { state.records[$0] }.sorted { $0.id < $1.id } }
    }

    /// Returns whether a task is one that an earlier process has left.
    func isEarlier(_ id: Int) -> Bool { state.withLock { $0.earlier.contains(id) } }

    // MARK: - The tasks' side

    /// Writes a task to the journal before it runs; throws if that is not possible.
    func keep(_ id: Int, _ request: URLRequest, upload: URL?, _ change: (inout DurableRecord) -> Void) throws {
        guard var record = DurableRecord(id: id, request, upload: upload, keepsSecrets: keepsSecrets) else { return }
        change(&record)
        try state.withLock { state in
            record.partial = state.records[id]?.partial ?? record.partial
            if !keepsSecrets { record.partial?.removeUser() }
            try write(record, &state, isNew: true)
        }
    }

    func note(_ id: Int, _ change: (inout DurableRecord) -> Void) {
        state.withLock { state in
            guard var record = state.records[id] else { return }
            change(&record)
            if !keepsSecrets { record.partial?.removeUser() }
            guard record != state.records[id] else { return }
            do {
                try write(record, &state)
            } catch {
                // The earlier record keeps the task; the change is written with the next record.
                state.records[id] = record
                state.unwritten.removeAll { $0.id == id }
                state.unwritten.append(record)
            }
        }
    }

    /// Ends a task, whose completion was delivered, and returns whether the delegate must be notified, since no task of
    /// an earlier process is left.
    ///
    /// `keepsFile` is whether its partial file belongs to resume data.
    func end(_ id: Int, keepsFile: Bool) -> Bool {
        note(id) { record in
            record.hasEnded = true
            if !keepsFile { record.partial = nil }
        }
        return state.withLock { state in
            state.earlier.remove(id)
            guard state.hasEarlier, state.earlier.isEmpty else { return false }
            state.hasEarlier = false
            return true
        }
    }

    /// Writes a record; for a new task, a long journal is also replaced, for which the caller waits.
    private func write(_ record: DurableRecord, _ state: inout State, isNew: Bool = false) throws {
        var records = state.records
        records[record.id] = record.hasEnded && record.partial == nil ? nil : record
        try journal.update(synchronized: isNew && synchronizes) { changes in
            let largest = Int64(Journal.maximumBytes / 2)
            let most = isNew ? max(Self.minimumReplaced, min(4 * state.replacedBytes, largest)) : largest
            guard changes.size > most else {
                return .append(try (state.unwritten + [record]).map { try $0.data })
            }
            return .replace(try Self.replacement(records, &state))
        }
        state.records = records
        state.unwritten = []
    }

    /// Returns the records that replace the journal, and notes their size.
    private static func replacement(_ records: [Int: DurableRecord], _ state: inout State) throws -> [Data] {
        let lines = try records.values.sorted { $0.id < $1.id }.map { try $0.data }
        state.replacedBytes = lines.reduce(0) { $0 + Journal.size(of: $1) }
        return lines
    }
}
