internal import CFerry

/// Lists of lines as libcurl reads them (`struct curl_slist`), each in one block of memory.
enum LineList {
    typealias Pointer = UnsafeMutablePointer<ferry_list_node>

    /// Returns the lines in front of the list `end`; `end` itself if there are no lines.
    static func make(_ lines: ArraySlice<String>, before end: Pointer?) -> Pointer? {
        if lines.isEmpty { return end }
        let textSize = lines.reduce(0) { $0 + $1.utf8.count + 1 }
        let nodesSize = lines.count * MemoryLayout<ferry_list_node>.stride
        let alignment = MemoryLayout<ferry_list_node>.alignment
        let block = UnsafeMutableRawPointer.allocate(byteCount: nodesSize + textSize, alignment: alignment)
        let nodes = block.bindMemory(to: ferry_list_node.self, capacity: lines.count)
        var text = (block + nodesSize).bindMemory(to: CChar.self, capacity: textSize)
        for (index, line) in lines.enumerated() {
            let next = index + 1 < lines.count ? nodes + (index + 1) : end
            (nodes + index).initialize(to: ferry_list_node(data: text, next: next))
            let size = line.utf8.count + 1
            line.withCString { text.initialize(from: $0, count: size) }
            text += size
        }
        return nodes
    }

    /// Frees a list, but not the shared list at its end.
    static func free(_ list: Pointer?) { list.map { UnsafeMutableRawPointer($0).deallocate() } }
}
