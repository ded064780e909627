// The one place that names FoundationXML. It brings libxml2 along, so XML is a product of its own: who does not import
// it does not link it.
@_exported import Ferry

#if canImport(FoundationXML)
@_exported import FoundationXML
#endif
