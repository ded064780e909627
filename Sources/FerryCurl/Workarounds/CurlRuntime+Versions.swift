// For the versions of libcurl in the ranges below. `WorkaroundTests` notices when none of a range's versions is
// supported any more.

extension CurlRuntime {
    /// 8.4 to 8.6 send no more of a request's head than two of their buffers hold.
    package static let versionsTruncatingHeads = 0x08_04_00..<0x08_07_00
    /// 8.10 to 8.14 read from the sockets of paused handles.
    package static let versionsReadingWhilePaused = 0x08_0A_00..<0x08_0F_00
    /// 8.13 and later omit a request's header field of ``longestField`` bytes or more without an error.
    package static let versionsOmittingFields = 0x08_0D_00..<Int.max
    /// Before 7.85 the names that end with `.localhost` are looked up like others.
    package static let versionsLookingUpLocalhost = 0..<0x07_55_00
    /// From 7.83 to 8.0, a handle keeps a pointer to the last field of the previous response, which was freed, and
    /// appends a folded line at the beginning of the next response to that memory (curl #11101).
    package static let versionsWithDanglingHeaders = 0x07_53_00..<0x08_01_00
    /// 7.88 sends the preface of HTTP/2 again on a connection of prior knowledge that it uses again (curl #10634).
    package static let versionsRepeatingPrefaces = 0x07_58_00..<0x08_00_00
    /// 7.88 waits until a connection of HTTP/2 is writable although the window of a stream is closed.
    package static let versionsIgnoringClosedWindows = 0x07_58_00..<0x08_00_00
    /// Before 8.1, streams of an HTTP/2 connection that has ended may be reported as complete, and a request that the
    /// server refuses together with all others (`GOAWAY`) as an error of HTTP/2.
    package static let versionsConfusingStreamEnds = 0..<0x08_01_00
    /// Before 8.1, the end of a body of unknown length mixes up the order of what was received of paused streams on its
    /// connection of HTTP/2.
    package static let versionsMixingUpPausedStreams = 0..<0x08_01_00
    /// Before 8.5 the end of a connection is not reported while the body of the request has no bytes to send.
    package static let versionsHidingCutResponses = 0..<0x08_05_00
    /// Before 8.7, after a request that is sent without its body, to be asked for a credential, other requests on its
    /// connection are sent without theirs too.
    package static let versionsOmittingBodies = 0..<0x08_07_00
    /// Before 8.7, bytes after a response without a body are dropped, and its connection is used again.
    package static let versionsDroppingExcess = 0..<0x08_07_00
    /// 8.5 reads from a paused socket that is reported as ready; the other versions of these ranges may do so too.
    package static let versionsReadingPausedSockets = [0..<0x07_58_00, 0x08_01_00..<0x08_0E_00]

    /// Whether a libcurl may never send a request that uses a connection of HTTP/3 again.
    ///
    /// With OpenSSL's own QUIC, of which libcurl 8.14 names only the library above it, curl's program waited for its
    /// timeout in 10 of 300 runs with three requests on a connection, and in none of 400 with one.
    package static func losesRequests(_ quicLibraries: String) -> Bool { quicLibraries.hasPrefix("nghttp3/") }

    // What this libcurl does, as described above.
    var truncatesLargeHeads: Bool { Self.versionsTruncatingHeads.contains(versionNumber) }
    var hidesCutResponses: Bool { Self.versionsHidingCutResponses.contains(versionNumber) }
    var dropsExcess: Bool { Self.versionsDroppingExcess.contains(versionNumber) }
    var omitsBodies: Bool { Self.versionsOmittingBodies.contains(versionNumber) }
    var mixesUpPausedStreams: Bool { Self.versionsMixingUpPausedStreams.contains(versionNumber) }
    var hasDanglingHeaders: Bool { Self.versionsWithDanglingHeaders.contains(versionNumber) }
    var readsWhilePaused: Bool { Self.versionsReadingWhilePaused.contains(versionNumber) }
    var ignoresClosedWindows: Bool { Self.versionsIgnoringClosedWindows.contains(versionNumber) }
    var repeatsPrefaces: Bool { Self.versionsRepeatingPrefaces.contains(versionNumber) }
    package var confusesStreamEnds: Bool { Self.versionsConfusingStreamEnds.contains(versionNumber) }
    var knowsLocalhostNames: Bool { !Self.versionsLookingUpLocalhost.contains(versionNumber) }
    /// The number of bytes of a header field from which this libcurl omits it; `nil` if it omits none.
    var longestField: Int? { Self.versionsOmittingFields.contains(versionNumber) ? 307_200 : nil }
    /// Whether this libcurl must examine all transfers in each turn, instead of those whose sockets are ready.
    var mustExamineAll: Bool { Self.versionsReadingPausedSockets.contains { $0.contains(versionNumber) } }
}
