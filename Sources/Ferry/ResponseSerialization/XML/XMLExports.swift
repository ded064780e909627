// The one place that names FoundationXML. It brings libxml2 with it, so this folder can become a target of its own.
#if canImport(FoundationXML)
@_exported import FoundationXML
#endif
