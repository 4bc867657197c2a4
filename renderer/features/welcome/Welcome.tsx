import { Button, UnstyledButton } from '@mantine/core';
import { IconArrowRight, IconCheck, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { useUrlState } from '../../components/page/use-url-state.ts';
import type { Problem } from '../../lib/api-error.ts';
import {
  afterChoice,
  changeFirstRun,
  FIRST_RUN_STEPS,
  type FirstRunState,
  type FirstRunStep,
  readFirstRun,
  stepAfter,
  stepBefore,
  stepOf,
} from '../../lib/first-run.ts';
import { paths } from '../../lib/paths.ts';
import { CallStep } from './CallStep.tsx';
import { ChooseStep } from './ChooseStep.tsx';
import { ConnectStep } from './ConnectStep.tsx';
import { FinishStep } from './FinishStep.tsx';
import { MooredRope } from './MooredRope.tsx';
import { SyncStep } from './SyncStep.tsx';
import type { StepProps } from './step-props.ts';
import { KEY_SOURCE, VaultStep } from './VaultStep.tsx';
import classes from './Welcome.module.css';

const NAMES: Record<FirstRunStep, string> = {
  welcome: 'Vault',
  choose: 'Choose a start',
  connect: 'Connect',
  call: 'First call',
  sync: 'First sync',
  finish: 'Finish',
};

const STEPS: Record<FirstRunStep, (props: StepProps) => ReactNode> = {
  welcome: VaultStep,
  choose: ChooseStep,
  connect: ConnectStep,
  call: CallStep,
  sync: SyncStep,
  finish: FinishStep,
};

/** Steps with a task: until it is done, the button to continue says "Skip". */
const WORK: ReadonlySet<FirstRunStep> = new Set(['connect', 'call', 'sync']);

interface WelcomeProps {
  mark: ReactNode;
  status: ReactNode;
}

/** From an empty hub to a connection, its first call and its first sync (ui.md 6.1). Resumes where it was left. */
export function Welcome({ mark, status }: WelcomeProps) {
  const env = useEnv();
  const url = useUrlState();
  const navigate = useNavigate();
  const [firstRun, setFirstRun] = useState(() => changeFirstRun(env, { isOpen: true }));
  const [problems, setProblems] = useState<Partial<Record<FirstRunStep, Problem>>>({});
  const next = useRef<HTMLButtonElement>(null);
  const isJustDone = useRef(false);
  const step = stepOf(url.get('step')) ?? firstRun.step;
  const change = (changes: Partial<FirstRunState>): void => setFirstRun(changeFirstRun(env, changes));
  const go = (to: FirstRunStep): void => {
    change({ ...(step === 'choose' ? afterChoice(firstRun) : {}), step: to });
    url.set({ step: to });
  };
  const leave = (changes: Partial<FirstRunState>): void => {
    changeFirstRun(env, { isOpen: false, ...changes });
    void navigate(paths.overview(env));
  };
  const after = stepAfter(step);
  const before = stepBefore(step);
  const isDone = firstRun.done.includes(step);
  const hasWork = WORK.has(step) && !isDone;
  const goOn = (): void => (after ? go(after) : leave({ done: [...new Set([...firstRun.done, step])] }));
  const markDone = (): void => {
    // Read again: a response may arrive after another step was finished.
    const done = readFirstRun(env)?.done ?? [];
    if (done.includes(step)) return;
    change({ done: [...done, step] });
    isJustDone.current = true;
  };
  useEffect(() => {
    // The button that did the work may be unmounted; the one to continue is enabled now.
    if (isDone && isJustDone.current) next.current?.focus();
    isJustDone.current = false;
  }, [isDone]);
  const heading = useStepFocus(step);
  useEffect(() => {
    document.title = `${NAMES[step]} – First run – Homeport`;
  }, [step]);
  const Step = STEPS[step];
  return (
    <>
      <aside className={`stack ${classes['side']}`}>
        <div className={`row gap-12 rigid ${classes['product']}`}>
          {mark}
          <div className="grid">
            <strong className="strong">Homeport</strong>
            <span className="note soft">First run, about 2 minutes</span>
          </div>
        </div>
        <Steps current={step} firstRun={firstRun} onGo={go} />
        <MooredRope />
      </aside>
      <main className="stack" style={{ position: 'relative', gridArea: 'main', minHeight: 0 }}>
        <Button
          className={classes['leave'] ?? ''}
          variant="subtle"
          leftSection={<IconX size={14} stroke={1.6} aria-hidden />}
          component={Link}
          to={paths.overview(env)}
          onClick={() => changeFirstRun(env, { isOpen: false })}
        >
          Leave
        </Button>
        <div className={`fills scroll ${classes['scroll']}`}>
          <div
            className={`stack gap-16 ${classes['step']}`}
            data-wide={step === 'call' || step === 'sync' || undefined}
          >
            <Step
              key={step}
              heading={heading}
              firstRun={firstRun}
              change={change}
              go={go}
              goOn={goOn}
              isDone={isDone}
              onDone={markDone}
              problem={problems[step]}
              setProblem={(problem) => setProblems((old) => ({ ...old, [step]: problem }))}
            />
          </div>
        </div>
        <footer className={`rigid line-above ${classes['foot']}`}>
          <div
            className={`stack gap-16 ${classes['step']}`}
            data-wide={step === 'call' || step === 'sync' || undefined}
          >
            {after && hasWork && (
              <Button variant="subtle" ml={-12} onClick={goOn}>
                Skip this step
              </Button>
            )}
            <span className="flex gap-8 at-end">
              {before && (
                <Button variant="default" onClick={() => go(before)}>
                  Back
                </Button>
              )}
              <Button
                ref={next}
                variant={hasWork ? 'default' : 'filled'}
                disabled={hasWork}
                rightSection={after && <IconArrowRight size={16} stroke={1.6} aria-hidden />}
                onClick={goOn}
              >
                {after ? 'Continue' : 'Open the overview'}
              </Button>
            </span>
          </div>
        </footer>
      </main>
      {status}
    </>
  );
}

/** The heading of a new step gets the focus, so that screen readers announce it and the next Tab is inside the step. */
function useStepFocus(step: FirstRunStep) {
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another step has another heading.
  useEffect(() => heading.current?.focus({ preventScroll: true }), [step]);
  return heading;
}

interface StepsProps {
  current: FirstRunStep;
  firstRun: FirstRunState;
  onGo: (step: FirstRunStep) => void;
}

function Steps({ current, firstRun, onGo }: StepsProps) {
  const source = useQuery(metaQueryOptions()).data?.health.vaultSource;
  const at = FIRST_RUN_STEPS.indexOf(current);
  const notes: Partial<Record<FirstRunStep, string | undefined>> = {
    welcome: source && KEY_SOURCE[source].short,
    connect: firstRun.connection?.integrationKey,
  };
  return (
    <nav aria-label="Steps">
      <ol className={classes['steps']}>
        {FIRST_RUN_STEPS.map((step, index) => {
          const isPassed = firstRun.done.includes(step) || (!WORK.has(step) && index < at);
          return (
            <li key={step} data-passed={isPassed || undefined}>
              <UnstyledButton
                className="flex gap-12 at-top full soft name hovers"
                aria-current={step === current ? 'step' : undefined}
                onClick={() => onGo(step)}
              >
                <span className={`rigid note strong centred ${classes['dot']}`}>
                  {isPassed && step !== current ? <IconCheck size={14} stroke={2} aria-hidden /> : index + 1}
                </span>
                <span className={`stack ${classes['stepName']}`}>
                  {NAMES[step]}
                  {isPassed && <span className="visually-hidden">, done</span>}
                  {isPassed && notes[step] && <small className="note cut soft">{notes[step]}</small>}
                </span>
              </UnstyledButton>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
