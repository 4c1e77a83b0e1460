"""Planted defects: one change each to the sound claims desk, and the one gate that must notice it.

The first defect of a gate is one that no other gate notices even when that gate is switched off.
"""

import defects_environment  # noqa: F401
import defects_task  # noqa: F401
from planting import DEFECTS, Defect

__all__ = ["DEFECTS", "Defect"]
