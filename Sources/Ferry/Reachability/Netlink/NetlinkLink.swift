import Foundation

/// A network interface as the kernel describes it (`struct ifinfomsg` of rtnetlink(7)).
struct NetlinkLink: Sendable, Hashable {
    private static let headLength = 16

    var index: Int32
    var flags: UInt32
    var name: String

    /// Whether it is switched on and has a carrier (`IFF_UP` and `IFF_RUNNING`).
    var isUp: Bool { flags & 0x41 == 0x41 }

    /// Whether it is a loopback interface (`IFF_LOOPBACK`).
    var isLoopback: Bool { flags & 0x8 != 0 }

    /// Creates a link from its parts.
    init(index: Int32, flags: UInt32, name: String) {
        self.index = index
        self.flags = flags
        self.name = name
    }

    /// Reads a link; nil if the message does not contain one.
    init?(_ message: NetlinkMessage) {
        guard message.type == NetlinkMessage.Kind.newLink, message.payload.count >= Self.headLength,
            let index = message.payload.number(Int32.self, at: 4),
            let flags = message.payload.number(UInt32.self, at: 8)
        else { return nil }
        let interfaceName: UInt16 = 3
        let text = message.attributes(after: Self.headLength)[interfaceName] ?? []
        self.index = index
        self.flags = flags
        name = String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Returns the payload of a request for all links.
    static func dump() -> [UInt8] {
        Array(repeating: 0, count: headLength)
    }

    /// The kind of the interface according to sysfs.
    var kind: ReachabilityRule.InterfaceKind {
        // The kernel's names contain no slash, but the name ends up in a path and so is checked.
        guard !name.isEmpty, !name.contains("/"), name != "..", name != "." else { return .other }
        let folder = URL(fileURLWithPath: "/sys/class/net").appendingPathComponent(name)
        return ReachabilityRule.kind(
            type: try? String(contentsOf: folder.appendingPathComponent("type"), encoding: .utf8),
            uevent: try? String(contentsOf: folder.appendingPathComponent("uevent"), encoding: .utf8)
        )
    }
}
