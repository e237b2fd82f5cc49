"""Products that are bought together.

Documents need not be texts: lists of products are modelled as well. The figure has the cosine of
each two products' vectors.
"""

import numpy as np
from plotly.graph_objects import Figure

from undertow import TopicModel

generator = np.random.default_rng(0)
kinds = {
    "breakfast": ["milk", "eggs", "butter", "bread", "jam", "coffee"],
    "barbecue": ["charcoal", "sausages", "ketchup", "beer", "steak", "mustard"],
    "nursery": ["nappies", "wipes", "baby food", "bottle", "dummy", "baby oil"],
}
baskets = []
for _ in range(1000):
    first, second = generator.choice(list(kinds), 2)
    drawn = [*generator.choice(kinds[first], 4), *generator.choice(kinds[second], 2)]
    baskets.append([str(product) for product in drawn])

model = TopicModel(8, min_df=2, count_transform=None, random_state=0).fit(baskets)
products = [product for kind in kinds.values() for product in kind]
vectors = model.transform([[product] for product in products])

for topic in model.topics(n=3):
    print(f"{topic.share:4.0%}", [word.word for word in topic.words[:6]])
figure = Figure().add_heatmap(x=products, y=products, z=vectors @ vectors.T, colorscale="Blues")
figure.update_yaxes(autorange="reversed")
