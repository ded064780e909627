import Foundation

@testable import FerryCommand

/// A timeline's page whose script runs in Node.js, with the parts of a browser's document that the script uses.
struct ScriptedPage {
    /// A reader's entries in the controls.
    struct Entry: Encodable {
        var words = ""
        var failedOnly = false
    }

    /// The visible content of the page.
    struct View: Decodable, Equatable {
        var isBarHidden = false
        /// The indices of the transfers that are shown.
        var shown: [Int]
        var count: String
    }

    private static let node = "/usr/bin/node"

    static var isNodeInstalled: Bool { FileManager.default.isExecutableFile(atPath: node) }

    let page: String

    /// Loads the page and makes the entries one after the other; returns the content at first and after each entry.
    func views(_ entries: [Entry]) async throws -> [View] {
        let folder = try TemporaryFolder()
        try folder.file("page.html", page)
        try folder.file("entries.json", String(decoding: try JSONEncoder().encode(entries), as: UTF8.self))
        let outcome = try await FerryProcess.run(["-e", Self.browser], in: folder, program: Self.node)
        guard outcome.status == 0 else { throw Failure(errors: outcome.errors) }
        return try outcome.text.split(separator: "\n").map { try JSONDecoder().decode(View.self, from: Data($0.utf8)) }
    }

    struct Failure: Error {
        let errors: String
    }

    private static let browser = #"""
        "use strict";
        const fs = require("fs");
        const vm = require("vm");

        class Element {
          constructor(name, attributes, parent) {
            Object.assign(this, { name, attributes, parent, children: [], listeners: {} });
            this.hidden = "hidden" in attributes;
            this.value = "";
            this.checked = false;
            const data = Object.keys(attributes).filter(key => key.startsWith("data-"));
            this.dataset = Object.fromEntries(data.map(key => [key.slice(5), attributes[key]]));
          }
          all() { return this.children.flatMap(child => [child, ...child.all()]); }
          querySelectorAll(selector) {
            const attribute = selector.match(/^\[([a-z-]+)\]$/)?.[1];
            if (!attribute && !/^[a-z]+$/.test(selector)) throw new Error(`unsupported: ${selector}`);
            return this.all().filter(one => attribute ? attribute in one.attributes : one.name === selector);
          }
          querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }
          getElementById(id) { return this.all().find(one => one.attributes.id === id) ?? null; }
          addEventListener(type, listener) { (this.listeners[type] ??= []).push(listener); }
          dispatch(type) {
            for (let one = this; one; one = one.parent) one.listeners[type]?.forEach(listener => listener());
          }
        }

        const names = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
        const decoded = text => text.replace(/&(#x?)?([0-9a-z]+);/gi, (all, kind, name) =>
          kind ? String.fromCodePoint(parseInt(name, kind === "#x" ? 16 : 10)) : names[name] ?? all);

        const page = fs.readFileSync("page.html", "utf8");
        const [, body, script] = page.match(/<body>([^]*)<script>([^]*)<\/script>/);
        const document = new Element("body", {}, null);
        let open = document;
        for (const [, end, name, list, isEmpty] of body.matchAll(/<(\/?)([a-z]+)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>/gi)) {
          if (end) {
            if (open.name !== name) throw new Error(`</${name}> ends ${open.name}`);
            open = open.parent;
            continue;
          }
          const attributes = {};
          for (const [, key, value] of list.matchAll(/([\w:-]+)="([^"]*)"/g)) attributes[key] = decoded(value);
          const element = new Element(name, attributes, open);
          open.children.push(element);
          if (!isEmpty) open = element;
        }

        const bar = document.getElementById("f-filter");
        const [words, failedOnly] = bar.querySelectorAll("input");
        const show = () => {
          const shown = document.querySelectorAll("li").flatMap((item, index) => item.hidden ? [] : [index]);
          console.log(JSON.stringify({ isBarHidden: bar.hidden, shown, count: bar.querySelector("output").value }));
        };
        vm.runInNewContext(script, { document });
        show();
        for (const entry of JSON.parse(fs.readFileSync("entries.json", "utf8"))) {
          words.value = entry.words;
          failedOnly.checked = entry.failedOnly;
          words.dispatch("input");
          show();
        }
        """#
}
