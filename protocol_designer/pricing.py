"""What a completion cost, by the price table that the `genai-prices` package carries; None where it has no price."""

from __future__ import annotations

from protocol_designer.clients.types import Usage

__all__ = ["cost_of"]


def cost_of(price_list: str, model: str, usage: Usage) -> float | None:
    """Return US dollars by the prices of the provider `price_list`.

    None without a price list, for a model that is not on it, and where tokens were not counted.
    """
    if not price_list or usage.input_tokens is None or usage.output_tokens is None:
        return None
    import genai_prices

    tokens = genai_prices.Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cached_tokens or 0,
        cache_write_tokens=usage.cache_write_tokens or 0,
    )
    try:
        return float(genai_prices.calc_price(tokens, model_ref=model, provider_id=price_list).total_price)
    except (LookupError, ValueError):
        return None
