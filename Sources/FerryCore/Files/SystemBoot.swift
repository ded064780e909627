/// The current run of the system, which ends with a restart or a failure of power.
package enum SystemBoot {
    /// A number that changes when the system is started again.
    package static let number: UInt64 = {
        let path = "/proc/sys/kernel/random/boot_id"
        return ByteHash.of((try? RegularFile.contents(of: path, links: .refuse, limit: 100)) ?? Data())
    }()
}
