"""lines.py COUNT FILE - a long metrics.jsonl: a falling loss with two spikes, and an accuracy in every thousandth line."""
import json
import sys

count = int(sys.argv[1])
with open(sys.argv[2], 'w') as file:
    for i in range(count):
        loss = 2 / (1 + i / 1000) + (5 if i in (77777, 123456) else 0)
        json.dump({'iteration': i, 'seconds': i / 1000, 'gradients_upper': 2 * i, 'gradients_lower': 3 * i, 'upper_loss': loss, 'upper_norm': 1.5,
                   'trusted_accuracy': i / count if i % 1000 == 500 else None}, file)
        file.write('\n')
