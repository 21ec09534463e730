"""The spider that `make bench` gives Scrapy: follows every link of the site and stores every HTML page.

    scrapy runspider bench_spider.py -a start=URL -a folder=FOLDER -a pages=N
"""

import os
import urllib.parse

import scrapy
from scrapy.exceptions import CloseSpider
from scrapy.linkextractors import LinkExtractor


class BenchSpider(scrapy.Spider):
    name = "bench"
    custom_settings = {
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1000,  # CONCURRENT_REQUESTS, given by the bench, is the limit
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": False,
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
    }

    def __init__(self, start, folder, pages, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [start]
        self.folder = folder
        self.pages = int(pages)
        self.count = 0
        self.links = LinkExtractor(allow_domains=[urllib.parse.urlsplit(start).netloc], tags=("a",))

    def parse(self, response):
        if not isinstance(response, scrapy.http.HtmlResponse):
            return
        if self.count >= self.pages:
            raise CloseSpider("enough")
        self.count += 1
        with open(os.path.join(self.folder, f"{self.count}.html"), "wb") as file:
            file.write(response.body)
        for link in self.links.extract_links(response):
            yield response.follow(link)
