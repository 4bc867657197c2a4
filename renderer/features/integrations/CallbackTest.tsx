import { Button } from '@mantine/core';
import { describeError } from '../../api/api-error.ts';
import type { Callback, CallbackCheck } from '../../api/contract.ts';
import { useCallbackCheck } from '../../api/settings/settings-mutations.ts';
import { notifyError } from '../../components/notify.ts';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import type { StatusLook } from '../../lib/status.ts';
import classes from './CallbackDoctor.module.css';

const ANSWERS: StatusLook = { label: 'Answers', tone: 'ok', icon: 'check' };
const ELSEWHERE: StatusLook = { label: 'Something else answers', tone: 'bad', icon: 'alert' };
const SILENT: StatusLook = { label: 'Does not answer', tone: 'bad', icon: 'alert' };

/** How it looks, and in words what it means. */
function readCheck(check: CallbackCheck): { look: StatusLook; text: string } {
  switch (check.found) {
    case 'hub':
    case 'own':
      return { look: ANSWERS, text: 'Homeport itself answers there.' };
    case 'forwards':
      return { look: ELSEWHERE, text: `It sends the browser on to ${check.target}, which is not this hub.` };
    case 'foreign':
      return { look: ELSEWHERE, text: `Its status was ${check.status}. Does the address lead to another program?` };
    case 'nothing':
      return { look: SILENT, text: `${check.reason.replace(/\.$/, '')}. Is the tunnel up?` };
  }
}

/** Asks the address as a provider would send somebody there. */
export function CallbackTest({ callback }: { callback: Callback }) {
  const check = useCallbackCheck();
  const result = check.data && check.variables === callback.callbackUrl && readCheck(check.data);
  return (
    <Section
      title="Does it answer?"
      aside={
        <Button
          size="xs"
          variant="default"
          loading={check.isPending}
          onClick={() => check.mutate(callback.callbackUrl, { onError: (error) => notifyError(describeError(error)) })}
        >
          Test the address
        </Button>
      }
    >
      <p className={classes['note']}>Opens the address as a browser would, without a sign-in.</p>
      <div role="status">
        {result && (
          <div className={classes['result']}>
            <StatusBadge look={result.look} />
            <p>{result.text}</p>
          </div>
        )}
      </div>
    </Section>
  );
}
