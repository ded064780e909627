import FerrySession

/// Bodies in codings that tests cannot produce, made by the tools of zlib, brotli and zstd.
enum Samples {
    /// The content of all samples.
    static let text = Data(String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 20).utf8)

    static let gzip = decoded(
        "H4sIAAAAAAACAwvJSFUoLM1MzlZIKsovz1NIy69QyCrNLShWyC9LLVIoAUrnJFZVKqTkp+sphIwqHlU8qpjaigHmSmawhAMAAA=="
    )
    static let deflate = decoded(
        "eNoLyUhVKCzNTM5WSCrKL89TSMuvUMgqzS0oVsgvSy1SKAFK5yRWVSqk5KfrKYSMKh5VPKqY2ooBR6VDHA=="
    )
    static let rawDeflate = decoded(
        "C8lIVSgszUzOVkgqyi/PU0jLr1DIKs0tKFbIL0stUigBSuckVlUqpOSn6ymEjCoeVTyqmNqKAQ=="
    )
    static let brotli = decoded(
        "G4MDiCwOeNPQlV2XELsXK6nK0JLMjK1BXObyNsgZnp4Ke4MNOHBIIG8kvkGnFc4cHieqKTjCibhPgwE="
    )
    /// With a checksum.
    static let zstd = decoded(
        "KLUv/QRotQEA1AJUaGUgcXVpY2sgYnJvd24gZm94IGp1bXBzIG92ZXIgdGhlIGxhenkgZG9nLiABAKUKK1UGWRP6hQ=="
    )
    static let gzipTwice = decoded(
        "H4sIAAAAAAACA5Pv5mAAASZm7pMeoRo6Z33OhXlondI/H+xxen3ACa2zuhphJ/S9dYM0GL2eq4SFai15svy1ZkuPllyozaoZt7oYn3ml"
            + "bWhhZmAAAIn9K6xJAAAA"
    )
    /// 64 MiB of zeros, compressed twice, in 269 bytes.
    static let bomb = decoded(
        "H4sIAAAAAAACA+3cr05CcRTA8YtcNyYbYiAZ5BGIFAYazAbNjgcgkmVzJgsvQWZjc7PSeAO02f0TnDM5L9z7GL/z+aSTTzw7+549NrLS"
            + "Qf1jXavth9n8f/nVOMoAAACAxM1e7+vlMSDrFtvLqxsAAAAgdePjVl4dBf5uT8+tAwAAAJL3MOi3qw+B77tJbh0AAACQvM7v26i6BWyK"
            + "p5Nr+wAAAIDkvQgGAAAAQCiCAQAAABCLYAAAAADEIhgAAAAAwQgGAAAAQCyCAQAAABCLYAAAAADEIhgAAAAAwQgGAAAAQCyCAQAAABDL"
            + "YtDvlo8B7Z9iOrw4zAAAAIjkufnZe1/th3wHPEzs+uL+AAA="
    )
    /// 1 GiB of zeros, compressed three times, in 265 bytes.
    static let greatBomb = decoded(
        "H4sIAAAAAAACA5Pv5mAAASbmt3cW5gUXyrQ9LFuboWamtkzgsZpHmkcXY/cNkSTFmTMdFt1OWWBwh1NCj0GknKF4d0NqUmQA99K3vjqW"
            + "7z/P+H/R/ufTJ7a/bKRz3/jk1fUcf93/dHp9fH76bmWg4QkPpoVPn3xWwqBq26+/r85qAoUMSt5/+77sduCDh29eej8HCjQc/P3l0Y+T"
            + "3/gbdx/9vbIYKHLggey/vfPytzfEr37Prv6OESjU/N3dAOTaIBZmILnAFcyJAnMU3JA4ozKjMqMyozKjMqMyBGX0vn1Pm6374PHfR4df"
            + "X1Su/vf2+c/bX63/819Jbz1z4g0/AwDYL/M5IwcAAA=="
    )

    private static func decoded(_ string: String) -> Data {
        Data(base64Encoded: string) ?? Data()
    }
}
