/// The questions for a stream of the body that the delegate has not answered yet.
///
/// An attempt may fail while the delegate looks for the stream for a retry of an earlier one, so that a second question
/// follows. The answers come in the order of the questions, and only the last one is used, if it is still wanted.
struct StreamQuestions {
    private var open = 0
    private var isWanted = false

    mutating func ask() { (open, isWanted) = (open + 1, true) }
    mutating func withdraw() { isWanted = false }

    /// Returns whether the answer that has come is the one to use.
    mutating func noteAnswer() -> Bool {
        open = max(0, open - 1)
        guard open == 0, isWanted else { return false }
        isWanted = false
        return true
    }
}
