import { expect, vi } from 'vitest';
import { type MockOptions, MockRecording, type MockTools } from './mock-recording.ts';
import { actionMembers, syncMembers } from './nango-mocks.ts';

/** Pagination defaults by provider. They are written before this code when it is put into a project. */
declare const PAGINATE_DEFAULTS: Record<string, Record<string, unknown> | undefined>;

const tools: MockTools = {
  // A mock of vitest is called like the function that it wraps, but its type says so only for known functions.
  spy: (work) => vi.fn(work) as unknown as typeof work,
  testFile: () => expect.getState().testPath,
  paginateDefaults: (provider) => PAGINATE_DEFAULTS[provider] ?? null,
};

/** Replaces the context of an action in tests. */
export class NangoActionMock {
  constructor(options: MockOptions) {
    Object.assign(this, actionMembers(new MockRecording(options, tools), tools.spy));
  }
}

/** Replaces the context of a sync in tests. */
export class NangoSyncMock {
  constructor(options: MockOptions) {
    Object.assign(this, syncMembers(new MockRecording(options, tools), tools.spy));
  }
}

// The place where tests look for them: `new global.vitest.NangoActionMock({ dirname: __dirname, name, Model })`.
Object.assign(globalThis, { vitest: { NangoActionMock, NangoSyncMock } });

/** Tests import functions unchanged, and functions import this module under the SDK's names. */
export { createAction } from '../sdk/action-definition.ts';
export { createOnEvent } from '../sdk/on-event-definition.ts';
export { createSync } from '../sdk/sync-definition.ts';
