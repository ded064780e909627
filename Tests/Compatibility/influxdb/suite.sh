# https://github.com/influxdata/influxdb-client-swift
#
# Without the tests that need a running InfluxDB, and without their report for JUnit.
prepare() {
    cp -r "$checkout"/{Package.swift,Sources,Tests} .
    rm -r Tests/{LinuxMain.swift,InfluxDBSwiftApisTests}
    rm Tests/InfluxDBSwiftTests/{AAJunitReportInitializerTests,IntegrationTests,XCTestManifests}.swift
    sed -i '/InfluxDBSwiftApisTests/d; /name: "SwiftTestReporter"/d; s/, "SwiftTestReporter"//' Package.swift
}

use_curl() { use_curl_session Sources Tests; }
