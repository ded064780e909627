import Foundation

/// Small bodies that decompress to much more, in base64.
enum Bombs {
    /// 200 MB of empty stored blocks (RFC 1951, section 3.2.4), which decompress to nothing, in three more layers of
    /// gzip.
    static let emptyBlocks = decoded(
        "H4sIAAAAAAACA5Pv5mAAASbmt3cNvbPTZY5/fHG2wGn2hBcXFCdKicjsuuOp81LB6sWTaAOn9qZtDyb5uUqrKLFytvYtXL9ghvWT"
            + "IvN8qeg71hI6IlJ31kXe0THzt3weOqX9/PzzBc/e/3r8oeaX8yTv/H9XH5/dMKF67pN7W+r/PXv/fWm82tbz92t/vt++/2/oGcvn"
            + "c4rPwQm9ZdX3423OL5efvfn1tcjP57fHM4NdWGgZoS16yfDBl6cps3hYGUFCDS96vmVx37RnOv9w3yUxFrCyRZdf5q5JSz4QLLHm"
            + "CUyViPTx3TclPgjwlQs5ghUpWF29tmR2L+P2h+821ahAQuBI2t+Py+ym9zHeLdgaIs/NBBa8KBmfc3558oGiG/k5X2HGfRE///ml"
            + "xAbL3XlzTWFiMmumcr2UKPhVZOTb1gTW6lDiVr219Q3rw+cF8Zkw415+MQvbbPhAkyfsE0xVV+/juzk8FRzt1p0KYCGBuVnZl84e"
            + "a7hdUB5pJwTxVdLmfxXB872PN+TtiFrVD/e9/rbnlw0TLN+Yb/sFM+5X9/OfJTw35sRuPzcLJsZ3zau1hMei1nKmmjMsABbvveX0"
            + "relD8Y71W2DGlVRJrwYGkwibdiVM1dFjH/PM2GxaDs91EQALdfhtNX0JDN7cHbt15DkhvtoYWb9n5fmlyQ7mMbpXj8MsPSZ+GxRK"
            + "Mt+ko2thxv09+rnGii3n3LrodF+YGHv2Uicrtjn75vhMXggLgItxuYrVjj8s74Tfghlntbf3KjCYuJqn7oGpSnpcYS7NLHfooZ8S"
            + "JApdlt+aVQIMXrM7sdP6WSC+urHG/t6V55cMF0ivm/YqGWbp4+63wFCK4Pvdu3YfzLh/jyrtZJnN0q+v3bwMJta8NUhRltkv3m/Z"
            + "yQBoAJzLWL9twl6FPzLvtHNhxs29dywLGEytB73iYMG0sXAPMIHxPyxQF4QmzOBc3103JQqk3+mddof6KueafP6r4pcSF3jDvb9u"
            + "hFn68eg3YCjptP89FhYPM67+o838PkZwlgiGOeRg1MoJfYzL9dUvp2hAAyB9S3j0iTiBOr7vU7fBjPPLTzaVZp53KEFVHxZMNyzu"
            + "ARNYe8GOyRzQhLlymxowFe7gLZ/+VBnqK7PXl+/fFyna2e++/j9nfc3/x+lv9SeFg/Pp3/3rbv78cPeO/+FT4fP//Hq4+D/Dr6x5"
            + "UpZFLAwAUDUg4lEEAAA="
    )

    /// 64 MiB of zeros in two layers of gzip.
    static let nestedZeros = decoded(
        "H4sIAAAAAAACA+3cr05CcRTA8YtcNyYbYiAZ5BGIFAYazAbNjgcgkmVzJgsvQWZjc7PSeAO02f0TnDM5L9z7GL/z+aSTTzw7+549"
            + "NrLSQf1jXavth9n8f/nVOMoAAACAxM1e7+vlMSDrFtvLqxsAAAAgdePjVl4dBf5uT8+tAwAAAJL3MOi3qw+B77tJbh0AAACQvM7v"
            + "26i6BWyKp5Nr+wAAAIDkvQgGAAAAQCiCAQAAABCLYAAAAADEIhgAAAAAwQgGAAAAQCyCAQAAABCLYAAAAADEIhgAAAAAwQgGAAAA"
            + "QCyCAQAAABDLYtDvlo8B7Z9iOrw4zAAAAIjkufnZe1/th3wHPEzs+uL+AAA="
    )

    private static func decoded(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }
}
