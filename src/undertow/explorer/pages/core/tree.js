// The tree of topics, cut anywhere without asking the server. Cuts are those of undertow.topics, node by node.

const NOWHERE = -1;
const CIRCLE = [195, 550]; // hues, from blue on; not quite round, since the ends are no neighbours

export class Tree {
  /** `given` is the answer of /api/tree. */
  constructor(given) {
    Object.assign(this, given);
    this.junk = new Set(given.dropped);
    this.given = new Set(given.renamed);
    this.below = given.parents.map(() => []);
    given.parents.forEach((parent, node) => parent !== NOWHERE && this.below[parent].push(node));
    this.rowOf = new Map(given.leaves.map((node, row) => [node, row]));
    this.counts = new Map();
    this.cuts = new Map();
  }

  has(node) {
    return node === this.root || (this.parents[node] ?? NOWHERE) !== NOWHERE;
  }

  name(node) {
    return this.names[node] ?? `topic ${node}`;
  }

  /** Documents of a topic, without those of parts that were dropped. */
  size(node) {
    if (!this.counts.has(node)) {
      const own = this.rowOf.has(node) ? this.sizes[this.rowOf.get(node)] : 0;
      const parts = this.below[node].filter((child) => !this.junk.has(child));
      this.counts.set(node, parts.reduce((sum, child) => sum + this.size(child), own));
    }
    return this.counts.get(node);
  }

  share(node) {
    return this.size(node) / Math.max(1, this.documents);
  }

  /** The number asked for, within what there is; the model's own for nothing. */
  count(n) {
    return n === null || !Number.isFinite(n) ? this.chosen : Math.min(this.most, Math.max(this.least, Math.round(n)));
  }

  /** The topics of a cut of n, the widest first. */
  cut(n) {
    if (!this.cuts.has(n)) this.cuts.set(n, this.sorted(this.split(n)));
    return this.cuts.get(n);
  }

  /** The highest node is split again and again, until the parts of the next one would be too many. */
  split(n) {
    const waiting = [this.root];
    const whole = [];
    let full = false;
    while (waiting.length) {
      const node = this.takeHighest(waiting);
      const parts = this.below[node].filter((child) => this.isShown(child));
      const splits = parts.length > 0 && (this.below[node].length > 1 || node === this.root); // an only child is the same topic
      full ||= splits && this.ranks[node] !== null && waiting.length + whole.length + parts.length > n;
      if (splits && !full) waiting.push(...parts);
      else if (node !== this.root) whole.push(node);
    }
    return whole;
  }

  /** Whether it holds a leaf that was not dropped, and was not dropped itself. */
  isShown(node) {
    if (this.junk.has(node)) return false;
    return this.rowOf.has(node) || this.below[node].some((child) => this.isShown(child));
  }

  takeHighest(waiting) {
    const rank = (node) => this.ranks[node] ?? Infinity;
    let best = 0;
    waiting.forEach((node, place) => {
      const other = waiting[best];
      if (rank(node) > rank(other) || (rank(node) === rank(other) && node < other)) best = place;
    });
    return waiting.splice(best, 1)[0];
  }

  sorted(nodes) {
    return [...nodes].sort((one, other) => this.size(other) - this.size(one) || one - other);
  }

  /** The topics of a cut below those of coarser ones, {node, branches}, as Atlas.branches nests them. */
  branches(n) {
    const levels = [this.cut(n)];
    while (Math.floor(levels[0].length / this.level) >= this.fewest) levels.unshift(this.cut(Math.floor(levels[0].length / this.level)));
    return this.nested(levels, 0, levels[0]);
  }

  nested(levels, level, nodes) {
    return this.sorted(nodes).map((node) => {
      let branches = [];
      if (level + 1 < levels.length) {
        branches = this.nested(levels, level + 1, levels[level + 1].filter((other) => this.liesIn(other, node)));
        if (branches.length === 1 && branches[0].node === node) ({ branches } = branches[0]);
      }
      return { node, branches };
    });
  }

  /** Whether a node is another one, or below it. */
  liesIn(node, other) {
    for (let here = node; here !== NOWHERE; here = this.parents[here]) if (here === other) return true;
    return false;
  }

  /** For each leaf row, the place among the nodes that it lies in; -1 for none. */
  placesOf(nodes) {
    const place = new Map(nodes.map((node, at) => [node, at]));
    return Int16Array.from(this.leaves, (leaf) => {
      let node = leaf;
      while (node !== NOWHERE && !place.has(node)) node = this.junk.has(node) ? NOWHERE : this.parents[node];
      return node === NOWHERE ? -1 : place.get(node);
    });
  }

  /** Leaf rows of a topic, without those of parts that were dropped. */
  rowsOf(node) {
    if (this.rowOf.has(node)) return [this.rowOf.get(node)];
    return this.below[node].filter((child) => !this.junk.has(child)).flatMap((child) => this.rowsOf(child));
  }

  /** Topics that a node lies in, the widest first. */
  above(node) {
    const found = [];
    for (let here = this.parents[node]; here !== NOWHERE && here !== this.root; here = this.parents[here]) found.unshift(here);
    return found;
  }

  /** Whether it, or something above it, was dropped. */
  isDropped(node) {
    return this.junk.has(node) || this.above(node).some((other) => this.junk.has(other));
  }

  /** Hue of a topic in degrees: topics of one branch lie near each other, and keep their hue in every cut. */
  hue(node) {
    this.hues ??= this.circle();
    return this.hues.get(node) ?? 0;
  }

  /** The circle, shared out along the tree: evenly to the topics of the model's own cut, and below them by halves. */
  circle() {
    const own = new Set(this.cut(this.chosen));
    const weights = new Map();
    const weigh = (node) => {
      const parts = own.has(node) ? 1 : this.below[node].reduce((sum, child) => sum + weigh(child), 0);
      weights.set(node, parts);
      return parts;
    };
    weigh(this.root);
    const hues = new Map();
    const share = (node, from, to) => {
      hues.set(node, (from + to) / 2);
      const parts = this.below[node];
      const weight = (child) => weights.get(child) || (weights.get(node) ? 0.25 : 1);
      const total = parts.reduce((sum, child) => sum + weight(child), 0);
      let at = from;
      for (const child of parts) {
        const next = at + ((to - from) * weight(child)) / Math.max(total, 1e-9);
        share(child, at, next);
        at = next;
      }
    };
    share(this.root, ...CIRCLE);
    return hues;
  }
}
