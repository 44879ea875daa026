"""A design as a chapter of a page."""

from protocol_designer.reporting.design import design_chapter, is_design

__all__ = ["design_chapter", "is_design"]
