"""The task planner: goals drawn from acts, arguments found by calling and rolling back, look-ups as an agent would do them, words."""
