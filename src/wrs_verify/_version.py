"""The version, in one place, cheap to import."""

VERSION = "0.1.0"
