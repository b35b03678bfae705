"""Property tests run the same examples everywhere; a slow machine fails none of them."""

from hypothesis import settings

settings.register_profile("steady", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("steady")
