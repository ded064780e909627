// The only import of FoundationXML, which links libxml2. XML is a separate product, so that programs that do not need
// it do not link libxml2.
@_exported import Ferry
@_exported import FoundationXML
