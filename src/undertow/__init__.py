"""undertow"""
