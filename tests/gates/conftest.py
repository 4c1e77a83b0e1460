"""Makes the hand-written claims desk and its planted defects importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "unsound"))
