extension RegularFile {
    /// Throws if it cannot be said that all was written, and keeps the file open and locked.
    ///
    /// A full or remote disk may report a write error only when a descriptor is closed, which may be a copy. It is not
    /// known then which bytes are missing, so the file is emptied.
    package func requireWritten() throws(FileError) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw FileError("close", path: path) }
        guard closeDescriptor(copy) == 0 || errno == EINTR else {
            let error = FileError("close", path: path)
            try? truncate(to: 0)
            throw error
        }
    }
}

/// Calls `close`, under a name that no method shadows.
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }
