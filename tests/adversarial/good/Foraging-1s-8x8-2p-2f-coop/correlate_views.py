import numpy as np


def send(own):
    return {"f": own.group("cell_*.accessible")}


def receive(own, inbox):
    """All nine by nine products: a decoder can find the shift between the two views."""
    theirs = inbox["f"].sum(axis=1)
    mine = own.group("cell_*.accessible")
    products = theirs[:, :, None] * mine[:, None, :]
    return {"products": products.reshape(products.shape[0], 81)}
