# https://github.com/Alamofire/Alamofire, with a server in Python instead of its own.
prepare() {
    cp -r "$checkout"/{Package.swift,Source,Tests} .
    # XCTest on Linux cannot list methods of the main actor.
    replace '/^ *@MainActor$/d' Tests
}

use_curl() { use_curl_session Source Tests; }

start_server() {
    local log=$scratch/server.log
    python3 "$files/server.py" >"$log" 2>&1 &
    server=$!
    until grep -q listening "$log"; do
        kill -0 "$server" || { cat "$log" >&2; exit 1; }
        sleep 0.1
    done
}
