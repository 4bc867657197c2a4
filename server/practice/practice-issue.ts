import { pickInt, pickOne, seedOf } from './practice-random.ts';

export const ISSUE_STATES = ['open', 'in_progress', 'closed'] as const;
export type IssueState = (typeof ISSUE_STATES)[number];

export interface PracticeIssue {
  id: string;
  number: number;
  title: string;
  body: string;
  state: IssueState;
  labels: string[];
  author_id: string;
  assignee_id: string | null;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
}

/** Start of the tracker's time. An earlier clock reads the data of this time. */
export const EPOCH_MS = Date.UTC(2026, 0, 1);
export const ISSUE_COUNT = 250;

const MINUTE_MS = 60_000;
/** Once per interval a new issue arrives and the oldest one is deleted. */
const ARRIVAL_MS = 10 * MINUTE_MS;

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
const LABELS = ['bug', 'feature', 'question', 'documentation', 'performance', 'security', 'design', 'mobile'] as const;

/** The 250 issues that exist at `nowMs`, oldest first. */
export function issuesAt(seed: string, nowMs: number): PracticeIssue[] {
  const oldest = oldestNumberAt(nowMs);
  return Array.from({ length: ISSUE_COUNT }, (_, index) => issueAt(seed, oldest + index, nowMs));
}

/** Whether the tracker has the issue at this time: it has arrived and is not yet deleted. */
export function isIssueAlive(number: number, nowMs: number): boolean {
  const oldest = oldestNumberAt(nowMs);
  return Number.isInteger(number) && number >= oldest && number < oldest + ISSUE_COUNT;
}

/** One issue at `nowMs`. Every issue changes at its own interval, counted from its arrival. */
export function issueAt(seed: string, number: number, nowMs: number): PracticeIssue {
  const createdMs = EPOCH_MS + (number - ISSUE_COUNT) * ARRIVAL_MS;
  const rhythmMs = pickInt(seedOf(seed, number, 'rhythm'), 30, 150) * MINUTE_MS;
  const revision = Math.floor((Math.max(nowMs, EPOCH_MS) - createdMs) / rhythmMs);
  const updated = new Date(createdMs + revision * rhythmMs).toISOString();
  const state = stateOf(seed, number, revision);
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

function oldestNumberAt(nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - EPOCH_MS) / ARRIVAL_MS)) + 1;
}

function stateOf(seed: string, number: number, revision: number): IssueState {
  return revision === 0 ? 'open' : pickOne(seedOf(seed, number, revision, 'state'), ISSUE_STATES);
}

/** The title changes only at every third revision, because most changes in a tracker are changes of state. */
function titleOf(seed: string, number: number, revision: number): string {
  const edition = Math.floor(revision / 3);
  return `${pickOne(seedOf(seed, number, 'subject'), SUBJECTS)} ${pickOne(seedOf(seed, number, edition, 'problem'), PROBLEMS)}`;
}

function labelsOf(seed: string, number: number): string[] {
  const first = pickOne(seedOf(seed, number, 'label'), LABELS);
  const second = pickOne(seedOf(seed, number, 'second label'), LABELS);
  return first === second ? [first] : [first, second];
}
