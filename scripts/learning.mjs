/** What the training of discovery needs of machine learning: a softmax regression. */

function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A hash of a text that spreads well. */
export function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}

function softmax(scores) {
  const most = Math.max(...scores);
  let sum = 0;
  for (let at = 0; at < scores.length; at += 1) {
    scores[at] = Math.exp(scores[at] - most);
    sum += scores[at];
  }
  for (let at = 0; at < scores.length; at += 1) scores[at] /= sum;
}

function sigmoid(scores) {
  for (let at = 0; at < scores.length; at += 1) scores[at] = 1 / (1 + Math.exp(-scores[at]));
}

/**
 * Weights by place and class, the bias in the last row. Gradient descent with a rate for each weight (AdaGrad).
 *
 * @param isApart whether each class has a probability of its own, in place of a share of one whole
 */
export function trainClasses(examples, space, { size, epochs, rate, decay, isApart = false }) {
  const weights = new Float32Array((space + 1) * size);
  const squares = new Float32Array(weights.length).fill(1e-2);
  const random = randomFrom(1);
  const order = examples.map((_, index) => index);
  const scores = new Float64Array(size);
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    for (let last = order.length - 1; last > 0; last -= 1) {
      const other = Math.floor(random() * (last + 1));
      [order[last], order[other]] = [order[other], order[last]];
    }
    const step = rate * (epoch < epochs * 0.6 ? 1 : 0.4);
    for (const index of order) {
      const { places, values, target, weight } = examples[index];
      for (let at = 0; at < size; at += 1) scores[at] = weights[space * size + at];
      for (let each = 0; each < places.length; each += 1) {
        const row = places[each] * size;
        for (let at = 0; at < size; at += 1) scores[at] += values[each] * weights[row + at];
      }
      if (isApart) sigmoid(scores);
      else softmax(scores);
      for (let at = 0; at < size; at += 1) scores[at] = weight * (scores[at] - target[at]);
      for (let each = 0; each <= places.length; each += 1) {
        const isBias = each === places.length;
        const row = (isBias ? space : places[each]) * size;
        const value = isBias ? 1 : values[each];
        for (let at = 0; at < size; at += 1) {
          const slope = scores[at] * value + (isBias ? 0 : decay * weights[row + at]);
          squares[row + at] += slope * slope;
          weights[row + at] -= (step * slope) / Math.sqrt(squares[row + at]);
        }
      }
    }
  }
  return weights;
}
