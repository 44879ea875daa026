import numpy as np


def send(
    own
):
    (
        north,
        south,
        east,
        west,
    ) = (
        own["move.north"],
        own["move.south"],
        own["move.east"],
        own["move.west"],
    )
    return {
        "vertical"
        : north
        * south
        ,
        "horizontal"
        : east
        * west
        ,
        "dead_end": (
            (north + south + east + west)
            <= 1
        )
        ,
    }
