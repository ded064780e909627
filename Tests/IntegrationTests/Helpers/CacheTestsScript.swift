/// Runs the engine of https://github.com/http-tests/cache-tests with requests that another process makes.
///
/// Its arguments are the suite's folder, the URL of the suite's server, the URL of the process that makes the requests
/// and, to run a single test, its name. It prints a line of JSON with a list of results.
let cacheTestsScript = #"""
    const [folder, base, client, only] = process.argv.slice(2)
    const { runTests, getResults } = await import(folder + '/test-engine/client/runner.mjs')
    const { determineTestResult, resultTypes } = await import(folder + '/test-engine/lib/results.mjs')
    const suites = (await import(folder + '/tests/index.mjs')).default

    const direct = globalThis.fetch
    globalThis.fetch = async (url, init = {}) => {
      if (!url.startsWith(base + '/test/')) return direct(url, init)
      const request = { url, method: init.method ?? 'GET', headers: init.headers ?? [], body: init.body, cache: init.cache }
      const answer = await direct(client, { method: 'POST', body: JSON.stringify(request), signal: init.signal })
      const { error, status, headers, body } = await answer.json()
      if (error) throw new TypeError(error)
      return { status, headers: new Headers(headers), text: async () => body }
    }

    const wanted = suites.map(suite => ({ ...suite, tests: suite.tests.filter(test => !only || test.id === only) }))
    await runTests(wanted, true, base)
    const results = getResults()
    const names = Object.fromEntries(Object.entries(resultTypes).map(([name, value]) => [value[0], name]))
    const list = wanted.flatMap(suite => suite.tests).filter(test => test.id in results).map(test => ({
      id: test.id,
      kind: test.kind ?? 'required',
      result: names[determineTestResult(suites, test.id, results, false)[0]],
      message: results[test.id] === true ? '' : String(results[test.id][1])
    }))
    console.log(JSON.stringify(list))
    process.exit(0)
    """#
