"""What a card does: rates of training and encoding beside their floor, and quality beside the CPU.

README.md has the commands for a machine with a card, before and after. `tables` makes the page.
"""
