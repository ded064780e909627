/// Folders that only the user of the process can write.
package enum PrivateFolder {
    /// Creates a folder with access for the user only, or checks that one belongs to the user and others cannot write
    /// it.
    package static func prepare(_ path: String) throws(FileError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw FileError("create", path: path) }
        var info = stat()
        guard stat(path, &info) == 0 else { throw FileError("examine", path: path) }
        guard info.st_mode & S_IFMT == S_IFDIR else { throw FileError("open", path: path, code: ENOTDIR) }
        guard info.st_uid == geteuid() else { throw FileError("open", path: path, reason: .foreignOwner) }
        guard info.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw FileError("open", path: path, reason: .writableByOthers)
        }
    }
}
