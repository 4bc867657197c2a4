import type { RefObject } from 'react';
import type { Problem } from '../../lib/api-error.ts';
import type { FirstRunState, FirstRunStep } from '../../lib/first-run.ts';

/** Properties of every step of the first run. */
export interface StepProps {
  /** For its heading, which gets the focus when the step opens. */
  heading: RefObject<HTMLHeadingElement | null>;
  firstRun: FirstRunState;
  change: (changes: Partial<FirstRunState>) => void;
  go: (step: FirstRunStep) => void;
  /** Goes to the next step. */
  goOn: () => void;
  isDone: boolean;
  /** Called when the task of the step is done: the button to continue is enabled and gets the focus. */
  onDone: () => void;
  /** The failure in this step; it stays while other steps are shown. */
  problem: Problem | undefined;
  setProblem: (problem: Problem | undefined) => void;
}
