"""Topics over time.

A column of dates gives each topic a course. The diary here is made up: skiing in winter, the beach
in summer, work all the year.
"""

from datetime import date, timedelta

import numpy as np
import polars as pl

from undertow import TopicModel, insight, plot

generator = np.random.default_rng(0)
themes = {
    "ski": "snow ski slope lift winter mountain powder resort goggles piste",
    "beach": "sea beach sun swim sand wave summer sail harbour towel",
    "work": "office meeting report budget team deadline project client invoice plan",
}
rows = []
for day in range(1080):
    winter = (1 + np.cos(2 * np.pi * day / 360)) / 2
    theme = generator.choice(list(themes), p=[0.6 * winter, 0.6 * (1 - winter), 0.4])
    text = " ".join(generator.choice(themes[theme].split(), 30))
    rows.append((date(2023, 1, 1) + timedelta(days=day), text))
diary = pl.DataFrame(rows, schema=["time", "text"], orient="row")

model = TopicModel(16, min_df=2, random_state=0).fit(diary)
print([topic.name for topic in model.topics(n=3)])
figure = plot.over_time(insight.overview_of_texts(model, diary), model, 3)
