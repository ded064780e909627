extension Mutex where Value: Sendable {
    /// Replaces a part of the value; the old part is released outside the lock.
    ///
    /// The release may end a closure or an object of the user, whose `deinit` may use the owner of the lock.
    package func replace<Part: Sendable>(_ part: any WritableKeyPath<Value, Part> & Sendable, with new: Part) {
        let old = withLock { value in
            let old = value[keyPath: part]
            value[keyPath: part] = new
            return old
        }
        withExtendedLifetime(old) {}
    }
}
