import type { RefObject } from 'react';
import type { FirstRunState, FirstRunStep } from '../../lib/first-run.ts';

export interface Problem {
  message: string;
  code: string;
}

/** What every step of the first run is given. */
export interface StepProps {
  /** For its heading, which takes the focus when the step opens. */
  heading: RefObject<HTMLHeadingElement | null>;
  firstRun: FirstRunState;
  change: (changes: Partial<FirstRunState>) => void;
  go: (step: FirstRunStep) => void;
  /** To the step after it. */
  goOn: () => void;
  isDone: boolean;
  /** The work of the step is done: the way on is free and has the focus. */
  onDone: () => void;
  /** What failed in this step; it stays while other steps are looked at. */
  problem: Problem | undefined;
  setProblem: (problem: Problem | undefined) => void;
}
