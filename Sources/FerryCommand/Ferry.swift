import Ferry

@main
enum FerryMain {
    static func main() {}
}
