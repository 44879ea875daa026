def send(own):
    return {'x': own['own.x']}