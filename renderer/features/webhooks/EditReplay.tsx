import { SegmentedControl, Switch } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { WebhookDetail } from '../../api/contract.ts';
import type { useRepeatWebhook } from '../../api/webhooks/webhooks-mutations.ts';
import { FormActions } from '../../components/form/FormActions.tsx';
import { OpenModal } from '../../components/notice/OpenModal.tsx';
import { PartLoading } from '../../components/page/PartLoading.tsx';
import { describeError } from '../../lib/api-error.ts';
import { editedWebhook, pretty } from './edited-webhook.ts';
import classes from './WebhookPanel.module.css';

const CodeEditor = lazy(async () => ({ default: (await import('../../components/code/CodeEditor.tsx')).CodeEditor }));

interface EditReplayProps {
  webhook: WebhookDetail;
  repeat: ReturnType<typeof useRepeatWebhook>;
  onClose: () => void;
  onDone: (sent: { id: string }) => void;
}

type Part = 'body' | 'headers';

/** Body and headers to edit before the webhook is processed again. */
export function EditReplay({ webhook, repeat, onClose, onDone }: EditReplayProps) {
  const [part, setPart] = useState<Part>('body');
  const [texts, setTexts] = useState(() => ({
    body: webhook.body ? pretty(webhook.body.text) : '',
    headers: JSON.stringify(webhook.headers, null, 2),
  }));
  const [checksSignature, setChecks] = useState(false);
  const [error, setError] = useState<string>();
  const send = (): void => {
    const edited = editedWebhook(webhook, texts);
    if ('problem' in edited) return setError(edited.problem);
    repeat.mutate(
      { ...edited, checksSignature },
      { onSuccess: onDone, onError: (failure) => setError(describeError(failure).message) },
    );
  };
  return (
    <OpenModal onClose={onClose} title="Edit and replay" size={760} withCloseButton={false}>
      <SegmentedControl
        size="xs"
        aria-label="Part to edit"
        data={[
          { value: 'body', label: 'Body' },
          { value: 'headers', label: 'Headers' },
        ]}
        value={part}
        onChange={(next) => setPart(next as Part)}
      />
      <div className={classes['editor']}>
        <Suspense fallback={<PartLoading />}>
          <CodeEditor
            key={part}
            label={part === 'body' ? 'Body' : 'Headers as JSON'}
            initial={texts[part]}
            onChange={(text) => {
              setError(undefined);
              setTexts((old) => ({ ...old, [part]: text }));
            }}
          />
        </Suspense>
      </div>
      <Switch
        label="Check the signature"
        description="An edited body does not match the signature that came with it."
        checked={checksSignature}
        onChange={(event) => setChecks(event.currentTarget.checked)}
      />
      <FormActions action="Replay" error={error} isPending={repeat.isPending} mt={24} onCancel={onClose} onAct={send} />
    </OpenModal>
  );
}
