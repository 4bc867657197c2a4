import type { Clock } from '../platform/lib/clock.ts';

export const ISSUE_STATES = ['open', 'in_progress', 'closed'] as const;

export interface PracticeIssue {
  id: string;
  number: number;
  title: string;
  body: string;
  state: (typeof ISSUE_STATES)[number];
  labels: string[];
  author_id: string;
  assignee_id: string | null;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
}

/** What a caller may set. Missing members stay unchanged. */
type IssueInput = Partial<Pick<PracticeIssue, 'title' | 'body' | 'state' | 'labels' | 'assignee_id'>>;

/** Start of the tracker's time. An earlier clock reads the data of this time. */
const EPOCH_MS = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const ISSUE_COUNT = 250;
/** Once per interval a new issue arrives and the oldest one is deleted. */
const ARRIVAL_MS = 10 * MINUTE_MS;
const USER_COUNT = 40;
/** Numbers of issues that callers create; far above the numbers of generated issues. */
const FIRST_CREATED_NUMBER = 1_000_000;

const SUBJECTS = [
  'Import',
  'Login page',
  'Search',
  'Export',
  'Calendar',
  'Webhook',
  'Report',
  'Settings page',
] as const;
const PROBLEMS = [
  'is slow',
  'fails on empty input',
  'shows the wrong date',
  'needs a test',
  'loses the filter',
  'has no help text',
] as const;
const COMMENT_TEXTS = [
  'I can reproduce this.',
  'Fixed on my branch, tests follow.',
  'Does this also happen with an empty list?',
  'Moved to the next milestone.',
  'Thanks, that explains it.',
] as const;
/** Issues have the first eight. */
const LABEL_NAMES = [
  'bug',
  'feature',
  'question',
  'documentation',
  'performance',
  'security',
  'design',
  'mobile',
  'billing',
  'import',
  'good first issue',
  'duplicate',
] as const;
const ISSUE_LABELS = LABEL_NAMES.slice(0, 8) as ['bug', ...string[]];

export type PracticeTracker = ReturnType<typeof createPracticeTracker>;

/** The tracker's data: generated from seed and time, with the changes of callers since the start on top. */
export function createPracticeTracker({ clock, seed }: { clock: Clock; seed: string }) {
  /** Issues that callers created or changed, by id. A changed issue no longer changes by itself. */
  const written = new Map<string, PracticeIssue>();
  const deleted = new Set<string>();
  let nextNumber = FIRST_CREATED_NUMBER;
  const timestamp = () => new Date(clock.now()).toISOString();

  /** Every issue ordered by its last change, then by its number. Cursors depend on this order. */
  function listIssues(): PracticeIssue[] {
    const oldest = oldestNumberAt(clock.now());
    const own = Array.from({ length: ISSUE_COUNT }, (_, index) => issueAt(seed, oldest + index, clock.now()));
    const created = [...written.values()].filter((issue) => issue.number >= FIRST_CREATED_NUMBER);
    return [...own.map((issue) => written.get(issue.id) ?? issue), ...created]
      .filter((issue) => !deleted.has(issue.id))
      .sort(byLastChange);
  }

  function findIssue(id: string): PracticeIssue | undefined {
    if (deleted.has(id)) return undefined;
    const number = Number(/^issue-(\d+)$/.exec(id)?.[1]);
    if (number >= FIRST_CREATED_NUMBER) return written.get(id);
    const oldest = oldestNumberAt(clock.now());
    const isAlive = number >= oldest && number < oldest + ISSUE_COUNT;
    return isAlive ? (written.get(id) ?? issueAt(seed, number, clock.now())) : undefined;
  }

  function write(issue: PracticeIssue, input: IssueInput, at: string): PracticeIssue {
    const next = { ...issue, ...input, updated_at: at };
    next.closed_at = next.state === 'closed' ? (issue.closed_at ?? at) : null;
    written.set(next.id, next);
    return next;
  }

  return {
    listIssues,
    findIssue,

    createIssue(input: IssueInput & { title: string }, authorId = 'user-me'): PracticeIssue {
      const number = nextNumber++;
      const at = timestamp();
      const blank: PracticeIssue = {
        id: `issue-${number}`,
        number,
        title: input.title,
        body: '',
        state: 'open',
        labels: [],
        author_id: authorId,
        assignee_id: null,
        created_at: at,
        updated_at: at,
        closed_at: null,
      };
      return write(blank, input, at);
    },

    updateIssue(id: string, input: IssueInput): PracticeIssue | undefined {
      const issue = findIssue(id);
      return issue && write(issue, input, timestamp());
    },

    deleteIssue(id: string): boolean {
      if (!findIssue(id)) return false;
      written.delete(id);
      deleted.add(id);
      return true;
    },

    /** Up to three for each generated issue. */
    listComments: (issueId?: string) =>
      listIssues()
        .filter((issue) => issueId === undefined || issue.id === issueId)
        .sort((a, b) => a.number - b.number)
        .flatMap((issue) => (issue.number >= FIRST_CREATED_NUMBER ? [] : commentsOf(seed, issue))),

    /** Forty people. Every day the oldest member leaves and a new one joins. */
    listUsers() {
      const first = Math.max(0, Math.floor((clock.now() - EPOCH_MS) / DAY_MS)) + 1;
      return Array.from({ length: USER_COUNT }, (_, index) => userOf(seed, first + index));
    },

    listLabels: () =>
      LABEL_NAMES.map((name) => ({
        id: `label-${name.replaceAll(' ', '-')}`,
        name,
        color: `#${(seedOf(seed, 'color', name) & 0xffffff).toString(16).padStart(6, '0')}`,
      })),
  };
}

