"""Language models: one client for every provider, with structured answers, retries, a response cache and a budget.

Nothing here imports openai, tenacity or litellm before a model is called.
"""
