import Foundation

/// A file system of 64 KiB, which is unmounted with the last reference to the object; that needs root.
package final class SmallDisk: Sendable {
    package let folder: TemporaryFolder

    package static let isPossible = geteuid() == 0 && (try? SmallDisk()) != nil

    package init() throws {
        folder = try TemporaryFolder()
        guard mount("none", folder.url.path, "tmpfs", 0, "size=64k") == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Enlarges the file system to 64 MiB.
    package func enlarge() -> Bool {
        mount("none", folder.url.path, "tmpfs", UInt(MS_REMOUNT), "size=64m") == 0
    }

    deinit { umount2(folder.url.path, Int32(MNT_DETACH)) }
}
