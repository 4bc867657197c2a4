import { expect, vi } from 'vitest';
import { type MockOptions, MockTape, type MockTools } from './mock-tape.ts';
import { actionMembers, syncMembers } from './nango-mocks.ts';

/** By provider; they are written in front of this file when it is put into a project. */
declare const PAGINATE_DEFAULTS: Record<string, Record<string, unknown> | undefined>;

const tools: MockTools = {
  // A mock of vitest is called as the function it wraps, which its type says for known functions only.
  spy: (work) => vi.fn(work) as unknown as typeof work,
  testFile: () => expect.getState().testPath,
  paginateDefaults: (provider) => PAGINATE_DEFAULTS[provider] ?? null,
};

/** Stands in for the context of an action. */
export class NangoActionMock {
  constructor(options: MockOptions) {
    Object.assign(this, actionMembers(new MockTape(options, tools), tools.spy));
  }
}

/** Stands in for the context of a sync. */
export class NangoSyncMock {
  constructor(options: MockOptions) {
    Object.assign(this, syncMembers(new MockTape(options, tools), tools.spy));
  }
}

// Where tests look for them: `new global.vitest.NangoActionMock({ dirname: __dirname, name, Model })`.
Object.assign(globalThis, { vitest: { NangoActionMock, NangoSyncMock } });

/** Tests import functions as they are, and those import this module under the public names. */
export { createAction } from '../sdk/action-definition.ts';
export { createOnEvent } from '../sdk/on-event-definition.ts';
export { createSync } from '../sdk/sync-definition.ts';
