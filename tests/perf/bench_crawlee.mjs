// What `make bench` gives Crawlee: follows every link of the site and stores every HTML page.
//
//     node bench_crawlee.mjs URL FOLDER PAGES CONCURRENCY       (@crawlee/cheerio is found from the current folder)
import { createRequire } from "node:module";
import { writeFile } from "node:fs/promises";
import path from "node:path";

const { CheerioCrawler, Configuration, log, LogLevel } = createRequire(`${process.cwd()}/`)("@crawlee/cheerio");
const [start, folder, pages, concurrency] = process.argv.slice(2);
let count = 0;

log.setLevel(LogLevel.OFF);
const crawler = new CheerioCrawler({
    maxConcurrency: Number(concurrency),
    // It begins slowly and looks at the load of the machine otherwise; all others begin at once.
    autoscaledPoolOptions: { desiredConcurrency: Number(concurrency) },
    maxRequestRetries: 0,
    useSessionPool: false,
    async requestHandler({ body, response, enqueueLinks }) {
        if (response.statusCode !== 200) return; // it takes most errors for pages
        if (count >= Number(pages)) {
            await crawler.autoscaledPool?.abort();
            return;
        }
        await writeFile(path.join(folder, `${++count}.html`), body);
        await enqueueLinks({ selector: "a", strategy: "same-hostname" });
    },
    failedRequestHandler() {}, // other types than HTML, broken links
}, new Configuration({ persistStorage: false, purgeOnStart: true }));
await crawler.run([start]);
