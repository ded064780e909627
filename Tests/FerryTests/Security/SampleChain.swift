import FerrySession
import Foundation

/// Certificates for the P-256 curve, created once with the `openssl` command and valid for a hundred years.
enum SampleChain {
    /// The root certificate.
    static let root = der(
        """
        MIIBkTCCATegAwIBAgIUMUuQX6G4Fvd1BCiwl5g4GYMGpGIwCgYIKoZIzj0EAwIwFTETMBEGA1UEAwwKRmVycnkgcm9vdDAgFw0y
        NjExMjEwNDA0MDRaGA8yMTI2MTAyODA0MDQwNFowFTETMBEGA1UEAwwKRmVycnkgcm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEH
        A0IABIMYVXphp+NqWA/rIEH1ryaT0aIEErlo4Z42REPkVNnBcXnOcwOxpeu/8rHkReDcrsBJPp3dUeFmL4SiPro/5CGjYzBhMB0G
        A1UdDgQWBBQXElxWowZCHX2vDPDSpTSmkY5TADAfBgNVHSMEGDAWgBQXElxWowZCHX2vDPDSpTSmkY5TADAPBgNVHRMBAf8EBTAD
        AQH/MA4GA1UdDwEB/wQEAwIBBjAKBggqhkjOPQQDAgNIADBFAiAkRg0gTciTZLb9o8+NIGCv9jkgMcOB0h9X7tJf9RtWiAIhAJ/u
        T0uDfY+Pr1OBA96BeDwCWiK9x7DakOyU2mpTvZaX
        """
    )

    /// An intermediate authority below the root.
    static let intermediate = der(
        """
        MIIBmjCCAT+gAwIBAgIUCvv9Nmn0et3G8zZNTpEzuT+Nzl0wCgYIKoZIzj0EAwIwFTETMBEGA1UEAwwKRmVycnkgcm9vdDAgFw0y
        NjExMjEwNDA0MDRaGA8yMTI2MTAyODA0MDQwNFowHTEbMBkGA1UEAwwSRmVycnkgaW50ZXJtZWRpYXRlMFkwEwYHKoZIzj0CAQYI
        KoZIzj0DAQcDQgAETMbn+NMeRi6begl6Akg76gwjAJj1PrEYROyMn9HrVNHM2PleUW7O3idUuHU8dwmhK72E63uKKCcQT2rSFAnI
        t6NjMGEwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwHQYDVR0OBBYEFJZyoDplFoLoZeHZniyxd+/CKoi0MB8GA1Ud
        IwQYMBaAFBcSXFajBkIdfa8M8NKlNKaRjlMAMAoGCCqGSM49BAMCA0kAMEYCIQDSxAphkhU9CVJILdxlATPtqUEEJB7Q1l94Tyjv
        VgvYywIhALanlrbXQxOaoRmUs8kCRc8LqIPE45C1zZSBZgPLDEfk
        """
    )

    /// A certificate for `api.example.com`, `*.example.org`, 192.0.2.1 and 2001:db8::1, issued by `intermediate`.
    static let leaf = der(
        """
        MIIBwjCCAWigAwIBAgIULMDmkPtEJa2TUX6oGPXppr6mOvwwCgYIKoZIzj0EAwIwHTEbMBkGA1UEAwwSRmVycnkgaW50ZXJtZWRp
        YXRlMCAXDTI2MTEyMTA0MDQwNFoYDzIxMjYxMDI4MDQwNDA0WjAaMRgwFgYDVQQDDA9hcGkuZXhhbXBsZS5jb20wWTATBgcqhkjO
        PQIBBggqhkjOPQMBBwNCAAQcQqGDZ9OVDavHkyTfnpdxD7l/YST5J4TgXYFNdjpPcGeVbrP9eSHrTGjRNkpHEtjC27IuVuA6Fd5b
        NvdlaxgVo4GGMIGDMEEGA1UdEQQ6MDiCD2FwaS5leGFtcGxlLmNvbYINKi5leGFtcGxlLm9yZ4cEwAACAYcQIAENuAAAAAAAAAAA
        AAAAATAdBgNVHQ4EFgQUu9u6FmrgkovklFPQ7mnzUw+Ah0gwHwYDVR0jBBgwFoAUlnKgOmUWguhl4dmeLLF378IqiLQwCgYIKoZI
        zj0EAwIDSAAwRQIgVahT1XVO8uH49DCkINDRX9S6uuacAxIcdvOBI5aRM18CIQD/XqBzjLidrQkSzRGvbRh4+4mWp5iVa5lKrkFH
        IO/alA==
        """
    )

