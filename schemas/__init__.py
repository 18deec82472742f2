"""The JSON Schemas of the profiles and of the report, for `wrs_verify.validation` and other programs."""
