/// File functions of the workloads.
public enum Files {
    /// Moves a file, replacing one at the destination, and returns its size.
    public static func move(_ url: URL, to destination: URL) throws -> Int {
        guard rename(url.path, destination.path) == 0 else {
            throw BenchmarkError("The file cannot be moved to \(destination.path): \(String(cString: strerror(errno)))")
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: destination.path)
        return attributes[.size] as? Int ?? 0
    }
}
