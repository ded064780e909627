import Foundation

extension NetworkError? {
    /// Returns a Boolean value that indicates whether an error has a code, as in `response.error == .cancelled`.
    ///
    /// - Parameters:
    ///   - error: An error; nil has no code.
    ///   - code: The code. Underlying errors are ignored; see ``NetworkError/contains(_:)``.
    /// - Returns: Whether the error has the code.
    public static func == (error: NetworkError?, code: NetworkError.Code) -> Bool {
        error?.code == code
    }

    /// Returns a Boolean value that indicates whether an error has a code other than the given one, or is nil.
    ///
    /// - Parameters:
    ///   - error: An error, or nil.
    ///   - code: The code.
    /// - Returns: Whether the error does not have the code.
    public static func != (error: NetworkError?, code: NetworkError.Code) -> Bool {
        error?.code != code
    }

    /// Returns a Boolean value that indicates whether an error has a code, so that `switch` and `catch` can name it.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - error: An error; nil has no code.
    /// - Returns: Whether the error has the code.
    public static func ~= (code: NetworkError.Code, error: NetworkError?) -> Bool {
        error?.code == code
    }
}
