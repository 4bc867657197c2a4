import { actOf, queryWords, wordsOf } from './search-words.ts';
import type { SessionTool } from './session-tools.ts';

/** A tool with how well it fits. */
interface Ranked {
  tool: SessionTool;
  score: number;
  goalScore: number;
  /** Share of the query's words that occur, 0 to 1, rare words counting more. */
  coverage: number;
  /** Whether a word of the query is one of the tool's own name. */
  isNamed: boolean;
}

export interface ToolMatches {
  /** They fit, best first. */
  matches: SessionTool[];
  /** They fit in part. */
  related: SessionTool[];
}

/** How much a word counts by where it stands. */
const WEIGHTS = { action: 6, integration: 4, input: 1.5, description: 2, inputDescription: 0.5 } as const;
type Field = keyof typeof WEIGHTS;

/** A verb for the same act, and the beginning of a longer word, count less than the word. */
const SAME_ACT = 0.6;
const PREFIX = 0.5;
const MIN_PREFIX = 3;
const MAX_MATCHES = 5;
const MAX_RELATED = 5;
/** Scores this close are equal; the goal then decides. */
const STEPS = 20;

/** Positions of tools with the weight of a word in each, by word. */
type Postings = Map<string, Map<number, number>>;

export interface ToolIndex {
  tools: readonly SessionTool[];
  postings: Postings;
  /** Sorted, for prefixes. */
  words: readonly string[];
  /** Words of the own names, by tool. */
  names: ReadonlyArray<ReadonlySet<string>>;
}

/** An index over name, description and fields of the tools. */
export function indexTools(tools: readonly SessionTool[]): ToolIndex {
  const postings: Postings = new Map();
  tools.forEach((tool, position) => {
    const weights = new Map<string, number>();
    for (const [field, texts] of Object.entries(fieldsOf(tool)) as Array<[Field, string[]]>) {
      const words = new Set(texts.flatMap(wordsOf));
      for (const word of words) {
        const act = actOf(word);
        // A word counts where it counts most, so that long descriptions do not win.
        raise(weights, word, WEIGHTS[field]);
        if (act !== undefined) raise(weights, act, WEIGHTS[field] * SAME_ACT);
      }
    }
    for (const [word, weight] of weights) {
      const known = postings.get(word);
      if (known) known.set(position, weight);
      else postings.set(word, new Map([[position, weight]]));
    }
  });
  return {
    tools,
    postings,
    words: [...postings.keys()].sort(),
    names: tools.map(({ action }) => new Set(wordsOf(action).flatMap((word) => [word, actOf(word) ?? word]))),
  };
}

/** The tools that fit a query, always in the same order. The goal decides between tools that fit equally well. */
export function searchTools(index: ToolIndex, query: string, goal = ''): ToolMatches {
  const wanted = scoresOf(index, queryWords(query));
  const ofGoal = scoresOf(index, queryWords(goal));
  const ranked = [...wanted.scores].map(
    ([position, { coverage, isNamed, score }]): Ranked => ({
      tool: index.tools[position] as SessionTool,
      score,
      goalScore: ofGoal.scores.get(position)?.score ?? 0,
      coverage,
      isNamed,
    }),
  );
  const best = Math.max(0, ...ranked.map(({ score }) => score));
  const step = (one: Ranked): number => Math.round((STEPS * one.score) / best);
  ranked.sort(
    (a, b) =>
      step(b) - step(a) ||
      b.goalScore - a.goalScore ||
      b.score - a.score ||
      (a.tool.name < b.tool.name ? -1 : a.tool.name > b.tool.name ? 1 : 0),
  );
  const isMatch = (one: Ranked, place: number): boolean =>
    (one.coverage >= 0.5 && one.score >= best * 0.5) || (place === 0 && one.isNamed);
  const matches = ranked.filter(isMatch).slice(0, MAX_MATCHES);
  const others = ranked.filter((one) => !matches.includes(one)).slice(0, MAX_RELATED);
  return { matches: matches.map(({ tool }) => tool), related: others.map(({ tool }) => tool) };
}

interface Score {
  score: number;
  coverage: number;
  isNamed: boolean;
}

function scoresOf(index: ToolIndex, words: readonly string[]): { scores: Map<number, Score> } {
  const scores = new Map<number, Score>();
  const rarities = words.map((word) => rarity(index, word));
  const total = rarities.reduce((sum, one) => sum + one, 0);
  words.forEach((word, at) => {
    const rare = rarities[at] ?? 0;
    for (const [position, weight] of weightsOf(index, word)) {
      const known = scores.get(position) ?? { score: 0, coverage: 0, isNamed: false };
      const act = actOf(word);
      const names = index.names[position];
      scores.set(position, {
        score: known.score + weight * rare,
        coverage: known.coverage + rare / total,
        isNamed: known.isNamed || names?.has(word) === true || (act !== undefined && names?.has(act) === true),
      });
    }
  });
  // Tools with more of the words come before those with one word in a better place.
  for (const one of scores.values()) one.score *= 0.5 + one.coverage;
  return { scores };
}

/** A word that few tools have says more. */
function rarity({ postings, tools }: ToolIndex, word: string): number {
  const count = postings.get(word)?.size ?? postings.get(actOf(word) ?? '')?.size ?? 0;
  return Math.log(1 + (tools.length + 1) / (count + 0.5));
}

/** By position: the weight of a word, of a verb for the same act, or of a longer word that begins with it. */
function weightsOf({ postings, words }: ToolIndex, word: string): Map<number, number> {
  const weights = new Map(postings.get(word));
  const act = actOf(word);
  if (act !== undefined) for (const [position, weight] of postings.get(act) ?? []) raise(weights, position, weight);
  if (word.length >= MIN_PREFIX)
    for (let at = lowerBound(words, word); words[at]?.startsWith(word); at += 1) {
      const longer = words[at] as string;
      if (longer === word) continue;
      for (const [position, weight] of postings.get(longer) ?? []) raise(weights, position, weight * PREFIX);
    }
  return weights;
}

function lowerBound(words: readonly string[], word: string): number {
  let [from, to] = [0, words.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((words[middle] as string) < word) from = middle + 1;
    else to = middle;
  }
  return from;
}

function raise<K>(weights: Map<K, number>, key: K, weight: number): void {
  if (weight > (weights.get(key) ?? 0)) weights.set(key, weight);
}

function fieldsOf({ action, integrationKey, provider, tool }: SessionTool): Record<Field, string[]> {
  const properties = Object.entries(tool.inputSchema.properties ?? {});
  return {
    action: [action],
    integration: [integrationKey, provider],
    description: [tool.description],
    input: properties.map(([name]) => name),
    inputDescription: properties.flatMap(([, property]) => {
      const { description } = property as { description?: unknown };
      return typeof description === 'string' ? [description] : [];
    }),
  };
}
