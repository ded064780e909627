/// Finds the name that a misspelled one probably stands for.
enum NearestName {
    /// Returns a name that begins with `name`, or else the one with the smallest edit distance; `nil` if none is close.
    static func find(_ name: String, among names: [String]) -> String? {
        if name.count >= 3, let longer = names.first(where: { $0.hasPrefix(name) }) { return longer }
        let nearest = names.map { (name: $0, distance: distance(name, $0)) }.min { $0.distance < $1.distance }
        guard let nearest, nearest.distance <= max(1, name.count / 3) else { return nil }
        return nearest.name
    }

    /// Returns the number of insertions, deletions, replacements and swaps of neighbouring letters that turn one word
    /// into the other.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let replaced = last[column] + (letter == other ? 0 : 1)
                var best = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last.last ?? left.count
    }
}
