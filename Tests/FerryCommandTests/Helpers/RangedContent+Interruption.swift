import FerryTesting

extension RangedContent {
    /// Returns a handler that ends the first body after some bytes, and refuses the second request.
    func interruptedHandler(after count: Int) -> LoopbackServer.Handler {
        let requests = Mutex(0)
        return { request in
            let number = requests.withLock { count in
                count += 1
                return count
            }
            let response = response(to: request)
            switch number {
            case 1: return response.faulted(.truncate(afterBodyBytes: count))
            case 2: return .status(403)
            default: return response
            }
        }
    }
}
