/** What the training of discovery needs of machine learning: a softmax regression and boosted trees. */

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

/** Turns scores into shares of one whole, or each into a probability of its own. */
export const links = {
  softmax,
  sigmoid(scores) {
    for (let at = 0; at < scores.length; at += 1) scores[at] = 1 / (1 + Math.exp(-scores[at]));
  },
};

/** Weights by place and class, the bias in the last row. Gradient descent with a rate for each weight (AdaGrad). */
export function trainClasses(examples, space, { size, epochs, rate, decay, link }) {
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
      link(scores);
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

/** Limits between the values of a fact: quantiles, or all values if they are few. */
function limitsOf(values, count) {
  const sorted = Float32Array.from(values).sort();
  const different = [...new Set(sorted)];
  if (different.length <= count) return different.slice(1).map((value, index) => short((value + different[index]) / 2));
  const above = sorted.filter((value) => value > sorted[0]);
  const quantiles = Array.from({ length: count }, (_, at) => above[Math.floor((at * above.length) / count)]);
  return [...new Set(quantiles.map(short))].sort((one, other) => one - other);
}

/** With four digits, rounded down. */
function short(value) {
  if (Number.isInteger(value)) return value;
  const unit = 10 ** (4 - Math.ceil(Math.log10(Math.abs(value))));
  return Math.floor(value * unit) / unit;
}

/** Boosted trees whose nodes of one level ask the same question, for the log-odds of targets from 0 to 1. */
export function trainTrees(examples, { rounds, depth, rate, lambda, limits: most, sample }) {
  const count = examples.length;
  const facts = examples[0].facts.length;
  const bins = new Uint8Array(count * facts);
  const limits = Array.from({ length: facts }, (_, fact) => {
    const those = limitsOf(
      examples.map((example) => example.facts[fact]),
      most,
    );
    examples.forEach((example, index) => {
      let bin = 0;
      while (bin < those.length && example.facts[fact] >= those[bin]) bin += 1;
      bins[fact * count + index] = bin;
    });
    return those;
  });
  const weight = examples.reduce((sum, each) => sum + each.weight, 0);
  const share = examples.reduce((sum, each) => sum + each.weight * each.target, 0) / weight;
  const base = Math.log(share / (1 - share));
  const scores = new Float64Array(count).fill(base);
  const slopes = new Float32Array(count);
  const curves = new Float32Array(count);
  const leaf = new Uint8Array(count);
  const random = randomFrom(1);
  const width = most + 2;
  const sums = new Float64Array(2 * (1 << depth) * width);
  const splits = [];
  const leaves = [];
  for (let round = 0; round < rounds; round += 1) {
    examples.forEach(({ target, weight: own }, index) => {
      const guess = 1 / (1 + Math.exp(-scores[index]));
      slopes[index] = own * (target - guess);
      curves[index] = own * Math.max(guess * (1 - guess), 1e-4);
    });
    leaf.fill(0);
    const split = [];
    for (let level = 0; level < depth; level += 1) {
      const best = bestSplit(1 << level);
      if (best === undefined) break;
      split.push(best.fact, limits[best.fact][best.at]);
      for (let index = 0; index < count; index += 1) {
        if (bins[best.fact * count + index] > best.at) leaf[index] |= 1 << level;
      }
    }
    const up = new Float64Array(1 << depth);
    const down = new Float64Array(1 << depth).fill(lambda);
    for (let index = 0; index < count; index += 1) {
      up[leaf[index]] += slopes[index];
      down[leaf[index]] += curves[index];
    }
    const values = Array.from(up, (slope, at) => Math.round((1e3 * rate * slope) / down[at]) / 1e3);
    for (let index = 0; index < count; index += 1) scores[index] += values[leaf[index]];
    splits.push(split);
    leaves.push(values);
  }
  return { base, splits, leaves };

  function bestSplit(nodes) {
    let best;
    for (let fact = 0; fact < facts; fact += 1) {
      const own = limits[fact].length;
      if (own === 0 || random() > sample) continue;
      sums.fill(0, 0, 2 * nodes * width);
      for (let index = 0; index < count; index += 1) {
        const at = 2 * (leaf[index] * width + bins[fact * count + index]);
        sums[at] += slopes[index];
        sums[at + 1] += curves[index];
      }
      for (let node = 0; node < nodes; node += 1) {
        for (let at = 2 * (node * width + 1); at < 2 * (node * width + own + 1); at += 1) sums[at] += sums[at - 2];
      }
      for (let at = 0; at < own; at += 1) {
        let gain = 0;
        for (let node = 0; node < nodes; node += 1) {
          const [below, all] = [2 * (node * width + at), 2 * (node * width + own)];
          gain += sums[below] ** 2 / (sums[below + 1] + lambda);
          gain += (sums[all] - sums[below]) ** 2 / (sums[all + 1] - sums[below + 1] + lambda);
        }
        if (best === undefined || gain > best.gain) best = { gain, fact, at };
      }
    }
    return best;
  }
}
