/// An error whose localized description is its description.
package protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
    /// The description.
    public var errorDescription: String? { description }
}
