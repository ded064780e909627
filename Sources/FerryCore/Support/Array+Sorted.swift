extension Array {
    /// Returns the index of the first element of a sorted array that does not come before a place; the count if all do.
    package func insertionIndex(isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
