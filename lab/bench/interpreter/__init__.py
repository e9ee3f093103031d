"""Spoken translation, measured on recordings of people."""
