"""Files and folders on disk: written so that a power cut leaves the old or the new one, whole.

`atomic` replaces a file or a folder all at once; everything in undertow that writes goes through
it. `disk` brings what was written from the system's cache to the disk. `scratch` has temporary
folders, `leftovers` finds those of processes that were killed, `claim` lets one process at a time
work towards a place; both go by a `lock`.
"""
