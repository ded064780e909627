/// Checks the contents of cache files, which are untrusted input: another program may have written them.
extension CacheFile.Record {
    /// The first field with a value that Ferry never writes, or `nil` if the record is valid.
    var flaw: String? {
        guard (stored == nil) != (variants == nil) else { return "stored" }
        if let flaw = stored?.flaw ?? variants?.flaw { return flaw }
        guard bodyLength >= 0, bodyName != nil || bodyLength == 0 else { return "bodyLength" }
        guard let bodyName else { return nil }
        // Otherwise another file of the cache could be read or deleted as a body.
        let isBody = bodyName.hasSuffix(CacheFolder.bodySuffix) && CacheFolder.isName(bodyName)
        return isBody && variants == nil ? nil : "bodyName"
    }
}

extension CacheFile.Variants {
    fileprivate var flaw: String? {
        guard !names.isEmpty, names.allSatisfy(HeaderRule.isToken) else { return "names" }
        // It becomes part of a file's name.
        let digits = generation.utf8
        let isHexadecimal = digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return digits.count == CacheFolder.generationLength && isHexadecimal ? nil : "generation"
    }
}

extension StoredResponse {
    /// From 1970 to the end of the year 9999: the dates that HTTP can express, with which arithmetic stays finite.
    private static let times = 0.0...253_402_300_799

    fileprivate var flaw: String? {
        guard head.version.hasPrefix("HTTP/"), HeaderRule.isValue(head.version) else { return "version" }
        guard (200...599).contains(head.status) else { return "status" }
        let areFields = head.fields.allSatisfy { field in
            !field.name.isEmpty && HeaderRule.isValue(field.name) && HeaderRule.isValue(field.value)
        }
        guard areFields else { return "fields" }
        guard Self.times.contains(requestTime.timeIntervalSince1970) else { return "requestTime" }
        guard Self.times.contains(responseTime.timeIntervalSince1970) else { return "responseTime" }
        guard selectingNames.allSatisfy(HeaderRule.isToken) else { return "selectingNames" }
        return nil
    }
}
