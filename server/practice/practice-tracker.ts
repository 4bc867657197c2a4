import type { Clock } from '../platform/lib/clock.ts';
import {
  allLabels,
  commentsOf,
  type PracticeComment,
  type PracticeLabel,
  type PracticeUser,
  usersAt,
} from './practice-directory.ts';
import { isIssueAlive, issueAt, issuesAt, type PracticeIssue } from './practice-issue.ts';
import type { IssueInput } from './practice-issue-input.ts';

/** Numbers of issues that callers create; far above the numbers of generated issues. */
const FIRST_CREATED_NUMBER = 1_000_000;

/** The tracker's data: generated from seed and time, with the changes of callers since the start on top. */
export class PracticeTracker {
  readonly #clock: Clock;
  readonly #seed: string;
  /** Issues that callers created or changed, by id. A changed issue no longer changes by itself. */
  readonly #written = new Map<string, PracticeIssue>();
  readonly #deleted = new Set<string>();
  #nextNumber = FIRST_CREATED_NUMBER;

  constructor(options: { clock: Clock; seed: string }) {
    this.#clock = options.clock;
    this.#seed = options.seed;
  }

  /** Every issue ordered by its last change, then by its number. Cursors depend on this order. */
  listIssues(): PracticeIssue[] {
    const own = issuesAt(this.#seed, this.#clock.now()).map((issue) => this.#written.get(issue.id) ?? issue);
    const created = [...this.#written.values()].filter((issue) => issue.number >= FIRST_CREATED_NUMBER);
    return [...own, ...created].filter((issue) => !this.#deleted.has(issue.id)).sort(byLastChange);
  }

  findIssue(id: string): PracticeIssue | undefined {
    if (this.#deleted.has(id)) return undefined;
    const number = Number(/^issue-(\d+)$/.exec(id)?.[1]);
    if (number >= FIRST_CREATED_NUMBER) return this.#written.get(id);
    if (!isIssueAlive(number, this.#clock.now())) return undefined;
    return this.#written.get(id) ?? issueAt(this.#seed, number, this.#clock.now());
  }

  createIssue(input: IssueInput & { title: string }, authorId = 'user-me'): PracticeIssue {
    const number = this.#nextNumber++;
    const at = this.#timestamp();
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
    return this.#write(blank, input, at);
  }

  updateIssue(id: string, input: IssueInput): PracticeIssue | undefined {
    const issue = this.findIssue(id);
    return issue && this.#write(issue, input, this.#timestamp());
  }

  deleteIssue(id: string): boolean {
    if (!this.findIssue(id)) return false;
    this.#written.delete(id);
    this.#deleted.add(id);
    return true;
  }

  listComments(issueId?: string): PracticeComment[] {
    return this.listIssues()
      .filter((issue) => issueId === undefined || issue.id === issueId)
      .sort((a, b) => a.number - b.number)
      .flatMap((issue) => (issue.number >= FIRST_CREATED_NUMBER ? [] : commentsOf(this.#seed, issue)));
  }

  listUsers(): PracticeUser[] {
    return usersAt(this.#seed, this.#clock.now());
  }

  listLabels(): PracticeLabel[] {
    return allLabels(this.#seed);
  }

  #write(issue: PracticeIssue, input: IssueInput, at: string): PracticeIssue {
    const next = { ...issue, ...input, updated_at: at };
    next.closed_at = next.state === 'closed' ? (issue.closed_at ?? at) : null;
    this.#written.set(next.id, next);
    return next;
  }

  #timestamp(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

function byLastChange(a: PracticeIssue, b: PracticeIssue): number {
  if (a.updated_at !== b.updated_at) return a.updated_at < b.updated_at ? -1 : 1;
  return a.number - b.number;
}
