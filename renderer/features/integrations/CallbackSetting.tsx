import { Button, Radio } from '@mantine/core';
import { useState } from 'react';
import type { Callback } from '../../api/contract.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { notifyDone, notifyError } from '../../components/notice/notify.ts';
import { Section } from '../../components/page/Section.tsx';
import { ApiError } from '../../lib/api-error.ts';
import { isWebAddress } from '../../lib/web-address.ts';
import { callbackChoices } from './callback-choices.ts';

/** The option for a typed address. */
const WRITTEN = 'written';

/** Sets the callback address of the environment. */
export function CallbackSetting({ callback }: { callback: Callback }) {
  const env = useEnv();
  const update = useChange('PATCH /api/v1/callback', { ownError: true });
  const choices = callbackChoices(callback);
  const setting = callback.setting ?? '';
  const isWritten = !choices.some((choice) => choice.setting === setting);
  const [chosen, setChosen] = useState(isWritten ? WRITTEN : setting);
  const [written, setWritten] = useState(isWritten ? setting : '');
  const [error, setError] = useState<string>();
  const next = chosen === WRITTEN ? written.trim() : chosen;
  const save = (): void => {
    if (chosen === WRITTEN && !isWebAddress(next)) {
      setError('Enter an address that starts with http:// or https://.');
      return;
    }
    update.mutate(
      { body: { callbackUrl: next === '' ? null : next } },
      {
        onSuccess: () => notifyDone('Callback address changed. Register it with your providers.'),
        onError: (failure) => {
          if (failure instanceof ApiError && failure.status === 400) setError(failure.message);
          else notifyError(failure);
        },
      },
    );
  };
  return (
    <Section title="Use another address">
      <p className="soft breaks">
        For every integration of {env}, from the next sign-in on. Existing connections do not change.
      </p>
      <Radio.Group
        value={chosen}
        onChange={setChosen}
        label="Address to use"
        labelProps={{ className: 'visually-hidden' }}
      >
        <div className="stack gap-12 pt-12 pb-12">
          {choices.map((choice) => (
            <Radio
              key={choice.setting}
              value={choice.setting}
              label={choice.label}
              description={
                <>
                  <code className="breaks">{choice.url}</code>
                  <br />
                  {choice.hint}
                </>
              }
            />
          ))}
          <Radio value={WRITTEN} label="Another address" description="Your own tunnel or redirector." />
          {chosen === WRITTEN && (
            <CodeInput
              aria-label="Address"
              placeholder="https://hub.example.com/oauth/callback"
              value={written}
              error={error}
              onChange={(event) => {
                setWritten(event.currentTarget.value);
                setError(undefined);
              }}
            />
          )}
        </div>
      </Radio.Group>
      <Button loading={update.isPending} disabled={next === setting} onClick={save}>
        Use this address
      </Button>
    </Section>
  );
}
