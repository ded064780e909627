# https://github.com/kean/Get
prepare() { cp -r "$checkout"/{Package.swift,Sources,Tests} .; }

use_curl() { use_curl_session Sources Tests; }
