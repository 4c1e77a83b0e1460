"""The proposer that asks a language model: replies read, checked, and turned into a specification and its language.

Everything here is a pure function of a reply: the conversation, the trial runs and the repairs are in `envgen.synthesis`.
"""
