import numpy as np
def send(own):
    near = (own["enemy_0.distance"] > 0) \
        & (own["enemy_0.distance"] < .75) \
        | (own["enemy_1.distance"] > 0) \
        & (own["enemy_1.distance"] < .25)
    lonely = ~ \
        (own.allies("visible") > 0).any(axis = 1)
    return {'near' : near, 'lonely' : lonely, 'danger' : near & lonely}
