"""What the site is made of beside the pages of docs/: the reference, the gallery, the project's
own pages.
"""
