import Ferry
import SessionWorkloads

/// Ferry, with each of its APIs.
@main
enum FerryClient {
    static func main() async {
        await Client.run { order in
            switch order.face {
            // With a retry policy, an interceptor and an authenticator; and with the fields that they set.
            case "delegate", "delegate-recovery", "delegate-fields":
                let delegate = WorkloadDelegate()
                let session = CurlSession(order, delegate: delegate)
                return try DelegateWorkloads(order, session: session, delegate: delegate).run()
            case "handler": return try HandlerWorkloads(order, session: CurlSession(order)).run()
            case "manager", "manager-recovery": return try await ManagerWorkloads(order).run()
            case "socket": return try await SocketWorkloads(order).run()
            case "async" where StreamWorkloads.supports(order.work), "writer", "pace":
                return try await StreamWorkloads(order).run()
            case "async", "async-recovery": return try await AsyncWorkloads(order, CurlSession(order).functions).run()
            case "operation": return try OperationWorkloads(order).run()
            case "json": return try await JSONWorkloads(order).run()
            default: throw BenchmarkError("Ferry does not support --face \(order.face)")
            }
        }
    }
}
