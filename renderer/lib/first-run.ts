import { readStored, writeStored } from './stored.ts';

/** The steps of the first run, in their order (ui.md 6.1). */
export const FIRST_RUN_STEPS = ['welcome', 'choose', 'connect', 'call', 'sync', 'finish'] as const;
export type FirstRunStep = (typeof FIRST_RUN_STEPS)[number];

/** How far somebody came with the first run of an environment. */
export interface FirstRunState {
  step: FirstRunStep;
  way: 'practice' | 'provider' | 'import';
  /** The connection that its call and its sync use. */
  connection: { integrationKey: string; connectionId: string } | null;
  /** Steps whose work was done; one that was skipped is not among them. */
  done: FirstRunStep[];
  /** Begun and neither finished nor left: the window opens on it again. */
  isOpen: boolean;
  /** Its checklist is not wanted on the overview. */
  isDismissed: boolean;
}

const NEW: FirstRunState = {
  step: 'welcome',
  way: 'practice',
  connection: null,
  done: [],
  isOpen: false,
  isDismissed: false,
};

const nameOf = (env: string): string => `firstRun.${env}`;

/** Undefined: it was never opened in this browser. */
export function readFirstRun(env: string): FirstRunState | undefined {
  const stored = readStored<Partial<FirstRunState> | null>(nameOf(env), null);
  return stored === null ? undefined : { ...NEW, ...stored };
}

/** Keeps what changed; returns how it stands then. */
export function changeFirstRun(env: string, change: Partial<FirstRunState>): FirstRunState {
  const next = { ...(readFirstRun(env) ?? NEW), ...change };
  writeStored(nameOf(env), next);
  return next;
}

/** The step that a text names, as in the address; undefined for any other text. */
export const stepOf = (text: string | undefined): FirstRunStep | undefined =>
  FIRST_RUN_STEPS.find((step) => step === text);

/** The step after another; the last one has none. */
export const stepAfter = (step: FirstRunStep): FirstRunStep | undefined =>
  FIRST_RUN_STEPS[FIRST_RUN_STEPS.indexOf(step) + 1];

/** The step before another; the first one has none. */
export const stepBefore = (step: FirstRunStep): FirstRunStep | undefined =>
  FIRST_RUN_STEPS[FIRST_RUN_STEPS.indexOf(step) - 1];
