// The function that the copied tests use from files that are not copied.
import Foundation

func testBundle(executable: Bool = false) -> Bundle { executable ? .main : .module }
