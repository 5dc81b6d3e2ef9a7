"""Histories: cells recorded while a program runs, the origins made of them, and terms computed again."""
