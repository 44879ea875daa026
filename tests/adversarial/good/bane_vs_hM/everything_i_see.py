def send(own):
    """All of it; the decoder may choose."""
    return {
        "enemies": own.group("enemy_*"),
        "allies": own.group("ally_*"),
        "self": own.group("own.*"),
    }
