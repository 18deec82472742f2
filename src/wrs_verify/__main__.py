"""`python -m wrs_verify` is `wrs-verify`."""

from wrs_verify.cli import main

if __name__ == "__main__":
    main()
