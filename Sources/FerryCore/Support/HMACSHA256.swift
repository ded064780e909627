/// Codes that authenticate a message with a secret key: HMAC (RFC 2104) with SHA-256.
package enum HMACSHA256 {
    /// Returns the code of a message, as 32 bytes; the key may have any length.
    package static func code(for message: Data, key: Data) -> Data {
        let blockSize = 64
        var block = Array(key.count > blockSize ? SHA256Hash.hash(key) : key)
        block.append(contentsOf: repeatElement(0, count: blockSize - block.count))
        let inner = SHA256Hash.hash(Data(block.map { $0 ^ 0x36 }) + message)
        return SHA256Hash.hash(Data(block.map { $0 ^ 0x5C }) + inner)
    }
}