function oldestNumberAt(nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - EPOCH_MS) / ARRIVAL_MS)) + 1;
}

/** One issue at `nowMs`. Every issue changes at its own interval, counted from its arrival. */
function issueAt(seed: string, number: number, nowMs: number): PracticeIssue {
  const createdMs = EPOCH_MS + (number - ISSUE_COUNT) * ARRIVAL_MS;
  const rhythmMs = pickInt(seedOf(seed, number, 'rhythm'), 30, 150) * MINUTE_MS;
  const revision = Math.floor((Math.max(nowMs, EPOCH_MS) - createdMs) / rhythmMs);
  const updated = new Date(createdMs + revision * rhythmMs).toISOString();
  const state = revision === 0 ? 'open' : pickOne(seedOf(seed, number, revision, 'state'), ISSUE_STATES);
  return {
    id: `issue-${number}`,
    number,
    title: titleOf(seed, number, revision),
    body: `Steps, expected result and actual result of report ${number}.`,
    state,
    labels: labelsOf(seed, number),
    author_id: `user-${pickInt(seedOf(seed, number, 'author'), 1, 40)}`,
    assignee_id: state === 'open' ? null : `user-${pickInt(seedOf(seed, number, revision, 'assignee'), 1, 40)}`,
    created_at: new Date(createdMs).toISOString(),
    updated_at: updated,
    closed_at: state === 'closed' ? updated : null,
  };
}

/** The title changes only at every third revision, because most changes in a tracker are changes of state. */
function titleOf(seed: string, number: number, revision: number): string {
  const edition = Math.floor(revision / 3);
  return `${pickOne(seedOf(seed, number, 'subject'), SUBJECTS)} ${pickOne(seedOf(seed, number, edition, 'problem'), PROBLEMS)}`;
}

function labelsOf(seed: string, number: number): string[] {
  const first = pickOne(seedOf(seed, number, 'label'), ISSUE_LABELS);
  const second = pickOne(seedOf(seed, number, 'second label'), ISSUE_LABELS);
  return first === second ? [first] : [first, second];
}

function commentsOf(seed: string, issue: PracticeIssue) {
  return Array.from({ length: pickInt(seedOf(seed, issue.id, 'comments'), 0, 3) }, (_, index) => ({
    id: `${issue.id}-comment-${index + 1}`,
    issue_id: issue.id,
    author_id: issue.author_id,
    body: pickOne(seedOf(seed, issue.id, 'comment', index), COMMENT_TEXTS),
    created_at: issue.created_at,
  }));
}

function userOf(seed: string, number: number) {
  const login = `user-${number}`;
  return {
    id: login,
    login,
    name: `User ${number}`,
    email: `${login}@example.test`,
    role: pickOne(seedOf(seed, login, 'role'), ['member', 'member', 'member', 'admin', 'guest']),
  };
}

function byLastChange(a: PracticeIssue, b: PracticeIssue): number {
  if (a.updated_at !== b.updated_at) return a.updated_at < b.updated_at ? -1 : 1;
  return a.number - b.number;
}

/**
 * A hash that is used as a random source without state: the same parts always give the same number, so the data of any
 * time can be computed directly (FNV-1a, mixed).
 */
function seedOf(...parts: Array<string | number>): number {
  let hash = 0x811c9dc5;
  for (const character of parts.join('\u0000')) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** An integer from `low` to `high`, both included. */
function pickInt(hash: number, low: number, high: number): number {
  return low + (hash % (high - low + 1));
}

function pickOne<T>(hash: number, choices: readonly [T, ...T[]]): T {
  return choices[hash % choices.length] ?? choices[0];
}
