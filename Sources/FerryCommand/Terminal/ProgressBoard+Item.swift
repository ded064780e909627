extension ProgressBoard {
    /// One transfer on the board.
    struct Item: Sendable {
        let board: ProgressBoard
        let number: Int

        /// Sets the number of bytes transferred so far.
        func update(_ completed: Int64) {
            board.change(number) { $0.completed = completed }
        }

        /// Sets the number of bytes transferred so far and the total, which is negative if unknown.
        func update(_ completed: Int64, of total: Int64, isUpload: Bool) {
            board.change(number) { line in
                line.completed = completed
                line.total = total < 0 ? nil : total
                line.isUpload = isUpload
            }
        }

        /// Starts counting the response, from the bytes that a partial file already has.
        func begin(at offset: Int64, of total: Int64?) {
            board.restart(number, at: offset, of: total)
        }

        func rename(_ name: String) {
            board.change(number) { $0.name = TextStyle.printable(name) }
        }

        /// Removes the transfer from the board, and prints a summary if it is complete.
        func end(isComplete: Bool) {
            board.end(number, isComplete: isComplete)
        }
    }
}
