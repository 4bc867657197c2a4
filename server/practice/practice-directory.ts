import { EPOCH_MS } from './practice-issue.ts';
import { pickInt, pickOne, seedOf } from './practice-random.ts';

export interface PracticeUser {
  id: string;
  login: string;
  name: string;
  email: string;
  role: 'admin' | 'member' | 'guest';
}

export interface PracticeLabel {
  id: string;
  name: string;
  color: string;
}

export interface PracticeComment {
  id: string;
  issue_id: string;
  author_id: string;
  body: string;
  created_at: string;
}

export const USER_COUNT = 40;

const DAY_MS = 86_400_000;
const COMMENT_TEXTS = [
  'I can reproduce this.',
  'Fixed on my branch, tests follow.',
  'Does this also happen with an empty list?',
  'Moved to the next milestone.',
  'Thanks, that explains it.',
] as const;
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

/** Forty people. Every day the oldest member leaves and a new one joins. */
export function usersAt(seed: string, nowMs: number): PracticeUser[] {
  const first = Math.max(0, Math.floor((nowMs - EPOCH_MS) / DAY_MS)) + 1;
  return Array.from({ length: USER_COUNT }, (_, index) => userOf(seed, first + index));
}

export function allLabels(seed: string): PracticeLabel[] {
  return LABEL_NAMES.map((name) => ({
    id: `label-${name.replaceAll(' ', '-')}`,
    name,
    color: `#${(seedOf(seed, 'color', name) & 0xffffff).toString(16).padStart(6, '0')}`,
  }));
}

/** Returns up to three comments of one issue. */
export function commentsOf(
  seed: string,
  issue: { id: string; created_at: string; author_id: string },
): PracticeComment[] {
  const count = pickInt(seedOf(seed, issue.id, 'comments'), 0, 3);
  return Array.from({ length: count }, (_, index) => ({
    id: `${issue.id}-comment-${index + 1}`,
    issue_id: issue.id,
    author_id: issue.author_id,
    body: pickOne(seedOf(seed, issue.id, 'comment', index), COMMENT_TEXTS),
    created_at: issue.created_at,
  }));
}

function userOf(seed: string, number: number): PracticeUser {
  const login = `user-${number}`;
  return {
    id: login,
    login,
    name: `User ${number}`,
    email: `${login}@example.test`,
    role: pickOne(seedOf(seed, login, 'role'), ['member', 'member', 'member', 'admin', 'guest']),
  };
}
