import Ferry

/// A file that is named on the command line and read as a whole.
enum InputFile {
    /// The content of a file; `-` stands for standard input.
    static func content(_ name: String) throws(CommandFailure) -> Data {
        let path = name == "-" ? "/dev/stdin" : name
        guard let file = fopen(path, "rb") else { throw .file(path, "cannot be read", errno: errno) }
        defer { fclose(file) }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            data.append(contentsOf: buffer.prefix(count))
            if ferror(file) != 0 { throw .file(path, "cannot be read", errno: errno) }
            if count == 0 { return data }
        }
    }
}
