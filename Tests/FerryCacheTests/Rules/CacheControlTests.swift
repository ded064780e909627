import FerryCache
import Testing

/// RFC 9111, sections 1.2.2, 4.2.1 and 5.2; many rows are from the public cache tests (cc-parse, cc-freshness).
@Suite struct CacheControlTests {
    @Test(
        "The lifetime is parsed, and an invalid one is none",
        arguments: [
            (["max-age=3600"], 3600), (["max-age=0"], 0), (["max-age=003600"], 3600), (["MAX-AGE=3600"], 3600),
            (["max-age=\"3600\""], 3600), (["max-age=\"36\\00\""], 3600), (["max-age='3600'"], 0), (["max-age"], 0),
            (["max-age="], 0), (["max-age=-3600"], 0), (["max-age=3600.0"], 0), (["max-age=a3600"], 0),
            (["max-age=3600a"], 0), (["max-age =3600"], 0), (["max-age= 3600"], 0), (["max-age=\"3600"], 3600),
            (["max-age=2147483647"], 2_147_483_647), (["max-age=2147483648"], 2_147_483_648),
            (["max-age=99999999999"], 2_147_483_648), (["max-age=99999999999999999999999"], 2_147_483_648),
            (["max-age=1800, max-age=1"], 0), (["max-age=1", "max-age=1800"], 0), (["max-age=5,max-age=5"], 5),
            (["extension=\"max-age=3600\", max-age=1"], 1), (["max-age=1, extension=\"max-age=3600\""], 1),
            (["extension=\"a, max-age=3600\""], nil), (["s-maxage=3600"], nil), (["maxage=3600"], nil), ([""], nil),
            ([",,, ,"], nil), (["foo;max-age=3600"], nil), (["foo=1 ,max-age=7 ,bar"], 7),
        ]
    )
    func lifetime(_ row: ([String], Int?)) {
        #expect(CacheControl(row.0).maximumAge == row.1)
    }

    @Test("Directives are found in any case and position") func flags() {
        let control = CacheControl(["No-StOrE , public", "nO-cAcHe=\"a, b\",must-understand", "PRIVATE=\"x\""])
        #expect(control.isNoStore && control.isPublic && control.isNoCache && control.mustUnderstand)
        #expect(control.isPrivate && !control.mustRevalidate && !control.isOnlyIfCached)
        #expect(CacheControl(["must-revalidate,s-maxage=1,only-if-cached"]).mustRevalidate)
        #expect(CacheControl(["s-maxage=1"]) == CacheControl())
        #expect(CacheControl(["only-if-cached"]).isOnlyIfCached)
        #expect(!CacheControl(["x=\"no-store\", y=\"a\\\", no-store, b\""]).isNoStore)
        #expect(!CacheControl(["no-storex"]).isNoStore)
    }

    /// RFC 9111, sections 5.2.1.2 and 5.2.1.3; RFC 5861, sections 3 and 4.
    @Test("Staleness is parsed, and an invalid value allows none") func staleness() {
        #expect(CacheControl(["max-stale"]).maximumStaleness == .max)
        #expect(CacheControl(["max-stale=60"]).maximumStaleness == 60)
        #expect(CacheControl(["max-stale=x"]).maximumStaleness == nil)
        #expect(CacheControl(["min-fresh=60"]).minimumFreshness == 60)
        #expect(CacheControl(["min-fresh"]).minimumFreshness == nil)
        #expect(CacheControl(["stale-while-revalidate=60, stale-if-error=\"70\""]).staleWhileRevalidate == 60)
        #expect(CacheControl(["stale-while-revalidate=60, stale-if-error=\"70\""]).staleIfError == 70)
        #expect(CacheControl(["stale-if-error=-1"]).staleIfError == nil)
    }

    @Test("Random bytes never trap") func fuzz() {
        var random = SeededGenerator(9111)
        for _ in 0..<3000 {
            _ = CacheControl([random.text(upTo: 40, from: "max-age=,\"\\ 0123456789no-store;\té")])
        }
    }
}
