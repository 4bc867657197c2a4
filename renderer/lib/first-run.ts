import { readStored, writeStored } from './stored.ts';

/** The steps of the first run, in their order (ui.md 6.1). */
export const FIRST_RUN_STEPS = ['welcome', 'choose', 'connect', 'call', 'sync', 'finish'] as const;
export type FirstRunStep = (typeof FIRST_RUN_STEPS)[number];

/** Progress in the first run of an environment. */
export interface FirstRunState {
  step: FirstRunStep;
  way: 'practice' | 'provider' | 'import';
  /** The connection for its call and its sync. */
  connection: { integrationKey: string; connectionId: string } | null;
  /** The way by which it was chosen. */
  connectedBy: FirstRunState['way'] | null;
  /** Completed steps; skipped ones are not included. */
  done: FirstRunStep[];
  /** Started and neither finished nor left: the window opens on it again. */
  isOpen: boolean;
  /** The person dismissed its checklist on the overview. */
  isDismissed: boolean;
}

const NEW: FirstRunState = {
  step: 'welcome',
  way: 'practice',
  connection: null,
  connectedBy: null,
  done: [],
  isOpen: false,
  isDismissed: false,
};

/** State of a navigation out of the first run: the page that is reached leads back to it when its work is done. */
export const FROM_FIRST_RUN = { isFromFirstRun: true };

export const isFromFirstRun = (state: unknown): boolean =>
  (state as Partial<typeof FROM_FIRST_RUN> | null)?.isFromFirstRun === true;

const nameOf = (env: string): string => `firstRun.${env}`;

/** Undefined: it was never opened in this browser. */
export function readFirstRun(env: string): FirstRunState | undefined {
  const stored = readStored<Partial<FirstRunState> | null>(nameOf(env), null);
  return stored === null ? undefined : { ...NEW, ...stored };
}

/** Stores the changes and returns the new progress. */
export function changeFirstRun(env: string, change: Partial<FirstRunState>): FirstRunState {
  const next = { ...(readFirstRun(env) ?? NEW), ...change };
  writeStored(nameOf(env), next);
  return next;
}

/** The changes when the choice of a way is left: a connection of another way is not its connection. */
export function afterChoice({ way, connection, connectedBy, done }: FirstRunState): Partial<FirstRunState> {
  if (connection === null || connectedBy === way) return {};
  return { connection: null, connectedBy: null, done: done.filter((step) => step !== 'connect') };
}

/** The step with the name in the address; undefined for any other text. */
export const stepOf = (text: string | undefined): FirstRunStep | undefined =>
  FIRST_RUN_STEPS.find((step) => step === text);

/** The next step; undefined after the last one. */
export const stepAfter = (step: FirstRunStep): FirstRunStep | undefined =>
  FIRST_RUN_STEPS[FIRST_RUN_STEPS.indexOf(step) + 1];

/** The previous step; undefined before the first one. */
export const stepBefore = (step: FirstRunStep): FirstRunStep | undefined =>
  FIRST_RUN_STEPS[FIRST_RUN_STEPS.indexOf(step) - 1];
