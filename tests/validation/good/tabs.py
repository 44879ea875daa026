def send(own):
	x = own['own.x']
	return {'x': x}
