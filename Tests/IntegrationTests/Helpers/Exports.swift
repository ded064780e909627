@_exported import NginxSupport
@_exported import TestSupport