    /// Like `leaf` and with its key, but valid from 2020-01-01 to 2020-01-11.
    static let short = der(
        """
        MIIBrzCCAVSgAwIBAgICEAAwCgYIKoZIzj0EAwIwHTEbMBkGA1UEAwwSRmVycnkgaW50ZXJtZWRpYXRlMB4XDTIwMDEwMTAwMDAw
        MFoXDTIwMDExMTAwMDAwMFowGjEYMBYGA1UEAwwPYXBpLmV4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEHEKh
        g2fTlQ2rx5Mk356XcQ+5f2Ek+SeE4F2BTXY6T3BnlW6z/Xkh60xo0TZKRxLYwtuyLlbgOhXeWzb3ZWsYFaOBhjCBgzBBBgNVHREE
        OjA4gg9hcGkuZXhhbXBsZS5jb22CDSouZXhhbXBsZS5vcmeHBMAAAgGHECABDbgAAAAAAAAAAAAAAAEwHQYDVR0OBBYEFLvbuhZq
        4JKL5JRT0O5p81MPgIdIMB8GA1UdIwQYMBaAFJZyoDplFoLoZeHZniyxd+/CKoi0MAoGCCqGSM49BAMCA0kAMEYCIQCkYRGpi652
        y7En1DlR3ot7yNbyLsXHHQkRFgrpvtX4AQIhAMMkA6f/pghOeABnnwTsTcmnmuWJcdqFL1yy69j50lZw
        """
    )

    /// An unrelated root certificate.
    static let stranger = der(
        """
        MIIBlzCCAT2gAwIBAgIUKb/ugcoTbMZk33ps2wZUTMldzqkwCgYIKoZIzj0EAwIwGDEWMBQGA1UEAwwNU3RyYW5nZXIgcm9vdDAg
        Fw0yNjExMjEwNDA0MDRaGA8yMTI2MTAyODA0MDQwNFowGDEWMBQGA1UEAwwNU3RyYW5nZXIgcm9vdDBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABC+FM1bWMQcXQymURjDdCNs/ATsjSMvo/HkDCUZw617lF/YQl9GxGfivNSs106uIpUc/dDtCUwi0Y0YBjJv+PtKj
        YzBhMB0GA1UdDgQWBBRqHlfl7W2aJO7AkFyk7K9VwB6eETAfBgNVHSMEGDAWgBRqHlfl7W2aJO7AkFyk7K9VwB6eETAPBgNVHRMB
        Af8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAKBggqhkjOPQQDAgNIADBFAiEA6/QB2WU02UPFIFsMNkHZQIvJQ6aNcyQpPsAA+Hk8
        8xECIErHM9R6qWZ3NvyhjcpaguLLkvgmxg25CcvI+qb4UD4b
        """
    )

    /// An authority below `stranger` with the same name as `intermediate`.
    static let forgedIntermediate = der(
        """
        MIIBnTCCAUKgAwIBAgIUCtQUDT+o51pWPOnrpmz/BxS6NdkwCgYIKoZIzj0EAwIwGDEWMBQGA1UEAwwNU3RyYW5nZXIgcm9vdDAg
        Fw0yNjExMjEwNDA0MDRaGA8yMTI2MTAyODA0MDQwNFowHTEbMBkGA1UEAwwSRmVycnkgaW50ZXJtZWRpYXRlMFkwEwYHKoZIzj0C
        AQYIKoZIzj0DAQcDQgAEODocSFdk+OFTDWhpVaKQIYAg0JOgKbZFO+fcpLTGo4n/sALxxMwFU6jTXYROVQZW16Vkik2jSapuNZ0E
        IkIvlaNjMGEwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwHQYDVR0OBBYEFJAUgw2t9qKbeQnOgNLiBNJRHyRNMB8G
        A1UdIwQYMBaAFGoeV+XtbZok7sCQXKTsr1XAHp4RMAoGCCqGSM49BAMCA0kAMEYCIQCWywLibQuHquc9A8e64jx1ACTy/ZK3aRAd
        7e95uXdONQIhANxTmBJDFhhg+fXIwI2YbiWxbH+gp000TOwXTpJXgjnf
        """
    )

