extension ProgressBoard {
    /// One transfer on the board.
    struct Item: Sendable {
        let board: ProgressBoard
        let number: Int

        /// What has been moved so far.
        func update(_ completed: Int64) {
            board.change(number) { $0.completed = completed }
        }

        /// What has been sent so far, and how much it is to be; negative where nobody knows.
        func update(_ completed: Int64, of total: Int64, isUpload: Bool) {
            board.change(number) { line in
                line.completed = completed
                line.total = total < 0 ? nil : total
                line.isUpload = isUpload
            }
        }

        /// The response begins, with what was there already.
        func begin(at offset: Int64, of total: Int64?) {
            board.restart(number, at: offset, of: total)
        }

        func rename(_ name: String) {
            board.change(number) { $0.name = TextStyle.printable(name) }
        }

        /// The transfer is over.
        func end(isComplete: Bool) {
            board.end(number, isComplete: isComplete)
        }
    }
}
