#!/usr/bin/python3
"""Labels of larger topics of Wikispeedia, for fitting: themes that are unions of categories with less than 60 pages.

    scripts/wikispeedia_themes.py CATEGORIES.tsv > build/wikispeedia-themes.tsv

Experiments report on the categories of the second level that have at least 60 pages. The others are small: after the
seeds some twenty pages are left, and a prior that is fitted to them knows the end of a crawl better than its beginning.
None of the reported categories is part of a theme.
"""

import sys

THEMES = {
    "Art": ["Art", "Design_and_Technology.Architecture", "People.Artists"],
    "Business": ["Business_Studies"],
    "IT": ["IT"],
    "Languages": ["Language_and_literature.Languages", "Language_and_literature.Linguistics", "Geography.Peoples"],
    "Literature": ["Language_and_literature.Novels", "Language_and_literature.Theatre",
                   "Language_and_literature.Poetry_and_Opera", "Language_and_literature.Literature_types",
                   "Language_and_literature.General_Literature"],
    "Mathematics": ["Mathematics", "People.Mathematicians"],
    "Middle_East": ["Geography.Geography_of_the_Middle_East", "Religion.Religious_texts",
                    "People.Religious_figures_and_leaders"],
    "Music": ["Music"],
    "Pacific": ["Geography.Geography_of_Oceania_Australasia", "Geography.Antarctica"],
    "Performers": ["People.Performers_and_composers", "People.Actors_models_and_celebrities",
                   "People.Producers_directors_and_media_figures", "Music.Performers_and_composers"],
    "Recreation": ["Everyday_life.Recreation", "Everyday_life.Drink", "Everyday_life.Everyday_life"],
    "Religion": ["Religion"],
    "Rulers": ["People.Monarchs_of_Great_Britain", "People.USA_Presidents"],
    "Scientists": ["People.Human_Scientists", "People.Astronomers_and_physicists", "People.Chemists",
                   "People.Computing_People", "People.Philosophers"],
    "Screen": ["Everyday_life.Films", "Everyday_life.Television", "Everyday_life.Cartoons",
               "Everyday_life.Computer_and_Video_games"],
    "Society": ["Citizenship.Environment", "Citizenship.Law", "Citizenship.Education",
                "Citizenship.Animal_and_Human_Rights", "Citizenship.Culture_and_Diversity", "Citizenship.Media",
                "Citizenship.Community_organisations", "Citizenship.Conflict_and_Peace"],
    "Sports": ["Everyday_life.Sports", "Everyday_life.Sports_events", "Everyday_life.Sports_teams",
               "Everyday_life.Games", "People.Sports_and_games_people"],
    "Transport": ["Design_and_Technology.Air_and_Sea_transport", "Design_and_Technology.Road_transport",
                  "People.Engineers_and_inventors"],
    "Wars": ["History.World_War_II", "History.Recent_History", "History.Pre_1900_Military",
             "History.North_American_History"],
    "Weather": ["Geography.Storms", "Geography.Natural_Disasters", "Geography.Climate_and_the_Weather"],
}


def themes_of(category):
    return [theme for theme, parts in THEMES.items()
            if any(category == part or category.startswith(part + ".") for part in parts)]


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0 if len(sys.argv) == 2 else 2
    written = set()
    with open(sys.argv[1], encoding="utf-8") as categories:
        for line in categories:
            url, category = line.rstrip("\n").split("\t")
            for theme in themes_of(category):
                if (url, theme) not in written:
                    written.add((url, theme))
                    print(f"{url}\ttheme.{theme}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
