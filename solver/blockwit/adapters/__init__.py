"""The games in the interfaces of other libraries; each is an extra: openspiel, pettingzoo, gymnasium."""
