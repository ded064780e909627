import FerryCache
import Testing

@Suite struct CacheFreshnessTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var fields: [(String, String)]
        var status = 200
        /// Seconds from the response until now.
        var resident = 0.0
        /// Seconds from the request to the response.
        var delay = 0.0
        var lifetime: Double
        var age: Double

        var testDescription: String { "\(fields)" }
    }

    /// The response is received now, and evaluated `resident` seconds later.
    @Test(
        "Lifetime and age follow RFC 9111, section 4.2",
        arguments: [
            // 4.2.1: max-age takes precedence over Expires, which counts from Date.
            Row(fields: [("Cache-Control", "max-age=60")], lifetime: 60, age: 0),
            Row(fields: [("Cache-Control", "max-age=60"), ("Expires", "0")], lifetime: 60, age: 0),
            Row(
                fields: [("Cache-Control", "max-age=0"), ("Expires", CacheRows.date(3600))],
                lifetime: 0,
                age: 0
            ),
            Row(fields: [("Date", CacheRows.date(0)), ("Expires", CacheRows.date(90))], lifetime: 90, age: 0),
            Row(fields: [("Expires", CacheRows.date(90))], lifetime: 90, age: 0),
            Row(fields: [("Date", CacheRows.date(-10)), ("Expires", CacheRows.date(90))], lifetime: 100, age: 10),
            Row(fields: [("Expires", CacheRows.date(-90))], lifetime: 0, age: 0),
            // 5.3: an invalid date is in the past; s-maxage is for shared caches.
            Row(fields: [("Expires", "0")], lifetime: 0, age: 0),
            Row(fields: [("Expires", "0"), ("Last-Modified", CacheRows.date(-1000))], lifetime: 0, age: 0),
            Row(
                fields: [("Cache-Control", "s-maxage=9"), ("Last-Modified", CacheRows.date(-1000))],
                lifetime: 100,
                age: 0
            ),
            // 4.2.2: a tenth, for statuses that allow it, and at most a week.
            Row(fields: [("Last-Modified", CacheRows.date(-1000))], lifetime: 100, age: 0),
            Row(fields: [("Last-Modified", CacheRows.date(-1e9))], lifetime: 604_800, age: 0),
            Row(fields: [("Last-Modified", CacheRows.date(1000))], lifetime: 0, age: 0),
            Row(fields: [("Last-Modified", "yesterday")], lifetime: 0, age: 0),
            Row(fields: [("Last-Modified", CacheRows.date(-1000))], status: 201, lifetime: 0, age: 0),
            Row(
                fields: [("Last-Modified", CacheRows.date(-1000)), ("Cache-Control", "public")],
                status: 201,
                lifetime: 100,
                age: 0
            ),
            Row(fields: [], lifetime: 0, age: 0),
            // 4.2.3: the larger of both ages, plus the time in the cache.
            Row(fields: [("Cache-Control", "max-age=60")], resident: 70, lifetime: 60, age: 70),
            Row(fields: [("Cache-Control", "max-age=60")], resident: -70, lifetime: 60, age: 70),
            Row(
                fields: [("Cache-Control", "max-age=60"), ("Age", "30")],
                resident: 5,
                delay: 2,
                lifetime: 60,
                age: 37
            ),
            Row(
                fields: [("Cache-Control", "max-age=60"), ("Age", "3"), ("Date", CacheRows.date(-50))],
                resident: 5,
                lifetime: 60,
                age: 55
            ),
            Row(fields: [("Cache-Control", "max-age=60"), ("Date", CacheRows.date(50))], lifetime: 60, age: 0),
            // 5.1: an invalid Age is ignored, and only the first member of a list counts.
            Row(fields: [("Cache-Control", "max-age=60"), ("Age", "abc")], lifetime: 60, age: 0),
            Row(fields: [("Cache-Control", "max-age=60"), ("Age", "-7200")], lifetime: 60, age: 0),
            Row(fields: [("Cache-Control", "max-age=60"), ("Age", "7200.0")], lifetime: 60, age: 0),
            Row(fields: [("Cache-Control", "max-age=60"), ("Age", "7200, 0")], lifetime: 60, age: 7200),
            Row(fields: [("Cache-Control", "max-age=60"), ("Age", "0, 7200")], lifetime: 60, age: 0),
            Row(fields: [("Cache-Control", "max-age=60"), ("Age", "0"), ("Age", "7200")], lifetime: 60, age: 0),
            Row(
                fields: [("Cache-Control", "max-age=60"), ("Age", "99999999999999999999")],
                lifetime: 60,
                age: 2_147_483_648
            ),
        ]
    )
    func table(_ row: Row) {
        let now = CacheRows.now
        let freshness = CacheFreshness(
            status: row.status,
            fields: CacheRows.fields(row.fields),
            requestTime: now.addingTimeInterval(-row.delay),
            responseTime: now,
            now: now.addingTimeInterval(row.resident)
        )
        #expect(abs(freshness.lifetime - row.lifetime) < 0.001)
        #expect(abs(freshness.age - row.age) < 0.001)
        #expect(freshness.isFresh == (row.lifetime > row.age))
        #expect(abs(freshness.staleness - (row.age - row.lifetime)) < 0.001)
    }
}