    /// Like `leaf`, but issued by `forgedIntermediate`.
    static let forgedLeaf = der(
        """
        MIIBwTCCAWigAwIBAgIUMXOM6w787q5yJjG39QN7YCy3v0cwCgYIKoZIzj0EAwIwHTEbMBkGA1UEAwwSRmVycnkgaW50ZXJtZWRp
        YXRlMCAXDTI2MTEyMTA0MDQwNVoYDzIxMjYxMDI4MDQwNDA1WjAaMRgwFgYDVQQDDA9hcGkuZXhhbXBsZS5jb20wWTATBgcqhkjO
        PQIBBggqhkjOPQMBBwNCAAQRfY4Ybgqmw/JeOP1apgJf9pLDXcLqoQekn9MTTx/ofGS7xnsXCsR3nUisqf85dFMu182pJEVK0jHv
        FVuoOmemo4GGMIGDMEEGA1UdEQQ6MDiCD2FwaS5leGFtcGxlLmNvbYINKi5leGFtcGxlLm9yZ4cEwAACAYcQIAENuAAAAAAAAAAA
        AAAAATAdBgNVHQ4EFgQUMTL9FVCmT8YUeq8cZu8j+TXabY4wHwYDVR0jBBgwFoAUkBSDDa32opt5Cc6A0uIE0lEfJE0wCgYIKoZI
        zj0EAwIDRwAwRAIgFy3nEL4EIAY1TVm3Ghby6fOKEv928LpeJvd1fjXJc2UCIDN6V2FFrsnl0wBwu6axdUp0x6Tm2KCJScjUByap
        cYOm
        """
    )

    /// Like `leaf`, but signed with the key of `leaf`, which is not an authority.
    static let below = der(
        """
        MIIBvzCCAWWgAwIBAgIUWCq97Zb6UkIRbfT3xEfO3CCLKYswCgYIKoZIzj0EAwIwGjEYMBYGA1UEAwwPYXBpLmV4YW1wbGUuY29t
        MCAXDTI2MTEyMTA0MDQwNVoYDzIxMjYxMDI4MDQwNDA1WjAaMRgwFgYDVQQDDA9hcGkuZXhhbXBsZS5jb20wWTATBgcqhkjOPQIB
        BggqhkjOPQMBBwNCAASPOW6WWemOiDBThvW5ZZAPoN1XCW4bRDEkfC1aFMkE/FEtpHa3+c4Yd9cgdRVSf+PbBk6wzYVnFbCFGMQY
        Kv3eo4GGMIGDMEEGA1UdEQQ6MDiCD2FwaS5leGFtcGxlLmNvbYINKi5leGFtcGxlLm9yZ4cEwAACAYcQIAENuAAAAAAAAAAAAAAA
        ATAdBgNVHQ4EFgQU1BevgW/4kgCThxU9sR6gQajFEZUwHwYDVR0jBBgwFoAUu9u6FmrgkovklFPQ7mnzUw+Ah0gwCgYIKoZIzj0E
        AwIDSAAwRQIgVRdeiAe41vvPWbkXIqGAwoutcQ/zgdUW8zshNo2aqvkCIQDRGwAVQHf4+dhTns/i7+GtfmBUmDb4A60463EoMEUK
        ew==
        """
    )

    /// Like `leaf`, but self-signed.
    static let selfSigned = der(
        """
        MIIBzzCCAXagAwIBAgIUOIkfrTbDsj/FyWPVB6X2qrLIqtUwCgYIKoZIzj0EAwIwGjEYMBYGA1UEAwwPYXBpLmV4YW1wbGUuY29t
        MCAXDTI2MTEyMTA0MDQwNVoYDzIxMjYxMDI4MDQwNDA1WjAaMRgwFgYDVQQDDA9hcGkuZXhhbXBsZS5jb20wWTATBgcqhkjOPQIB
        BggqhkjOPQMBBwNCAATSUbv9Ksl2fW+V2Ycm8WuT0SzsZfuCa4j7bSrmTgmHrKxq7sG5mu6kdb4+vvRmxgYD6cmTR3RMSR7VIes7
        WBX0o4GXMIGUMB0GA1UdDgQWBBStTbHodqifNrDGvEBTsVPm6jYs5DAfBgNVHSMEGDAWgBStTbHodqifNrDGvEBTsVPm6jYs5DAP
        BgNVHRMBAf8EBTADAQH/MEEGA1UdEQQ6MDiCD2FwaS5leGFtcGxlLmNvbYINKi5leGFtcGxlLm9yZ4cEwAACAYcQIAENuAAAAAAA
        AAAAAAAAATAKBggqhkjOPQQDAgNHADBEAiApIFsUOU61dMmk2tAbCubi6m97AzVZP7nezM86X/a2PwIgT2tydM5kK+3o+cGFhjex
        5MvLThI8huOpTXa2cZji/LQ=
        """
    )

    /// A date on which all certificates but `short` are valid.
    static let date = Date(timeIntervalSince1970: 1_900_000_000)

    private static func der(_ text: String) -> Data {
        Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data()
    }
}
