// What the copied tests use of files that are not copied.
import Foundation

func testBundle(executable: Bool = false) -> Bundle { executable ? .main : .module }
