#!/usr/bin/env python3
"""A judge for scent's key `judge`: a scikit-learn classifier that learns from two folders of texts.

    topic: hockey
    judge: {command: [./judge.py, ../hockey/positive, ../hockey/negative]}

It reads a JSON line for each page and answers with a line that has the page's id, a score from 0 to 1, and the words
that moved it. scent sends pages in batches: `left` tells how many more of the batch follow, and one call of the
classifier for the batch is much cheaper than one a page. docs/guide/judge.md describes the protocol."""

import json
import sys
from pathlib import Path

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

TELLING = 5  # words in a reason


def read_texts(folder):
    return [path.read_text(errors="replace") for path in sorted(Path(folder).iterdir()) if path.is_file()]


def train(positive, negative):
    model = make_pipeline(TfidfVectorizer(sublinear_tf=True, stop_words="english"),
                          LogisticRegression(C=10, class_weight="balanced", solver="liblinear", random_state=1))
    wanted, others = read_texts(positive), read_texts(negative)
    return model.fit(wanted + others, [1] * len(wanted) + [0] * len(others))


def reason(model, text):
    words, weights = model[0].get_feature_names_out(), model[1].coef_[0]
    row = model[0].transform([text])
    parts = sorted(((value * weights[i], words[i]) for i, value in zip(row.indices, row.data)),
                   key=lambda part: -abs(part[0]))
    return ", ".join(f"{word} {weight:+.2f}" for weight, word in parts[:TELLING]) or "no word that it knows"


def answer(model, batch):
    texts = [page["title"] + "\n" + page["text"] for page in batch]
    for page, text, score in zip(batch, texts, model.predict_proba(texts)[:, 1]):
        print(json.dumps({"id": page["id"], "score": float(score), "why": reason(model, text)}))
    sys.stdout.flush()


def main():
    model, batch = train(*sys.argv[1:3]), []
    for line in sys.stdin:
        batch.append(json.loads(line))
        if batch[-1]["left"] == 0:
            answer(model, batch)
            batch = []


main()
