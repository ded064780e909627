extension Notification.Name {
    /// Posted when an operation has been started or resumed; the object is the operation.
    public static let networkingOperationDidStart = Self("com.alamofire.networking.operation.start")

    /// Posted when an operation has finished or been paused; the object is the operation.
    public static let networkingOperationDidFinish = Self("com.alamofire.networking.operation.finish")
}
