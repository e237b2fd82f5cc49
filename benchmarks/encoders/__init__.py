"""Document vectors of undertow beside those of pretrained encoders:
`python -m benchmarks.encoders`.

`minilm_tokens`, `minilm_encode`, `wordllama_encode` and `peer_weights` are scripts for the
interpreter that has the peers; they import nothing of ours, and nothing imports them.
"""
