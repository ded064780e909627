import FerrySession

/// A P-256 certificate for `localhost`, made once with the `openssl` command.
enum Certificates {
    static let pem = """
        -----BEGIN CERTIFICATE-----
        MIIBkzCCATmgAwIBAgIUacdb1W5yqnrN2USH7Lqif7yD+hswCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MB4XDTI2MTEyMTAxNTkxMloXDTI2MTEyMzAx
        NTkxMlowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
        AQcDQgAETRGeXBh8Q9lnPctCS+JKe9HACSHc90yAl581qS2pih+3CZ8/I6NmLhDz
        sUksn/LOO2UfZnZEeRmbv3/+gqLg/6NpMGcwHQYDVR0OBBYEFBaWeVFQkpp6lMe3
        PqLlEPihNEbwMB8GA1UdIwQYMBaAFBaWeVFQkpp6lMe3PqLlEPihNEbwMA8GA1Ud
        EwEB/wQFMAMBAf8wFAYDVR0RBA0wC4IJbG9jYWxob3N0MAoGCCqGSM49BAMCA0gA
        MEUCIQDcgfazTqzpKtAXiGg80spHnGXZs29xgtwYaxNQ5BQiLQIgRkLFu8Pcao9J
        VhXngll3piS5lhGZFzfx+i4tOffeoMY=
        -----END CERTIFICATE-----
        """

    /// The result of `openssl dgst -sha256` for its public key.
    static let pin: PublicKeyPin = "sha256//jwJTuH3L8Ah5GO6xP3s9YTaJN2W/TAptpQE80uX7RnM="

    static var der: Data {
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        return Data(base64Encoded: lines.joined()) ?? Data()
    }
}
